import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, type Html } from '../html.ts'
import { chooseLanguage, type Language } from '../../i18n/languages.ts'
import { messagesIn } from '../messages.ts'
import type { Messages } from '../messages.ts'
import type { PageReader, Site } from './site.ts'
import { chosenTheme, type Theme } from './theme.ts'

/** The picture of the entry itself, or one of its screenshots by its place from 0. */
export type GradedPicture = 'head' | number

/** Whether a reader has asked for a graded picture, and the address of the page where that is the other way. */
export type GradedChoice = { name: string; isShown: boolean; href: string }

/** What every page of a request needs: its language and theme, who looks at it, and the token of its forms. */
export type PageContext = {
  language: Language
  messages: Messages
  theme: Theme
  /** Where our pages are, without a slash at the end. */
  origin: string
  /** Missing: nobody is signed in, or an error came before that was asked. */
  reader?: PageReader | undefined
  /** The reader's, if they have chosen one. */
  readonly timeZone: string | undefined
  site: Site | undefined
  /** The reader's statuses of works on the page, by their ids; null of a record of scores alone. */
  marks?: ReadonlyMap<number, string | null>
  /** Of the page of an entry, for a reader who may see them: what becomes of those of its pictures that are graded. */
  graded?: (picture: GradedPicture) => GradedChoice
  /** Addresses of the profiles of those readers on the page who show one, by their ids. */
  profileAddresses?: ReadonlyMap<number, string>
  /** The field that every form of ours must carry. */
  csrfField(): Html
  /** Whether it was asked for: then the page is good for one browser only. */
  tokenIsUsed(): boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route itself handles forms made for another account. */
    checksFormOwner?: boolean
  }
}

/** Field with the account a form was rendered for. */
export const FORM_OWNER = '_owner'

/** It says no more than in which language to write, so one name is enough for http and https. */
export const LANGUAGE_COOKIE = 'mokuroku-lang'
/** Lifetime of a chosen language or theme, in seconds. */
export const CHOICE_SECONDS = 365 * 24 * 3_600

/** The language of the pages of this request, without the rest of its context. */
export const pageLanguageOf = ({ query, cookies, headers }: FastifyRequest): Language =>
  chooseLanguage({
    uiLocales: textIn(query, 'ui_locales'),
    // A hook before the one that reads them may have failed.
    cookie: textIn(cookies, LANGUAGE_COOKIE),
    acceptLanguage: headers['accept-language'],
  })

export function pageContextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  origin: string,
): PageContext {
  const language = pageLanguageOf(request)
  // One for all forms of the page: on a first visit a second call would make a second secret and spoil the first.
  let token: string | undefined
  const context: PageContext = {
    language,
    messages: messagesIn(language),
    theme: chosenTheme(request.headers.cookie),
    origin,
    get timeZone() {
      return this.reader?.timeZone
    },
    site: request.server.site,
    csrfField() {
      token ??= reply.generateCsrf()
      const { reader } = context
      return html`<input type="hidden" name="_csrf" value="${token}">${
        reader && html`<input type="hidden" name="${FORM_OWNER}" value="${reader.accountId}">`
      }`
    },
    tokenIsUsed: () => token !== undefined,
  }
  return context
}

/** Keeps the language an app has wished for on the pages that follow, until the browser is closed or the reader chooses. */
export function keepLanguage(request: FastifyRequest, reply: FastifyReply) {
  if (request.cookies[LANGUAGE_COOKIE] === undefined)
    void reply.setCookie(LANGUAGE_COOKIE, request.page.language)
}

/** Keeps the language that a reader has chosen for their account in this browser. */
export function keepReaderLanguage(reply: FastifyReply, language: Language) {
  void reply.setCookie(LANGUAGE_COOKIE, language, { maxAge: CHOICE_SECONDS })
}

function textIn(values: unknown, name: string): string | undefined {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name))
    return undefined
  // as: it was looked for in the line above
  const value = (values as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}
