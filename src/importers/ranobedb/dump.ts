import { type CopyRow, isTrue, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'

/** The rows of a table of entries that RanobeDB shows; an entry it hides is left out. */
export async function* readShown<Column extends string>(
  dump: DumpReading,
  table: string,
  columns: readonly Column[],
): AsyncGenerator<CopyRow<Column>> {
  for await (const row of readTable<Column, 'hidden'>(dump, table, columns, ['hidden'])) {
    if (!isTrue(row.hidden ?? null)) yield row
  }
}

/** Titles of one series or book by language. */
export type Titles = { lang: string; title: string; romaji: string | null }[]
