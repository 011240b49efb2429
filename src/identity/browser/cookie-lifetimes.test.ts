import assert from 'node:assert/strict'
import { after, afterEach, before, it, mock } from 'node:test'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { findAccount, type Account } from '../../accounts/queries.ts'
import { newToken } from '../../kernel/opaque-tokens.ts'
import { RequestingBrowser } from './requesting-browser.ts'
import { PendingSignIn } from './sign-in/pending-sign-in.ts'
import { TrustCookie } from './sign-in/trust-cookie.ts'

const pending = new PendingSignIn('second-factor', 'http://127.0.0.1')
const requesting = new RequestingBrowser('http://127.0.0.1')
const trust = new TrustCookie('http://127.0.0.1')

describeOnDatabase('a signed cookie', (engine) => {
  let database: OpenTestDatabase
  let account: Account
  let hash = ''
  before(async () => {
    database = await openTestDatabase(engine, 'empty')
    const owner = { email: 'a@example.org', name: 'A', password: 'a long one' }
    const found = await findAccount(database.db, await addAccount(database.db, owner))
    assert.ok(found)
    account = found
  })
  after(() => database.remove())
  const cookies: [
    what: string,
    seconds: number,
    set: (reply: FastifyReply, request: FastifyRequest) => unknown,
    isThere: (request: FastifyRequest) => boolean | Promise<boolean>,
  ][] = [
    [
      'that a sign-in needs another step',
      600,
      (reply) => pending.begin(reply, account, ['pwd']),
      async (request) => (await pending.find(database.db, request)) !== undefined,
    ],
    [
      'which browser requested an email',
      86_400,
      (reply, request) => (hash = requesting.remember(request, reply)),
      (request) => requesting.matches(request, hash),
    ],
    [
      'that an account trusts a browser',
      30 * 86_400,
      (reply, request) => trust.add(request, reply, newToken()),
      (request) => trust.read(request).length === 1,
    ],
  ]
  afterEach(() => mock.timers.reset())

  for (const [name, seconds, setCookie, isThere] of cookies)
    it(`shows ${name} for ${seconds} seconds, even if the browser stores it longer`, async () => {
      const app = Fastify()
      await app.register(cookie, { secret: 'a secret of a test, long enough' })
      app.post('/', (request, reply) => {
        setCookie(reply, request)
        return reply.send()
      })
      app.get('/', async (request) => ({ isThere: await isThere(request) }))
      const { cookies: set } = await app.inject({ method: 'POST', url: '/' })
      assert.equal(set[0]?.maxAge, seconds)
      const sent = Object.fromEntries(set.map(({ name, value }) => [name, value]))
      const read = async () => (await app.inject({ url: '/', cookies: sent })).json<object>()
      mock.timers.enable({ apis: ['Date'], now: Date.now() + (seconds - 5) * 1_000 })
      assert.deepEqual(await read(), { isThere: true })
      mock.timers.setTime(Date.now() + 6_000)
      assert.deepEqual(await read(), { isThere: false })
      await app.close()
    })
})
