/** Title in one language. `official` is missing if the source does not say. */
type TitleOf = { lang: string; title: string; official?: boolean }

/** The title in the language of origin, else the first there is. */
export function originTitle(titles: TitleOf[], olang: string | null): string | null {
  return (titles.find(({ lang }) => lang === olang) ?? titles[0])?.title ?? null
}

/** The Chinese title of what is not Chinese itself: simplified before traditional, official before not. */
export function chineseTitle(titles: TitleOf[], olang: string | null): string | null {
  if (olang?.startsWith('zh')) return null
  const chosen = ['zh-Hans', 'zh-Hant', 'zh'].flatMap((code) =>
    titles
      .filter(({ lang }) => lang === code)
      .toSorted((one, other) => Number(other.official ?? false) - Number(one.official ?? false)),
  )
  return chosen[0]?.title ?? null
}

/** The English title, official before not. */
export function englishTitle(titles: TitleOf[]): string | null {
  const english = titles.filter(({ lang }) => lang === 'en')
  return (english.find(({ official }) => official) ?? english[0])?.title ?? null
}
