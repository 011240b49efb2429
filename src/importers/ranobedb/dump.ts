import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CopyFolder, type CopyRow, isTrue, readTable } from '../copy-text.ts'
import type { ImportReport } from '../record.ts'

/**
 * The folder of a RanobeDB dump: one `<table>.tsv` a table, with its column names on the first line.
 *
 * RanobeDB publishes a dump for psql; PostgreSQL 15 writes such a file of a table restored from it with
 * `\copy series to 'series.tsv' with (format text, header)`.
 *
 * @throws {Error} when the folder has no `series.tsv`
 */
export function openRanobedb(dir: string, report: ImportReport): CopyFolder {
  if (!existsSync(join(dir, 'series.tsv'))) {
    throw new Error(`${dir} holds no RanobeDB dump: series.tsv is missing`)
  }
  return { dir, header: 'first line', report }
}

/** The rows of a table of entries that RanobeDB shows; an entry it hides is left out. */
export async function* readShown<Column extends string>(
  dump: CopyFolder,
  table: string,
  columns: readonly Column[],
): AsyncGenerator<CopyRow<Column>> {
  for await (const row of readTable<Column, 'hidden'>(dump, table, columns, ['hidden'])) {
    if (!isTrue(row.hidden ?? null)) yield row
  }
}

/** Titles of one series or book by language. */
export type Titles = { lang: string; title: string; romaji: string | null }[]
