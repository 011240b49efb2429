import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dump } from './dump.ts'
import type { DumpSource } from './dump-source.ts'

/**
 * The same for two dumps whose tables say the same, row by row, to the same program.
 *
 * @param settings what else the records depend on
 */
export async function checksumOf(
  dump: Dump,
  { tables }: DumpSource,
  settings: unknown,
): Promise<string> {
  const names = Object.keys({ ...tables.required, ...tables.formerly, ...tables.optional })
  const hash = createHash('sha256').update(JSON.stringify([settings, programHash()]))
  for (const name of names) {
    const opened = await dump.open(name)
    // The place stands in remarks.
    hash.update(JSON.stringify([name, opened?.place, opened?.columns]))
    // A row that is not UTF-8 is left out, whatever it is.
    for await (const { lines } of opened?.lines ?? [])
      hash.update(`${lines.map((line) => line ?? '\0').join('\n')}\n`)
  }
  return hash.digest('base64url')
}

/** Of the files of this program, which may read the same dump differently when it is newer. */
export function programHash(): string {
  const here = import.meta.dirname
  // Put together, all of it lies in one folder.
  const folder = import.meta.filename.endsWith('.ts') ? join(here, '../..') : here
  const hash = createHash('sha256')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  for (const file of files.filter((name) => /(?<!\.test)\.[jt]s$/.test(name)))
    hash.update(`${file}\n`).update(readFileSync(join(folder, file)))
  return hash.digest('base64url')
}
