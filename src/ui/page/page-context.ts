import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, type Html } from '../html.ts'
import { chooseLanguage, type Language } from '../../i18n/languages.ts'
import { messagesIn } from '../messages.ts'
import type { Messages } from '../messages.ts'
import { SOFTWARE_NAME } from '../software-name.ts'
import { titlePreferenceFromCookies, type TitlePreference } from '../title-preference.ts'
import type { PageViewer, Site } from './site.ts'
import { themeFromCookies, type Theme } from './theme.ts'

/** The main picture of an entry, the index of one of its screenshots, or that of another cover. */
export type GradedPicture = 'head' | number | `cover ${number}`

/** Whether the viewer reveals a graded picture, and the URL that toggles it. */
export type GradedChoice = { name: string; isShown: boolean; href: string }

/** State that every page of a request needs: language, theme, viewer and CSRF token. */
export type PageContext = {
  language: Language
  messages: Messages
  theme: Theme
  /** Titles that the viewer has chosen. */
  readonly titlePreference: TitlePreference
  /** Origin of the pages, without a trailing slash. */
  origin: string
  /** Undefined for guests, and if an error occurs before the viewer is resolved. */
  viewer?: PageViewer | undefined
  /** Number of the viewer's unread notifications. Set on catalog pages. */
  unread?: number
  /** Time zone the viewer chose. */
  readonly timeZone: string | undefined
  site: Site | undefined
  siteName: string
  /** The viewer's status of each work on the page, keyed by work id; null for a rating without a status. */
  marks?: ReadonlyMap<number, string | null>
  /**
   * Returns the choice for a graded picture. Set on entry pages if the viewer may see adult content.
   */
  graded?: (picture: GradedPicture) => GradedChoice
  /** Paths of the published profiles of users on the page, keyed by account id. */
  profilePaths?: ReadonlyMap<number, string>
  /** Renders the hidden fields that every form must carry. */
  csrfField(): Html
  /** Whether the page contains a CSRF token, and is therefore valid for one browser only. */
  hasCsrfToken(): boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route itself handles forms that were rendered for another account. */
    checksFormOwner?: boolean
  }
}

/** Field that names the account a form was rendered for. */
export const FORM_OWNER = '_owner'

/** Holds only a language, so http and https share one name. */
export const LANGUAGE_COOKIE = 'mokuroku-lang'
/** Lifetime of a stored language or theme, in seconds. */
export const PREFERENCE_LIFETIME_SECONDS = 365 * 24 * 3_600

/** Returns a request's language without creating the rest of the page context. */
export const pageLanguageOf = ({ query, cookies, headers, server }: FastifyRequest): Language =>
  chooseLanguage({
    uiLocales: textIn(query, 'ui_locales'),
    // Missing if a hook failed before the cookies were parsed.
    cookie: textIn(cookies, LANGUAGE_COOKIE),
    acceptLanguage: headers['accept-language'],
    fallback: server.site?.defaultLanguage,
  })

export function pageContextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  origin: string,
): PageContext {
  const language = pageLanguageOf(request)
  // All forms of a page share one token: on a first visit, a second call would create a new secret
  // and invalidate the first token.
  let token: string | undefined
  const context: PageContext = {
    language,
    messages: messagesIn(language, request.server.site?.name),
    siteName: request.server.site?.name ?? SOFTWARE_NAME,
    theme: themeFromCookies(request.headers.cookie),
    origin,
    get titlePreference() {
      return this.viewer?.titles ?? titlePreferenceFromCookies(request.headers.cookie)
    },
    get timeZone() {
      return this.viewer?.timeZone
    },
    site: request.server.site,
    csrfField() {
      token ??= reply.generateCsrf()
      const { viewer } = context
      return html`<input type="hidden" name="_csrf" value="${token}">${
        viewer && html`<input type="hidden" name="${FORM_OWNER}" value="${viewer.accountId}">`
      }`
    },
    hasCsrfToken: () => token !== undefined,
  }
  return context
}

/**
 * Stores the language an app requested, unless the user has chosen one. The cookie lasts until the browser closes.
 */
export function storeLanguage(request: FastifyRequest, reply: FastifyReply) {
  if (request.cookies[LANGUAGE_COOKIE] === undefined)
    void reply.setCookie(LANGUAGE_COOKIE, request.page.language)
}

/** Stores the account's language in this browser. */
export function storeAccountLanguage(reply: FastifyReply, language: Language) {
  void reply.setCookie(LANGUAGE_COOKIE, language, { maxAge: PREFERENCE_LIFETIME_SECONDS })
}

function textIn(values: unknown, name: string): string | undefined {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name))
    return undefined
  // as: the previous check found this property
  const value = (values as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}
