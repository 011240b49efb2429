import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'

/** What the pages load, by the name below `/assets/`. */
const ASSETS: Record<string, () => URL> = {
  'favicon.svg': () => new URL('assets/favicon.svg', import.meta.url),
  'style.css': () => new URL('assets/style.css', import.meta.url),
  'pictures.css': () => new URL('assets/pictures.css', import.meta.url),
  'submit.js': () => new URL('assets/submit.js', import.meta.url),
  'passkey.js': () => new URL('assets/passkey.js', import.meta.url),
  // Makes the global SimpleWebAuthnBrowser. The package exports its modules only; this is one file.
  'simplewebauthn-browser.js': () =>
    new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Serves the icon, the stylesheet and the scripts of the pages from memory. */
export async function assets(app: FastifyInstance) {
  for (const [name, address] of Object.entries(ASSETS)) {
    const bytes = await readFile(address())
    const etag = etagOf(bytes)
    const headers = {
      etag,
      'cache-control': 'public, max-age=3600',
      'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    }
    app.get(`/assets/${name}`, { config: { access: 'public' }, schema: { hide: true } }, (request, reply) => {
      const known = request.headers['if-none-match']
      void reply.headers({ ...headers, 'x-request-id': request.id })
      return known !== undefined && matchesEtag(known, etag) ? reply.status(304).send() : reply.send(bytes)
    })
  }
}
