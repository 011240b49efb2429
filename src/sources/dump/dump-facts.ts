import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Dump } from './dump.ts'

export type DumpFacts = {
  /** Name of the file or folder, without its path. */
  name: string
  /** Date of the dump at its source, `YYYY-MM-DD`. */
  date: string | undefined
  /** Hexadecimal SHA-256 of an archive. */
  sha256: string | undefined
}

/** Reads the whole file to compute its checksum. Folders have none. */
export async function describeDump(dump: Dump): Promise<DumpFacts> {
  // Follows a link, such as `latest`, to a file whose name contains a date.
  const path = await realpath(dump.path)
  const stamp = await dump.readNote?.('TIMESTAMP')
  return {
    name: basename(path),
    date: findDate(stamp ?? '') ?? findDate(basename(path)),
    sha256: (await stat(path)).isFile() ? await sha256Of(path) : undefined,
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Returns the first date in a string, such as `2026-11-18` or `20261118`. */
export function findDate(text: string): string | undefined {
  for (const [, year, month, day] of text.matchAll(
    /(?<!\d)(20\d\d)(?:-(?=\d\d-))?(\d\d)-?(\d\d)(?!\d)/g,
  )) {
    const date = `${year}-${month}-${day}`
    if (new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)) return date
  }
  return undefined
}
