/** Color themes; `auto` follows the system. */
export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** Holds only a theme, so http and https share one name. */
export const THEME_COOKIE = 'mokuroku-theme'

/** Finds a theme by its exact name. */
export const findTheme = (name: unknown): Theme | undefined =>
  THEMES.find((theme) => theme === name)

const THEME_IN_COOKIES = new RegExp(`(?:^|;) *${THEME_COOKIE}=(\\w+)`)

/**
 * Reads the stored theme from a raw `Cookie` header, so that it works where cookies are not parsed.
 */
export const themeFromCookies = (header: string | undefined): Theme =>
  findTheme(THEME_IN_COOKIES.exec(header ?? '')?.[1]) ?? 'auto'
