import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordKind } from '../../src/sources/records/record-kinds.ts'
import type { SourceRecord } from '../../src/sources/records/record.ts'
import { readBangumi } from '../../src/sources/bangumi/read-bangumi.ts'
import { openTestDump, withDefaultDatabase } from './dumps.ts'
import { remarkText, type ImportRemark } from '../../src/sources/records/import-remark.ts'

const TODAY = '2026-11-21'

export type Import = { records: SourceRecord[]; remarks: Map<string, number> }

/** Imports a folder with the date `TODAY`, and counts each remark of the report. */
export async function importFolder(dir: string): Promise<Import> {
  const remarks = new Map<string, number>()
  const report = {
    note(remark: ImportRemark) {
      const text = remarkText('en', remark)
      remarks.set(text, (remarks.get(text) ?? 0) + 1)
    },
  }
  const reading = await openTestDump('bangumi', dir, report, { today: TODAY })
  const records = await withDefaultDatabase((trx) => Array.fromAsync(readBangumi(reading, trx)))
  return { records, remarks }
}

/**
 * Imports a dump made up of the given files, keyed by name without `.jsonlines`. Each row is a JSON object, or a line
 * as a string.
 */
export async function importFiles(files: Record<string, (object | string)[]>): Promise<Import> {
  const dir = await mkdtemp(join(tmpdir(), 'bangumi-'))
  try {
    for (const [name, rows] of Object.entries(files)) {
      const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
      await writeFile(join(dir, `${name}.jsonlines`), lines.join('\n'))
    }
    return await importFolder(dir)
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** Returns the record of a kind and id. Fails the test if it does not exist. */
export function findImported<Kind extends RecordKind>(
  { records }: Import,
  kind: Kind,
  id: number | string,
) {
  const found = records.find(
    (record): record is Extract<SourceRecord, { kind: Kind }> =>
      record.kind === kind && record.external_id === String(id),
  )
  assert.ok(found, `no ${kind} ${id}`)
  return found
}

export function countKinds({ records }: Import): Record<string, number> {
  const kinds = Map.groupBy(records, ({ kind }) => kind)
  return Object.fromEntries([...kinds].map(([kind, group]) => [kind, group.length]))
}
