import { fastifyCookie } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findLanguage } from '../../i18n/languages.ts'
import { localPath } from '../local-path.ts'
import { LANGUAGE_COOKIE, PREFERENCE_LIFETIME_SECONDS } from '../page/page-context.ts'
import { ANNOUNCEMENT_COOKIE, ANNOUNCEMENT_PARAMETER, findDismissedId } from '../announcement.ts'
import { findTitlePreference, TITLES_COOKIE } from '../title-preference.ts'
import { findTheme, THEME_COOKIE } from '../page/theme.ts'

/** Redirect in response to a link to another language, theme or choice of titles, or one that dismisses an announcement. */
export type PreferenceRedirect = { location: string; cookies: string[] }

/**
 * Parses a link to another language, theme or choice of titles. The redirect stores `?lang=`, `?theme=` and `?titles=`
 * in cookies and leads to the same URL without them, and without the language that an app requested.
 *
 * @param url path and query, as they were sent
 * @param secure whether cookies require https
 * @returns undefined for any other request
 */
export function findPreferenceRedirect(
  method: string,
  url: string,
  secure: boolean,
): PreferenceRedirect | undefined {
  const start = url.indexOf('?')
  if (method !== 'GET' || start < 0) return undefined
  const query = new URLSearchParams(url.slice(start))
  const only = (name: string) => (query.getAll(name).length === 1 ? query.get(name) : undefined)
  const language = findLanguage(only('lang'))
  const theme = findTheme(only('theme'))
  const titles = findTitlePreference(only('titles'))
  const dismissed = findDismissedId(only(ANNOUNCEMENT_PARAMETER))
  if (!language && !theme && !titles && dismissed === undefined) return undefined
  const cookie = (name: string, value: string) =>
    fastifyCookie.serialize(name, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge: PREFERENCE_LIFETIME_SECONDS,
    })
  return {
    location: localPath(url, [
      'theme',
      'titles',
      ANNOUNCEMENT_PARAMETER,
      ...(language ? ['lang', 'ui_locales'] : []),
    ]),
    cookies: [
      ...(language ? [cookie(LANGUAGE_COOKIE, language)] : []),
      ...(theme ? [cookie(THEME_COOKIE, theme)] : []),
      ...(titles ? [cookie(TITLES_COOKIE, titles)] : []),
      ...(dismissed === undefined ? [] : [cookie(ANNOUNCEMENT_COOKIE, dismissed)]),
    ],
  }
}

/**
 * Redirects a link to another language, theme or choice of titles.
 *
 * @returns false for any other request
 */
export function redirectPreferenceLink(
  request: FastifyRequest,
  reply: FastifyReply,
  secure: boolean,
): boolean {
  const choice = findPreferenceRedirect(request.method, request.url, secure)
  if (!choice) return false
  reply
    .headers({ 'set-cookie': choice.cookies, 'cache-control': 'no-store' })
    .redirect(choice.location, 303)
  return true
}
