import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, type Html } from './html.ts'
import { chooseLanguage, findLanguage, type Language } from './languages.ts'
import { localAddress } from './local-address.ts'
import { CATALOGUES } from './messages/catalogues.ts'
import type { Messages } from './messages/en.ts'

/** What every page of a request needs: its language, and the token of its forms. */
export type PageContext = {
  language: Language
  messages: Messages
  /** The field that every form of ours must carry. */
  csrfField(): Html
}

/** It says no more than in which language to write, so one name is enough for http and https. */
export const LANGUAGE_COOKIE = 'mokuroku-lang'
/** Seconds. */
const YEAR = 365 * 24 * 3_600

export function pageContextOf(request: FastifyRequest, reply: FastifyReply): PageContext {
  const language = chooseLanguage({
    uiLocales: textIn(request.query, 'ui_locales'),
    // A hook before the one that reads them may have failed.
    cookie: textIn(request.cookies, LANGUAGE_COOKIE),
    acceptLanguage: request.headers['accept-language'],
  })
  // One for all forms of the page: on a first visit a second call would make a second secret and spoil the first.
  let token: string | undefined
  return {
    language,
    messages: CATALOGUES[language],
    csrfField() {
      token ??= reply.generateCsrf()
      return html`<input type="hidden" name="_csrf" value="${token}">`
    },
  }
}

/** Keeps the language an app has wished for on the pages that follow, until the browser is closed or the reader chooses. */
export function keepLanguage(request: FastifyRequest, reply: FastifyReply) {
  if (request.cookies[LANGUAGE_COOKIE] === undefined)
    void reply.setCookie(LANGUAGE_COOKIE, request.page.language)
}

/**
 * Answers the links to other languages: keeps `?lang=` in a cookie and sends the reader to the same address without
 * it, and without what the app had wished for.
 *
 * @returns whether it answered
 */
export function switchLanguage(request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== 'GET') return false
  const language = findLanguage(textIn(request.query, 'lang'))
  if (!language) return false
  reply
    .setCookie(LANGUAGE_COOKIE, language, { maxAge: YEAR })
    .header('cache-control', 'no-store')
    .redirect(localAddress(request.url, ['lang', 'ui_locales']), 303)
  return true
}

function textIn(values: unknown, name: string): string | undefined {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name)) return undefined
  // as: it was looked for in the line above
  const value = (values as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}
