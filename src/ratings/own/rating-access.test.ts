import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createClient, obtainTokens } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { distinctResponses, sendApiRequest, type SignedInUser, signIn } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'

describeOnDatabase('access to ratings', (engine) => {
  let service: TestService
  let me: SignedInUser
  let novel: number
  let path: string
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    novel = first((await sampleWorks(service.db)).light_novel)
    path = `/v3/user/me/rates/light-novels/${novel}`
  })
  after(() => service.close())

  const operations = (): [
    method: string,
    path: string,
    needs: string,
    body?: object | undefined,
  ][] => {
    const ofWorks = ['light-novels', 'galgames', 'mangas'].flatMap(
      (kind): [string, string, string, object?][] => {
        const ratingPath = `/v3/user/me/rates/${kind}/${novel}`
        const progressPath = `/v3/user/me/progress/${kind}/${novel}`
        return [
          ['PUT', ratingPath, 'status:write', {}],
          ['GET', ratingPath, 'status:read'],
          ['DELETE', ratingPath, 'status:write'],
          ['GET', `${ratingPath}/history`, 'status:read'],
          ['GET', progressPath, 'status:read'],
          ['PUT', progressPath, 'status:write', {}],
          ['PATCH', progressPath, 'status:write', {}],
          ['DELETE', progressPath, 'status:write'],
        ]
      },
    )
    const all: [string, string, string, object?][] = [
      ...ofWorks,
      ['GET', '/v3/user/me/rates', 'status:read'],
      ['GET', '/v3/user/me/labels', 'status:read'],
      ['GET', '/v3/user/me/rates/history', 'status:read'],
    ]
    return all.flatMap(([method, target, needs, body]) => [
      [method, target, needs, body],
      [method, target.replace('/v3/', '/api/v3/open/'), needs, body],
    ])
  }
  const refusals = (token?: string) =>
    distinctResponses(operations(), ([method, target, , body]) =>
      sendApiRequest(service.url, { method, path: target, token, body }),
    )

  it('is denied with 401 without a valid user-level token', async () => {
    assert.equal(await refusals(), '401 AUTH_UNAUTHENTICATED')
    assert.equal(await refusals('no.good.token'), '401 AUTH_TOKEN_INVALID')
    assert.equal(await refusals(await service.token('catalog:full')), '401 AUTH_UNAUTHENTICATED')
    const opaque = await signIn(service, { scope: 'openid profile' })
    assert.equal(await refusals(opaque.token), '401 AUTH_TOKEN_INVALID')
  })

  it('requires status:read to read and status:write to write; a 403 names the missing scope', async () => {
    const other = await signIn(service, { scope: 'collection:write user:read' })
    const reading = await signIn(service, { scope: 'status:read' })
    for (const [method, target, needs, body] of operations()) {
      const refused = await other.send(method, target, body)
      assert.deepEqual(
        [refused.status, refused.code],
        [403, 'AUTH_FORBIDDEN'],
        `${method} ${target}`,
      )
      assert.equal(refused.body.error.details.required_scope, needs)
      const { status } = await reading.send(method, target, body)
      if (needs === 'status:write') assert.equal(status, 403, `${method} ${target}`)
      else assert.ok(status === 200 || status === 404, `${method} ${target}: ${status}`)
    }
    // status:write includes status:read.
    await me.send('PUT', path, { rate: 5 })
    for (const target of [path, '/v3/user/me/rates', '/v3/user/me/rates/history'])
      assert.equal((await me.send('GET', target)).status, 200, target)
  })

  it('is limited to the token’s account, even if the request names another account', async () => {
    const other = await signIn(service)
    const mine = (await me.send('PUT', path, { rate: 9 })).body
    const targetUser = me.user.id
    const named = `?account_id=${targetUser}&user_id=${targetUser}&sub=${targetUser}&user=${targetUser}`
    const headers = {
      'x-user-id': String(targetUser),
      'x-account-id': String(targetUser),
      'x-sub': String(targetUser),
      cookie: `account_id=${targetUser}`,
    }
    const send = (method: string, target: string, body?: object) =>
      sendApiRequest(service.url, {
        token: other.token,
        method,
        path: `${target}${named}`,
        headers,
        ...(body && { body }),
      })
    const otherRating = (await send('PUT', path, { rate: 2 })).body
    assert.notEqual(otherRating.id, mine.id)
    assert.equal((await send('GET', path)).data.rate, 2)
    assert.deepEqual(
      (await send('GET', '/v3/user/me/rates')).data.items.map(({ rate }: { rate: number }) => rate),
      [2],
    )
    assert.equal((await send('GET', '/v3/user/me/rates/history')).data.items.length, 1)
    assert.equal((await send('DELETE', path)).status, 204)
    assert.deepEqual((await me.send('GET', path)).data, mine)
  })

  it('is allowed for web pages from any origin that send a token', async () => {
    const preflight = await fetch(service.url + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.org', 'access-control-request-method': 'PUT' },
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PUT/)
    const { headers } = await me.send('GET', path)
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  it('is denied with 403 to a banned user within a second', async () => {
    const banned = await signIn(service)
    await banned.send('PUT', path, { rate: 5 })
    await banAccount(service.db, banned.user.id, 'spam')
    await eventually(async () => (await refusals(banned.token)) === '403 USER_BANNED')
  })

  it('ends when the account is deleted, and its ratings are deleted too', async () => {
    const leaving = await signIn(service)
    await leaving.send('PUT', path, { rate: 5 })
    await leaving.send('PUT', path, { rate: 6 })
    await assert.rejects(
      service.db.deleteFrom('accounts').where('id', '=', leaving.user.id).execute(),
    )
    await deleteAccount(service.db, leaving.user.id)
    for (const table of ['ratings', 'rating_changes'] as const) {
      const { rows } = await sql`
        select from ${sql.table(table)} where account_id = ${leaving.user.id}`.execute(service.db)
      assert.equal(rows.length, 0, table)
    }
  })
})

describeOnDatabase('the limit of sixty requests per minute', (engine) => {
  it('applies to each app and user separately, and to both path families together', async () => {
    // An empty value selects the default limit.
    const service = await startService({ engine, environment: { USER_REQUESTS_PER_MINUTE: '' } })
    try {
      const app = await createClient(service)
      const one = await signIn(service, { app })
      const path = '/v3/user/me/rates'
      const paths = [path, '/v3/user/me/collections', '/api/v3/open/user/me/rates']
      const statuses: number[] = []
      for (let index = 0; index < 61; index += 1) {
        const { status, headers } = await one.send('GET', paths[index % paths.length] ?? path)
        statuses.push(status)
        if (index < 60) {
          assert.equal(headers.get('x-ratelimit-limit'), '60')
          assert.equal(headers.get('x-ratelimit-remaining'), String(59 - index))
        }
      }
      assert.deepEqual(
        [statuses.indexOf(429), new Set(statuses.slice(0, 60))],
        [60, new Set([200])],
      )
      const refused = await one.send('PUT', `${path}/mangas/1`, {})
      assert.deepEqual([refused.status, refused.code], [429, 'COMMON_RATE_LIMITED'])
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      // Neither another user of the same app nor the same user of another app is limited.
      const other = await signIn(service, { app })
      assert.equal((await other.send('GET', path)).status, 200)
      const { access_token } = await obtainTokens(service, {
        app: await createClient(service),
        user: one.user,
        scope: 'status:read',
      })
      assert.equal((await sendApiRequest(service.url, { token: access_token, path })).status, 200)
    } finally {
      await service.close()
    }
  })
})
