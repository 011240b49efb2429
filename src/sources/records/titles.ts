/**
 * Title in one language. `official` is missing if the source does not say. `latin` is the title in Latin letters, if
 * it is in another script.
 */
type LocalizedTitle = { lang: string; title: string; official?: boolean; latin?: string | null }

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
export const englishTitle = (titles: LocalizedTitle[]) => titleIn('en', titles)

/** Returns the Korean title of a work that is not Korean. Prefers official titles. */
export const koreanTitle = (titles: LocalizedTitle[], olang: string | null) =>
  olang === 'ko' ? null : titleIn('ko', titles)

/** Returns the original title in Latin letters. */
export function romajiTitle(titles: LocalizedTitle[], olang: string | null): string | null {
  const title = originTitle(titles, olang)
  return titles.find((item) => item.title === title && item.latin)?.latin ?? null
}

function titleIn(language: string, titles: LocalizedTitle[]): string | null {
  const known = titles.filter(({ lang }) => lang === language)
  return (known.find(({ official }) => official) ?? known[0])?.title ?? null
}
