import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import csrfProtection from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { answerErrors } from './answer-errors.ts'
import { cookieName } from '../forms/cookie-name.ts'
import { PageError } from './errors.ts'
import { fieldOf } from '../forms/form-field.ts'
import { compressPages } from './compress-pages.ts'
import type { PageReader } from './site.ts'
import { keepChoices } from '../forms/keep-choices.ts'
import { FORM_OWNER, pageContextOf, type PageContext } from './page-context.ts'

export type PagesOptions = {
  /** They sign cookies: the first new ones, all of them are believed. */
  cookieKeys: string[]
  /** Where our pages are, as browsers write it in `Origin`. */
  origin: string
  /** Whether that is https: then cookies are for https only. */
  secure: boolean
  log: Logger
}

/** Where a request keeps its context: a field costs the collector of garbage less than a `WeakMap`. */
const CONTEXT = Symbol('page context')
/** What the context is made with when it is first asked for, which a page that is kept never does. */
const REPLY = Symbol('reply of a page')

declare module 'fastify' {
  interface FastifyRequest {
    [CONTEXT]?: PageContext
    [REPLY]?: FastifyReply
    /** On routes below `pages` only. */
    page: PageContext
  }
}

/**
 * Makes every route of this scope one of pages: forms are read, errors are pages, and whatever is not GET or HEAD is
 * refused unless it comes from a form of ours. Call it in a scope of its own, before the routes.
 */
export async function pages(
  app: FastifyInstance,
  { cookieKeys, origin, secure, log }: PagesOptions,
) {
  const cookieOptions: CookieSerializeOptions = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
  }

  // Forms alone: JSON and plain text can be sent from elsewhere without a question before.
  app.removeAllContentTypeParsers()
  await app.register(cookie, { secret: cookieKeys, parseOptions: cookieOptions })
  await app.register(formbody, { bodyLimit: 64 * 1024 })
  await app.register(csrfProtection, {
    // With the prefix no neighbouring subdomain can set it; browsers take the prefix from https only.
    cookieKey: cookieName('csrf', secure),
    cookieOpts: { ...cookieOptions, signed: true },
    getToken: csrfTokenIn,
  })

  app.decorateRequest(CONTEXT)
  app.decorateRequest(REPLY)
  app.decorateRequest('page', {
    getter(this: FastifyRequest) {
      const reply = this[REPLY]
      if (!reply) throw new Error(`${this.url} has no page context yet`)
      return (this[CONTEXT] ??= pageContextOf(this, reply, origin))
    },
  })
  app.setErrorHandler((error, request, reply) => {
    // A hook of the whole service may have failed before ours.
    request[REPLY] ??= reply
    return answer(error, request, reply)
  })
  const answer = answerErrors(log, origin)

  app.addHook('onRequest', (request, reply, done) => {
    request[REPLY] = reply
    if (!keepChoices(request, reply, secure)) done()
  })
  app.addHook('onRequest', (request, _reply, done) => {
    // Most guests have no cookie, and wait for nothing.
    if (!app.site || request.headers.cookie === undefined) return done()
    const settle = (reader: PageReader | undefined) => {
      request.page.reader = reader
      done()
    }
    app.site.readerOf(request).then(settle, done)
  })
  compressPages(app)
  app.addHook('preValidation', (request, reply, done) => {
    if (holdsNul(request))
      return done(new PageError(422, undefined, request.page.messages.error.unreadable))
    if (request.method === 'GET' || request.method === 'HEAD') return done()
    if (!comesFrom(origin, request))
      return done(
        new PageError(403, undefined, request.page.messages.error.forgedForm({ address: origin })),
      )
    const owner = fieldOf(request, FORM_OWNER)
    const { reader, messages } = request.page
    const isAnothers = owner !== '' && reader && owner !== String(reader.accountId)
    if (isAnothers && !request.routeOptions.config.checksFormOwner)
      return done(new PageError(409, undefined, messages.forms.otherAccount))
    app.csrfProtection(request, reply, done)
  })
}

/** From the form alone, and not from a header too, as the library would have it. */
function csrfTokenIn({ body }: FastifyRequest): string | undefined {
  if (typeof body !== 'object' || body === null || !('_csrf' in body)) return undefined
  return typeof body._csrf === 'string' ? body._csrf : undefined
}

/** Whether the browser, if it says where the request comes from at all, says from us. */
function comesFrom(origin: string, { headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return headers.origin === undefined || headers.origin === origin
}

/** PostgreSQL takes no text with a NUL. */
function holdsNul({ url, body }: FastifyRequest): boolean {
  if (url.includes('%00')) return true
  if (typeof body !== 'object' || body === null) return false
  return Object.entries(body)
    .flat(2)
    .some((text) => typeof text === 'string' && text.includes('\0'))
}
