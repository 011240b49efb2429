import type { FastifyInstance } from 'fastify'
import { PAGE, type WebOptions } from '../site/options.ts'

const TEXT = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'public, max-age=86400',
}

/** What is one reader's, what every combination of a form makes anew, and what programs have another way to. */
const NOT_FOR_ROBOTS = [
  '/account',
  '/sign-in',
  '/sign-up',
  '/interaction/',
  '/oidc/',
  '/search',
  '/api/',
  '/v3/',
]

/** A year: after that whoever reads it is to look again (RFC 9116 §2.5.5). */
const LIFETIME_MS = 365 * 24 * 3_600_000

/** Addresses that programs expect on every site. */
export async function knownAddressRoutes(app: FastifyInstance, { securityContact }: WebOptions) {
  app.get('/robots.txt', PAGE, (request, reply) => {
    const lines = ['User-agent: *', ...NOT_FOR_ROBOTS.map((path) => `Disallow: ${path}`), '']
    const text = `${lines.join('\n')}\nSitemap: ${request.page.origin}/sitemap.xml\n`
    return reply.headers({ ...TEXT, 'x-request-id': request.id }).send(text)
  })

  app.get('/.well-known/security.txt', PAGE, (request, reply) => {
    // By the day, so that what is asked for often stays the same.
    const day = new Date(Date.now() + LIFETIME_MS).toISOString().slice(0, 10)
    const text = `Contact: ${securityContact}
Expires: ${day}T00:00:00.000Z
Preferred-Languages: en, ja, zh
Canonical: ${request.page.origin}/.well-known/security.txt
`
    return reply.headers({ ...TEXT, 'x-request-id': request.id }).send(text)
  })

  // Where password managers send people (https://w3c.github.io/webappsec-change-password-url/).
  app.get('/.well-known/change-password', PAGE, (_request, reply) =>
    reply.header('cache-control', 'no-store').redirect('/account/password', 302),
  )

  // For browsers that ask before they have read a page, and for those who know no other format.
  app.get('/favicon.ico', PAGE, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').redirect('/assets/favicon.ico', 301),
  )
}
