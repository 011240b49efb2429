import { groupRows, isTrue, readTable } from '../copy-text.ts'
import type { DumpReading } from '../dump/reading.ts'

/** A name of a novel or character in one language; `official` is false also where nobody knows. */
export type Title = { lang: string; official: boolean; title: string; latin: string | null }

/** The titles of all novels in file order. */
export function readNovelTitles(dump: DumpReading): Promise<Map<string, Title[]>> {
  return groupRows(
    readTable(dump, 'vn_titles', ['id', 'lang', 'official', 'title', 'latin']),
    ({ id }) => id,
    ({ lang, official, title, latin }) =>
      lang && title ? { lang, official: isTrue(official), title, latin } : null,
  )
}
