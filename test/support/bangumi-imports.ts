import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordKind } from '../../src/sources/records/record-kinds.ts'
import type { SourceRecord } from '../../src/sources/records/record.ts'
import { readBangumi } from '../../src/sources/bangumi/read-bangumi.ts'
import { countRemarks, findInDump, openTestDump, withDefaultDatabase } from './dumps.ts'
import { temporaryFolder } from './program.ts'

const TODAY = '2026-11-21'

export type Import = { records: SourceRecord[]; remarks: Map<string, number> }

/** Imports a folder with the date `TODAY`, and counts each remark of the report. */
export async function importFolder(dir: string): Promise<Import> {
  const report = countRemarks()
  const reading = await openTestDump('bangumi', dir, report, { today: TODAY })
  const records = await withDefaultDatabase((trx) => Array.fromAsync(readBangumi(reading, trx)))
  return { records, remarks: report.remarks }
}

/**
 * Imports a dump made up of the given files, keyed by name without `.jsonlines`. Each row is a JSON object, or a line
 * as a string.
 */
export async function importFiles(files: Record<string, (object | string)[]>): Promise<Import> {
  const { path: dir, remove } = temporaryFolder()
  try {
    for (const [name, rows] of Object.entries(files)) {
      const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
      await writeFile(join(dir, `${name}.jsonlines`), lines.join('\n'))
    }
    return await importFolder(dir)
  } finally {
    remove()
  }
}

/** Returns the record of a kind and id. Fails the test if it does not exist. */
export const findImported = <Kind extends RecordKind>(
  { records }: Import,
  kind: Kind,
  id: number | string,
) => findInDump(records, kind, String(id))

export function countKinds({ records }: Import): Record<string, number> {
  const kinds = Map.groupBy(records, ({ kind }) => kind)
  return Object.fromEntries([...kinds].map(([kind, group]) => [kind, group.length]))
}
