import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceRecord } from '../../src/sources/records/record.ts'
import { listRemarks, readDump } from './dumps.ts'
import { temporaryFolder } from './program.ts'

/** Tables as lines, with column names first and `|` between the columns. */
export type DumpTables = Record<string, string[]>

/** Reads a dump of these tables, and returns its records and remarks. */
export async function readTables(
  tables: DumpTables,
): Promise<{ records: SourceRecord[]; remarks: string[] }> {
  const { path: dir, remove } = temporaryFolder()
  try {
    await mkdir(join(dir, 'db'))
    for (const [table, [header = '', ...lines]] of Object.entries(tables)) {
      await writeFile(join(dir, 'db', `${table}.header`), header.replaceAll('|', '\t'))
      await writeFile(
        join(dir, 'db', table),
        lines.map((line) => `${line.replaceAll('|', '\t')}\n`).join(''),
      )
    }
    const report = listRemarks()
    return { records: await readDump('vndb', dir, report), remarks: report.remarks }
  } finally {
    remove()
  }
}
