import type { Language } from '../i18n/languages.ts'
import { html, type Html } from './html.ts'
import { localPath, SECRET_PARAMETERS } from './local-path.ts'
import type { Messages } from './messages.ts'
import type { Announcement, Site } from './page/site.ts'

/** Holds only a number, so http and https share one name. */
export const ANNOUNCEMENT_COOKIE = 'mokuroku-announcement'
/** Query parameter of the link that dismisses an announcement. */
export const ANNOUNCEMENT_PARAMETER = 'announcement'

const DISMISSED_IN_COOKIES = new RegExp(`(?:^|;) *${ANNOUNCEMENT_COOKIE}=(\\d{1,16})(?:;|$)`)

/**
 * Returns the announcement that a browser has not dismissed.
 *
 * @param cookies raw `Cookie` header
 */
export function announcementFor(
  site: Site | undefined,
  cookies: string | undefined,
): Announcement | undefined {
  const announcement = site?.announcement()
  if (!announcement || cookies === undefined) return announcement
  return DISMISSED_IN_COOKIES.exec(cookies)?.[1] === String(announcement.id)
    ? undefined
    : announcement
}

/** Parses the ID in a link that dismisses an announcement. */
export const findDismissedId = (text: unknown): string | undefined =>
  typeof text === 'string' && /^\d{1,16}$/.test(text) ? text : undefined

/**
 * Renders the announcement in the language of the page, or else in another one. The link to dismiss it reloads the page
 * without it.
 */
export function announcementBanner(
  { id, texts }: Announcement,
  {
    language,
    messages: { layout },
    path,
    fallback = 'en',
  }: {
    language: Language
    messages: Messages
    path: string | undefined
    fallback?: Language | undefined
  },
): Html | undefined {
  const [shown, text] =
    [language, fallback, ...Object.entries(texts).map(([name]) => name)]
      .map((name) => [name, new Map(Object.entries(texts)).get(name)] as const)
      .find(([, found]) => found !== undefined) ?? []
  if (text === undefined) return undefined
  const link = path && localPath(path, [ANNOUNCEMENT_PARAMETER, ...SECRET_PARAMETERS])
  return html`<aside class="announcement" aria-label="${layout.announcement}"><div><p${shown !== language && html` lang="${shown}"`}>${text}</p>${
    link &&
    html`<a href="${link}${link.includes('?') ? '&' : '?'}${ANNOUNCEMENT_PARAMETER}=${id}" rel="nofollow">${layout.dismiss}</a>`
  }</div></aside>\n`
}
