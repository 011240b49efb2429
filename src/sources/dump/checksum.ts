import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dump } from './dump.ts'
import type { DumpSource } from './dump-source.ts'

/**
 * Returns a checksum of the rows that are read. Equal checksums mean equal records, because the checksum includes the
 * version of this program.
 *
 * @param settings other inputs that the records depend on
 */
export async function checksumOf(
  dump: Dump,
  { tables }: DumpSource,
  settings: unknown,
): Promise<string> {
  const names = Object.keys({ ...tables.required, ...tables.replacements, ...tables.optional })
  const hash = createHash('sha256').update(JSON.stringify([settings, programHash()]))
  for (const name of names) {
    const opened = await dump.open(name)
    // The location is hashed because remarks mention it.
    hash.update(JSON.stringify([name, opened?.location, opened?.columns]))
    // Rows that are not UTF-8 are skipped, so their content does not matter.
    for await (const { lines } of opened?.lines ?? [])
      hash.update(`${lines.map((line) => line ?? '\0').join('\n')}\n`)
  }
  return hash.digest('base64url')
}

/** Returns a hash of this program's files. Another version may read the same dump differently. */
export function programHash(): string {
  const here = import.meta.dirname
  // The bundled program is in a single folder.
  const folder = import.meta.filename.endsWith('.ts') ? join(here, '../..') : here
  const hash = createHash('sha256')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  for (const file of files.filter((name) => /(?<!\.test)\.[jt]s$/.test(name)))
    hash.update(`${file}\n`).update(readFileSync(join(folder, file)))
  return hash.digest('base64url')
}
