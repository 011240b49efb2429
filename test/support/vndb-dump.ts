import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SourceRecord } from '../../src/sources/records/record.ts'
import { readDump } from './dumps.ts'
import { remarkText, type ImportRemark } from '../../src/sources/records/import-remark.ts'

export type RecordOfKind<Kind extends SourceRecord['kind']> = Extract<SourceRecord, { kind: Kind }>

/** Tables as lines, with column names first and `|` between the columns. */
export type DumpTables = Record<string, string[]>

/** Reads a dump of these tables, and returns its records and remarks. */
export async function readTables(
  tables: DumpTables,
): Promise<{ records: SourceRecord[]; remarks: string[] }> {
  const dir = await mkdtemp(join(tmpdir(), 'vndb-'))
  try {
    await mkdir(join(dir, 'db'))
    for (const [table, [header = '', ...lines]] of Object.entries(tables)) {
      await writeFile(join(dir, 'db', `${table}.header`), header.replaceAll('|', '\t'))
      await writeFile(
        join(dir, 'db', table),
        lines.map((line) => `${line.replaceAll('|', '\t')}\n`).join(''),
      )
    }
    const remarks: string[] = []
    const note = (remark: ImportRemark, example = '') =>
      void remarks.push(`${remarkText('en', remark)}: ${example}`)
    return { records: await readDump('vndb', dir, { note }), remarks }
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** Returns the only record of this kind and id. */
export function findInDump<Kind extends SourceRecord['kind']>(
  records: SourceRecord[],
  kind: Kind,
  id: string,
): RecordOfKind<Kind> {
  const isIt = (record: SourceRecord): record is RecordOfKind<Kind> =>
    record.kind === kind && record.external_id === id
  const found = records.find(isIt)
  assert.ok(found, `no ${kind} ${id}`)
  return found
}
