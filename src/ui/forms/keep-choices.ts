import { fastifyCookie } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findLanguage } from '../../i18n/languages.ts'
import { localAddress } from '../local-address.ts'
import { LANGUAGE_COOKIE, CHOICE_SECONDS } from '../page/page-context.ts'
import { findTheme, THEME_COOKIE } from '../page/theme.ts'

/** Redirect that answers a link to another language or theme. */
export type Choice = { location: string; cookies: string[] }

/**
 * Reads a link to another language or theme. Its answer stores `?lang=` and `?theme=` in cookies and redirects to the same
 * address without them, and without the language that an app requested.
 *
 * @param url path and query, as they were sent
 * @param secure whether cookies are for https only
 * @returns undefined for any other request
 */
export function findChoice(method: string, url: string, secure: boolean): Choice | undefined {
  const start = url.indexOf('?')
  if (method !== 'GET' || start < 0) return undefined
  const query = new URLSearchParams(url.slice(start))
  const only = (name: string) => (query.getAll(name).length === 1 ? query.get(name) : undefined)
  const language = findLanguage(only('lang'))
  const theme = findTheme(only('theme'))
  if (!language && !theme) return undefined
  const cookie = (name: string, value: string) =>
    fastifyCookie.serialize(name, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge: CHOICE_SECONDS,
    })
  return {
    location: localAddress(url, language ? ['lang', 'theme', 'ui_locales'] : ['theme']),
    cookies: [
      ...(language ? [cookie(LANGUAGE_COOKIE, language)] : []),
      ...(theme ? [cookie(THEME_COOKIE, theme)] : []),
    ],
  }
}

/** Answers a link to another language or theme. @returns false for any other request */
export function keepChoices(
  request: FastifyRequest,
  reply: FastifyReply,
  secure: boolean,
): boolean {
  const choice = findChoice(request.method, request.url, secure)
  if (!choice) return false
  reply
    .headers({ 'set-cookie': choice.cookies, 'cache-control': 'no-store' })
    .redirect(choice.location, 303)
  return true
}
