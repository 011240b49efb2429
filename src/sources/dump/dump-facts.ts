import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Dump } from './dump.ts'

/** Where records come from, as far as it is known. */
export type DumpFacts = {
  /** The name of the file or folder, without where it lies. */
  name: string
  /** The day the source itself gives the dump, `YYYY-MM-DD`. */
  date: string | undefined
  /** Of an archive, in hexadecimal digits. */
  sha256: string | undefined
}

/** Reads a file to its end for its checksum; a folder has none. */
export async function describeDump(dump: Dump): Promise<DumpFacts> {
  // A link called `latest` leads to a file with a date.
  const path = await realpath(dump.path)
  const stamp = await dump.note?.('TIMESTAMP')
  return {
    name: basename(path),
    date: findDay(stamp ?? '') ?? findDay(basename(path)),
    sha256: (await stat(path)).isFile() ? await sha256Of(path) : undefined,
  }
}

/** @returns in lower-case hexadecimal digits */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The first day that a text names, as `2026-11-18` or `20261118`. */
export function findDay(text: string): string | undefined {
  for (const [, year, month, day] of text.matchAll(
    /(?<!\d)(20\d\d)(?:-(?=\d\d-))?(\d\d)-?(\d\d)(?!\d)/g,
  )) {
    const date = `${year}-${month}-${day}`
    if (new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)) return date
  }
  return undefined
}
