/** Titles that pages show: in the language of the page, in Latin letters, or in the original language. */
export const TITLE_PREFERENCES = ['translated', 'romaji', 'original'] as const
export type TitlePreference = (typeof TITLE_PREFERENCES)[number]

/** Choice of a guest. It holds no secret, so http and https share one name. */
export const TITLES_COOKIE = 'mokuroku-titles'

/** Finds a preference by its exact name. */
export const findTitlePreference = (name: unknown): TitlePreference | undefined =>
  TITLE_PREFERENCES.find((preference) => preference === name)

const PREFERENCE_IN_COOKIES = new RegExp(`(?:^|;) *${TITLES_COOKIE}=(\\w+)`)

/** Reads a guest's choice from a raw `Cookie` header. */
export const titlePreferenceFromCookies = (header: string | undefined): TitlePreference =>
  findTitlePreference(PREFERENCE_IN_COOKIES.exec(header ?? '')?.[1]) ?? 'translated'
