import type { FastifyInstance } from 'fastify'
import { PAGE, type PageRouteOptions } from '../site/options.ts'

const TEXT = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'public, max-age=86400',
}

/**
 * Paths that crawlers must skip: private pages, unlimited combinations of parameters, and the API.
 */
const DISALLOWED_PATHS = [
  '/account',
  '/sign-in',
  '/sign-up',
  '/interaction/',
  '/oidc/',
  '/search',
  '/random',
  '/offline',
  '/api/',
  '/v3/',
]

/** One year, the longest lifetime RFC 9116 §2.5.5 recommends. */
const SECURITY_TXT_LIFETIME_MS = 365 * 24 * 3_600_000

/** Serves the paths that programs expect on every site. */
export async function wellKnownRoutes(app: FastifyInstance, { contact }: PageRouteOptions) {
  app.get('/robots.txt', PAGE, (request, reply) => {
    const lines = ['User-agent: *', ...DISALLOWED_PATHS.map((path) => `Disallow: ${path}`), '']
    const text = `${lines.join('\n')}\nSitemap: ${request.page.origin}/sitemap.xml\n`
    return reply.headers({ ...TEXT, 'x-request-id': request.id }).send(text)
  })

  app.get('/.well-known/security.txt', PAGE, (request, reply) => {
    // Rounded to the day, so that caches can reuse the response.
    const day = new Date(Date.now() + SECURITY_TXT_LIFETIME_MS).toISOString().slice(0, 10)
    const text = `Contact: ${contact}
Expires: ${day}T00:00:00.000Z
Preferred-Languages: en, ja, zh
Canonical: ${request.page.origin}/.well-known/security.txt
`
    return reply.headers({ ...TEXT, 'x-request-id': request.id }).send(text)
  })

  // Password managers link here (https://w3c.github.io/webappsec-change-password-url/).
  app.get('/.well-known/change-password', PAGE, (_request, reply) =>
    reply.header('cache-control', 'no-store').redirect('/account/password', 302),
  )

  // For browsers that request an icon before they have parsed a page, or support no other format.
  app.get('/favicon.ico', PAGE, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').redirect('/assets/favicon.ico', 301),
  )
}
