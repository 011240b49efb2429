import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import { newToken } from '../../../kernel/opaque-tokens.ts'
import { TrustCookie } from './trust-cookie.ts'

describe('TrustCookie', () => {
  it('holds the last five tokens, newest first', async () => {
    const app = Fastify()
    await app.register(cookie, { secret: 'a secret of a test, long enough' })
    const trust = new TrustCookie('http://127.0.0.1:1')
    app.post<{ Querystring: { token: string } }>('/', (request, reply) => {
      trust.add(request, reply, request.query.token)
      return reply.send([])
    })
    app.get('/', (request) => trust.read(request))

    const tokens = Array.from({ length: 6 }, newToken)
    let sent: Record<string, string> = {}
    for (const token of tokens) {
      const { cookies } = await app.inject({
        method: 'POST',
        url: '/',
        query: { token },
        cookies: sent,
      })
      sent = Object.fromEntries(cookies.map(({ name, value }) => [name, value]))
    }
    const { body } = await app.inject({ url: '/', cookies: sent })
    assert.deepEqual(JSON.parse(body), tokens.slice(1).toReversed())
    const altered = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name, `${newToken()}.${value}`]),
    )
    const forged = await app.inject({ url: '/', cookies: altered })
    assert.deepEqual(JSON.parse(forged.body), [])
    await app.close()
  })
})
