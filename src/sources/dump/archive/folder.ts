import { type Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readBytes, readHead } from './bytes.ts'
import { HEAD_BYTES, type Archive } from '../dump.ts'

/** Opens a folder of tables, including its subfolder `db`, where VNDB keeps them. */
export async function openFolder(path: string): Promise<Archive> {
  const files = new Map<string, { size: number }>()
  for (const folder of ['', 'db']) {
    for (const entry of await list(join(path, folder))) {
      const name = folder ? `${folder}/${entry.name}` : entry.name
      // Links are followed, because the folder belongs to the operator.
      const stats = await stat(join(path, name)).catch(() => undefined)
      if (stats?.isFile()) files.set(name, { size: stats.size })
    }
  }
  return {
    path,
    files,
    head: (name) => readHead(join(path, name), HEAD_BYTES),
    read: (name) => readBytes(join(path, name), 'plain'),
    close: async () => {},
  }
}

async function list(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile() || entry.isSymbolicLink())
}
