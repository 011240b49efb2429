import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { pages } from '../page/plugin.ts'
import { SignedCookie } from './signed-cookie.ts'

const OWNER = 1
const COOKIES = {
  one: new SignedCookie('one', { lifetimeSeconds: 60 }),
  other: new SignedCookie('other', { lifetimeSeconds: 60 }),
  expired: new SignedCookie('expired', { lifetimeSeconds: 0 }),
}
type Name = keyof typeof COOKIES
type Query = { Querystring: { cookie: Name; account?: string } }

describe('a signed cookie', () => {
  let app: FastifyInstance
  before(async () => {
    app = Fastify()
    await app.register(async (scope) => {
      const cookieKeys = ['key-of-the-tests-0123456789012345']
      await pages(scope, {
        cookieKeys,
        origin: 'https://id.example',
        secure: true,
        log: pino({ enabled: false }),
      })
      scope.get<Query>('/set', ({ query }, reply) => {
        COOKIES[query.cookie].set(reply, 'a value. with dots', OWNER)
        return reply.send()
      })
      scope.get<Query>('/read', (request) => {
        const { cookie, account } = request.query
        return {
          value: COOKIES[cookie].read(request, account === undefined ? undefined : Number(account)),
        }
      })
    })
  })
  after(() => app.close())

  async function valueOf(cookie: Name) {
    const { cookies } = await app.inject(`/set?cookie=${cookie}`)
    return cookies.find(({ name }) => name === cookie)?.value ?? ''
  }
  async function read(cookie: Name, value: string, account?: number) {
    const query = account === undefined ? '' : `&account=${account}`
    const response = await app.inject({
      url: `/read?cookie=${cookie}${query}`,
      cookies: { [cookie]: value },
    })
    return response.json<{ value?: string }>().value
  }

  it('is read only for the account it was set for', async () => {
    const value = await valueOf('one')
    assert.equal(await read('one', value, OWNER), 'a value. with dots')
    assert.equal(await read('one', value, OWNER + 1), undefined)
    assert.equal(await read('one', value), undefined)
  })

  it('is rejected under another cookie’s name', async () => {
    assert.equal(await read('other', await valueOf('one'), OWNER), undefined)
  })

  it('is rejected once it has expired, even if the browser still sends it', async () => {
    assert.equal(await read('expired', await valueOf('expired'), OWNER), undefined)
  })

  it('is rejected without its signature', async () => {
    const value = await valueOf('one')
    assert.equal(await read('one', value.slice(0, value.lastIndexOf('.')), OWNER), undefined)
  })
})
