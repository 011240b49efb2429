import { type CopyFolder, groupRows, isTrue, readTable } from '../copy-text.ts'

/** A name of a novel or character in one language; `official` is false also where nobody knows. */
export type Title = { lang: string; official: boolean; title: string; latin: string | null }

/** The titles of all novels in file order. */
export function readTitles(dump: CopyFolder): Promise<Map<string, Title[]>> {
  return groupRows(
    readTable(dump, 'vn_titles', ['id', 'lang', 'official', 'title', 'latin']),
    ({ id }) => id,
    ({ lang, official, title, latin }) =>
      lang && title ? { lang, official: isTrue(official), title, latin } : null,
  )
}

/** The name in the language of origin, else the first there is. */
export function originTitle(titles: Title[], olang: string | null): string | null {
  return (titles.find(({ lang }) => lang === olang) ?? titles[0])?.title ?? null
}

/** The Chinese name of what is not Chinese itself: simplified before traditional, official before not. */
export function chineseTitle(titles: Title[], olang: string | null): string | null {
  if (olang?.startsWith('zh')) return null
  const chosen = ['zh-Hans', 'zh-Hant', 'zh'].flatMap((code) =>
    titles
      .filter(({ lang }) => lang === code)
      .toSorted((one, other) => Number(other.official) - Number(one.official)),
  )
  return chosen[0]?.title ?? null
}
