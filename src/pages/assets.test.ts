import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { guardRoutes } from '../http/admission/access.ts'
import { assets } from './assets.ts'

describe('the files the pages load', () => {
  let app: FastifyInstance
  before(async () => {
    app = Fastify()
    guardRoutes(
      app,
      {
        anonymous: () => {},
        developer: () => {},
        user: () => {},
        catalog: (_request, _reply, done) => done(),
      },
      '/docs',
    )
    await app.register(assets)
  })
  after(() => app.close())

  const FILES: [name: string, type: RegExp, holds: RegExp][] = [
    ['favicon.svg', /^image\/svg\+xml/, /<svg /],
    ['style.css', /^text\/css/, /prefers-color-scheme: dark/],
    ['submit.js', /^text\/javascript/, /data-submit/],
    ['passkey.js', /^text\/javascript/, /passkey/],
    ['simplewebauthn-browser.js', /^text\/javascript/, /SimpleWebAuthnBrowser/],
  ]

  it('are served with their types, for an hour', async () => {
    for (const [name, type, holds] of FILES) {
      const { statusCode, headers, body } = await app.inject(`/assets/${name}`)
      assert.equal(statusCode, 200, name)
      assert.match(String(headers['content-type']), type)
      assert.equal(headers['cache-control'], 'public, max-age=3600')
      assert.match(body, holds)
    }
  })

  it('are not sent again to who has them', async () => {
    const { headers } = await app.inject('/assets/style.css')
    const etag = String(headers.etag)
    assert.match(etag, /^"[^"]+"$/)
    const again = await app.inject({ url: '/assets/style.css', headers: { 'if-none-match': etag } })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
    const other = await app.inject({ url: '/assets/submit.js', headers: { 'if-none-match': etag } })
    assert.equal(other.statusCode, 200)
  })
})
