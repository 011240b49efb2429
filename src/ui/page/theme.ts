/** How pages are coloured; `auto` is as the system wishes. */
export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** It says no more than how to colour a page, so one name is enough for http and https. */
export const THEME_COOKIE = 'mokuroku-theme'

/** @returns the theme of exactly this name, as links and the cookie carry it */
export const findTheme = (name: unknown): Theme | undefined =>
  THEMES.find((theme) => theme === name)

const CHOSEN = new RegExp(`(?:^|;) *${THEME_COOKIE}=(\\w+)`)

/** @param header `Cookie` as it was sent: also where nothing has read the cookies */
export const chosenTheme = (header: string | undefined): Theme =>
  findTheme(CHOSEN.exec(header ?? '')?.[1]) ?? 'auto'
