import assert from 'node:assert/strict'
import { afterEach, describe, it, mock } from 'node:test'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { newToken } from '../../accounts/opaque-tokens.ts'
import type { Account } from '../../accounts/queries.ts'
import { AskingBrowser } from './asking-browser.ts'
import { PendingSignIn } from './sign-in/pending-sign-in.ts'
import { TrustCookie } from './sign-in/trust-cookie.ts'
import { KeepAccount } from './sign-up/keep-account.ts'

// as: what the cookies say of an account
const ACCOUNT = { id: 1, updated_at: new Date(1) } as Account
const pending = new PendingSignIn({ secure: false })
const keep = new KeepAccount({ secure: false })
const asking = new AskingBrowser('http://127.0.0.1')
const trust = new TrustCookie('http://127.0.0.1')
let hash = ''

const COOKIES: [
  what: string,
  seconds: number,
  set: (reply: FastifyReply, request: FastifyRequest) => unknown,
  isThere: (request: FastifyRequest) => boolean,
][] = [
  [
    'that a second factor is awaited',
    600,
    (reply) => pending.begin(reply, ACCOUNT),
    (request) => pending.read(request) !== undefined,
  ],
  [
    'that a deletion can be cancelled',
    600,
    (reply) => keep.begin(reply, ACCOUNT, ['pwd']),
    (request) => keep.read(request) !== undefined,
  ],
  [
    'which browser asked for a mail',
    86_400,
    (reply, request) => (hash = asking.remember(request, reply)),
    (request) => asking.is(request, hash),
  ],
  [
    'that an account trusts a browser',
    30 * 86_400,
    (reply, request) => trust.add(request, reply, newToken()),
    (request) => trust.read(request).length === 1,
  ],
]

describe('a signed cookie', () => {
  afterEach(() => mock.timers.reset())

  for (const [what, seconds, set, isThere] of COOKIES)
    it(`says ${what} for ${seconds} seconds, whatever the browser keeps`, async () => {
      const app = Fastify()
      await app.register(cookie, { secret: 'a secret of a test, long enough' })
      app.post('/', (request, reply) => {
        set(reply, request)
        return reply.send()
      })
      app.get('/', (request) => ({ isThere: isThere(request) }))
      const { cookies } = await app.inject({ method: 'POST', url: '/' })
      assert.equal(cookies[0]?.maxAge, seconds)
      const sent = Object.fromEntries(cookies.map(({ name, value }) => [name, value]))
      const read = async () => (await app.inject({ url: '/', cookies: sent })).json<object>()
      mock.timers.enable({ apis: ['Date'], now: Date.now() + (seconds - 5) * 1_000 })
      assert.deepEqual(await read(), { isThere: true })
      mock.timers.setTime(Date.now() + 6_000)
      assert.deepEqual(await read(), { isThere: false })
      await app.close()
    })
})
