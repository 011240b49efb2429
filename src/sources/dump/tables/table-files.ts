import { join } from 'node:path'
import { type Archive, type Dump, type DumpTable, HEAD_BYTES } from '../dump.ts'
import { DumpError } from '../dump-error.ts'
import type { Layout } from '../dump-source.ts'
import { type LineBlock, readLines } from './lines.ts'

/** Opens tables that are separate files of a folder or an archive. */
export function openTableFiles(archive: Archive, folder: string, { suffix, header }: Layout): Dump {
  const fileOf = (table: string) => `${folder}${table}${suffix}`
  const tables = new Map<string, string>()
  for (const name of archive.files.keys()) {
    if (!name.startsWith(folder) || !name.endsWith(suffix) || name.endsWith('.header')) continue
    const table = name.slice(folder.length, name.length - suffix.length)
    if (!table.includes('/')) tables.set(table, name)
  }
  return {
    path: archive.path,
    tables,
    close: () => archive.close(),
    readNote: async (name) =>
      archive.files.has(name) ? Buffer.from(await archive.head(name)).toString('utf8') : undefined,
    async hasRows(table) {
      const location = join(archive.path, fileOf(table))
      const minLines = header === 'first line' ? 2 : 1
      let found = 0
      for await (const { lines } of readLines([await archive.head(fileOf(table))], location))
        found += lines.filter((line) => line !== '' && line !== '\\.').length
      return found >= minLines
    },
    async open(table): Promise<DumpTable | undefined> {
      if (!tables.has(table)) return undefined
      const location = join(archive.path, fileOf(table))
      const lines = readLines(archive.read(fileOf(table)), location)
      if (header === 'none') return { location, columns: [], lines }
      if (header === 'own file')
        return { location, columns: await readHeader(archive, fileOf(table)), lines }
      const columns = await firstLine(archive, fileOf(table))
      return { location, columns, lines: skipFirstLine(lines) }
    },
  }
}

async function readHeader(archive: Archive, file: string): Promise<string[]> {
  const name = `${file}.header`
  if (!archive.files.has(name))
    throw new DumpError(`${join(archive.path, name)} is missing. It contains the column names`)
  return firstLine(archive, name)
}

async function firstLine(archive: Archive, file: string): Promise<string[]> {
  const location = join(archive.path, file)
  const head = await archive.head(file)
  const end = head.indexOf(0x0a)
  if (end === -1 && head.length === HEAD_BYTES)
    throw new DumpError(`${location}:1: the line with the column names is missing`)
  for await (const { lines } of readLines([end === -1 ? head : head.subarray(0, end)], location)) {
    const [line] = lines
    if (line === null) throw new DumpError(`${location}:1: the column names are not UTF-8`)
    return line?.split('\t') ?? []
  }
  return []
}

async function* skipFirstLine(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
  let isFirst = true
  for await (const block of blocks) {
    yield isFirst ? { ...block, lines: block.lines.slice(1), number: 2 } : block
    isFirst = false
  }
}
