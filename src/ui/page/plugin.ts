import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import csrfProtection from '@fastify/csrf-protection'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUtf8 } from 'node:buffer'
import { parse } from 'node:querystring'
import type { Logger } from 'pino'
import { isEncodedUtf8 } from '../../http/wire/requests/query-encoding.ts'
import { pageErrorHandler } from './error-handler.ts'
import { cookieName } from '../forms/cookie-name.ts'
import { PageError } from './errors.ts'
import { fieldOf } from '../forms/form-field.ts'
import { compressPages } from './compress-pages.ts'
import type { PageViewer } from './site.ts'
import { redirectPreferenceLink } from '../forms/preference-links.ts'
import { FORM_OWNER, pageContextOf, type PageContext } from './page-context.ts'

export type PagesOptions = {
  /** Keys that sign cookies: the first signs new ones, all are accepted. */
  cookieKeys: string[]
  /** Origin of the pages, as browsers write it in `Origin`. */
  origin: string
  /** Whether the origin is https, so that cookies require https. */
  secure: boolean
  log: Logger
}

/** Maximum bytes of a form. Fits the longest texts, percent-encoded at nine bytes per character. */
const MAX_FORM_BYTES = 192 * 1024

/** A symbol property, because it costs the garbage collector less than a `WeakMap`. */
const CONTEXT = Symbol('page context')
/** The page context is created from the reply on first use. Cached pages never create it. */
const REPLY = Symbol('reply of a page')

declare module 'fastify' {
  interface FastifyRequest {
    [CONTEXT]?: PageContext
    [REPLY]?: FastifyReply
    /** Set only on routes within `pages`. */
    page: PageContext
  }
}

/**
 * Serves every route in this scope as a page: forms are parsed, errors are rendered as pages, and unsafe methods
 * require a form that this service rendered. Call it in a separate scope, before registering routes.
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

  // Accept forms only: other origins can send JSON and plain text without a preflight request.
  app.removeAllContentTypeParsers()
  await app.register(cookie, { secret: cookieKeys, parseOptions: cookieOptions })
  readForms(app)
  await app.register(csrfProtection, {
    // The prefix keeps sibling subdomains from setting the cookie; browsers accept it over https only.
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
    // A hook of the whole service may have failed before this scope's hooks ran.
    request[REPLY] ??= reply
    return handleError(error, request, reply)
  })
  const handleError = pageErrorHandler(log, origin)

  app.addHook('onRequest', (request, reply, done) => {
    request[REPLY] = reply
    if (!redirectPreferenceLink(request, reply, secure)) done()
  })
  app.addHook('onRequest', (request, _reply, done) => {
    // Most guests send no cookie, so they need no lookup.
    if (!app.site || request.headers.cookie === undefined) return done()
    const settle = (viewer: PageViewer | undefined) => {
      request.page.viewer = viewer
      done()
    }
    app.site.resolveViewer(request).then(settle, done)
  })
  compressPages(app)
  app.addHook('preValidation', (request, reply, done) => {
    if (containsNul(request)) return done(unreadable(request))
    if (request.method === 'GET' || request.method === 'HEAD') return done()
    if (!isFromOrigin(origin, request))
      return done(
        new PageError(403, undefined, request.page.messages.error.forgedForm({ address: origin })),
      )
    const owner = fieldOf(request, FORM_OWNER)
    const { viewer, messages } = request.page
    const belongsToAnother = owner !== '' && viewer && owner !== String(viewer.accountId)
    if (belongsToAnother && !request.routeOptions.config.checksFormOwner)
      return done(new PageError(409, undefined, messages.forms.otherAccount))
    app.csrfProtection(request, reply, done)
  })
}

/** Reads the token from the form only. The library would also accept a header. */
function csrfTokenIn({ body }: FastifyRequest): string | undefined {
  if (typeof body !== 'object' || body === null || !('_csrf' in body)) return undefined
  return typeof body._csrf === 'string' ? body._csrf : undefined
}

/** Whether the request comes from these pages, if the browser sends its origin. */
function isFromOrigin(origin: string, { headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return headers.origin === undefined || headers.origin === origin
}

const unreadable = ({ page }: FastifyRequest) =>
  new PageError(422, undefined, page.messages.error.unreadable)

/** Parses forms and rejects those that are not in UTF-8, because a decoder would replace the invalid bytes with U+FFFD. */
function readForms(app: FastifyInstance) {
  app.addContentTypeParser<Buffer>(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES },
    (request, body, done) => {
      const text = body.toString()
      if (isUtf8(body) && isEncodedUtf8(text)) done(null, parse(text, '&', '=', { maxKeys: 0 }))
      else done(unreadable(request))
    },
  )
}

/** PostgreSQL rejects text that contains NUL. */
function containsNul({ url, body }: FastifyRequest): boolean {
  if (url.includes('%00')) return true
  if (typeof body !== 'object' || body === null) return false
  return Object.entries(body)
    .flat(2)
    .some((text) => typeof text === 'string' && text.includes('\0'))
}
