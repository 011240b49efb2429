/** Title in one language. `official` is missing if the source does not say. */
type LocalizedTitle = { lang: string; title: string; official?: boolean }

/** Returns the title in the original language, or else the first one. */
export function originTitle(titles: LocalizedTitle[], olang: string | null): string | null {
  return (titles.find(({ lang }) => lang === olang) ?? titles[0])?.title ?? null
}

/**
 * Returns the Chinese title of a work that is not Chinese. Prefers simplified over traditional and official over
 * unofficial titles.
 */
export function chineseTitle(titles: LocalizedTitle[], olang: string | null): string | null {
  if (olang?.startsWith('zh')) return null
  const chosen = ['zh-Hans', 'zh-Hant', 'zh'].flatMap((code) =>
    titles
      .filter(({ lang }) => lang === code)
      .toSorted((a, b) => Number(b.official ?? false) - Number(a.official ?? false)),
  )
  return chosen[0]?.title ?? null
}

/** Returns the English title. Prefers official titles. */
export function englishTitle(titles: LocalizedTitle[]): string | null {
  const english = titles.filter(({ lang }) => lang === 'en')
  return (english.find(({ official }) => official) ?? english[0])?.title ?? null
}
