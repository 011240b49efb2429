import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationRequest,
  CALLBACK,
  createUser,
  obtainTokens,
  sendTokenRequest,
  basicAuthorization,
  redeem,
} from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { toTestApp, createDeveloper, type Developer } from '#test/developer.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { addRefusedRequests, listRefusedRequests } from './usage/refused-request-queries.ts'
import { RefusedRequestBuffer, type RefusedRequest } from './usage/refused-request-buffer.ts'
import type { EndpointUsage } from './schemas.ts'

const SIGNS_IN = { redirect_uris: [CALLBACK], scopes: ['catalog:read', 'status:write'] }
const ROW: RefusedRequest = {
  at: new Date(Date.UTC(2026, 10, 1)),
  request_id: 'r',
  endpoint: 'POST /oidc/token',
  status: 401,
  code: 'invalid_client',
  reason: 'x',
  coded_reason: null,
  sent: {},
  address: null,
}
const SECRET = `mks_${'S'.repeat(43)}`

/** Requests of one test, counted by endpoint and class of status. */
const COUNTS = {
  'GET /api/v3/open/galgames/{id} 2xx': 3,
  'GET /api/v3/open/galgames/{id} 4xx': 1,
  'PUT /v3/user/me/rates/galgames/{id} 2xx': undefined,
  'PUT /v3/user/me/rates/galgames/{id} 4xx': 1,
  'POST /oidc/token 2xx': 1,
}

describeOnDatabase('an app’s rejected requests', (engine) => {
  let service: TestService
  let developer: Developer
  before(async () => {
    service = await startService({
      engine,
      content: 'sample',
      environment: { CATALOG_REQUESTS_PER_MINUTE: '3' },
    })
    developer = await createDeveloper(service)
  })
  after(() => service.close())

  const list = async (clientId: string) => {
    const { data, text } = await developer.send<RefusedRequest[]>(
      'GET',
      `/${clientId}/refused-requests`,
    )
    return { refused: data, text }
  }
  /** Waits until there are this many rejected requests, and returns them. */
  async function refusedOf({ clientId }: TestApp, count: number) {
    let found = await list(clientId)
    await eventually(async () => {
      found = await list(clientId)
      return found.refused.length >= count
    }, `${count} refused requests`)
    assert.equal(found.refused.length, count, found.text)
    return found
  }
  const create = async (body: object = SIGNS_IN) => toTestApp(await developer.create(body))
  const credentials = { grant_type: 'client_credentials', scope: 'catalog:read' }

  it('name the rule that failed at the token endpoint, although the response does not', async () => {
    const app = await create()
    await sendTokenRequest(service, { ...app, secret: SECRET }, credentials)
    await fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...credentials,
        client_id: app.clientId,
        client_secret: app.secret,
      }),
    })
    await sendTokenRequest(service, app, { ...credentials, scope: 'catalog:full' })
    const { verifier } = authorizationRequest(app, {})
    await redeem(service, app, 'no-code-at-all-but-as-long-as-one-0123456789', verifier)
    const { refused, text } = await refusedOf(app, 4)
    assert.deepEqual(
      refused.map(({ endpoint, status, code }) => `${endpoint} ${status} ${code}`),
      [
        'POST /oidc/token 400 invalid_grant',
        'POST /oidc/token 400 invalid_scope',
        'POST /oidc/token 401 invalid_client',
        'POST /oidc/token 401 invalid_client',
      ],
    )
    const [grant, scope, method, secret] = refused
    assert.match(grant?.reason ?? '', /authorization code not found/)
    assert.match(scope?.reason ?? '', /scope/)
    assert.equal(
      method?.reason,
      'The app is registered for client_secret_basic but authenticated with client_secret_post.',
    )
    assert.equal(secret?.reason, 'client authentication failed · invalid secret provided')
    const stored = await listRefusedRequests(service.db, app.clientId)
    assert.deepEqual(
      stored.map(({ coded_reason }) => coded_reason),
      [
        null,
        [{ code: 'scope.not_held', params: { scope: 'catalog:full' } }],
        [
          {
            code: 'client.other_method',
            params: { registered: 'client_secret_basic', used: 'client_secret_post' },
          },
        ],
        null,
      ],
    )
    assert.ok(!text.includes('coded_reason'), text)
    assert.equal(grant?.sent['code'], '… (44)')
    assert.equal(grant?.sent['redirect_uri'], CALLBACK)
    assert.match(grant?.address ?? '', /^127\.0\.0\.0\/24$/)
    for (const hidden of [SECRET, app.secret, verifier, 'no-code-at-all'])
      assert.ok(!text.includes(hidden), hidden)
  })

  it('do not claim that an app is disabled when it merely sends its secret twice in one request', async () => {
    const app = await create()
    await fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: basicAuthorization(app),
      body: new URLSearchParams({ ...credentials, client_secret: app.secret }),
    })
    const [twice] = (await refusedOf(app, 1)).refused
    assert.match(twice?.reason ?? '', /only be provided using one mechanism/)
  })

  it('name what is wrong with an authorization request, or that the app is disabled', async () => {
    const app = await create()
    const browser = new PlainBrowser(service.url)
    const request = (changes: Record<string, string>) =>
      browser.get(authorizationRequest(app, changes).path)
    await request({ redirect_uri: `${CALLBACK}/` })
    await request({ code_challenge_method: 'plain' })
    await request({ scope: 'collection:write' })
    const { refused } = await refusedOf(app, 3)
    assert.deepEqual(
      refused.map(({ endpoint }) => endpoint),
      Array(3).fill('GET /oidc/auth'),
    )
    const [scope, pkce, redirect] = refused
    assert.equal(scope?.code, 'invalid_scope')
    assert.match(pkce?.reason ?? '', /code_challenge_method/)
    assert.deepEqual(
      [redirect?.code, redirect?.sent['redirect_uri']],
      ['invalid_redirect_uri', `${CALLBACK}/`],
    )
    await developer.send('PATCH', `/${app.clientId}`, { enabled: false })
    await sendTokenRequest(service, app, credentials)
    const [disabled] = (await refusedOf(app, 4)).refused
    assert.equal(disabled?.reason, 'The app is disabled.')
  })

  it('include API requests rejected for scopes, rate limits, invalid fields or revoked tokens', async () => {
    const app = await create()
    const user = await createUser(service)
    const { access_token: token } = await obtainTokens(service, {
      app,
      user,
      scope: 'catalog:read status:write',
    })
    const rate = (body: object) =>
      fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await rate({ rate: 11, rate_content: 'What only the reader may know.', status: 'READING' })
    await service.get('/v3/user/me/collections', token)
    for (let round = 0; round < 4; round += 1) await service.get('/api/v3/open/galgames/1', token)
    await service.db.deleteFrom('grants').where('client_id', '=', app.clientId).execute()
    await eventually(
      async () => (await service.get('/api/v3/open/people/1', token)).status === 401,
      'the token is refused',
    )
    await eventually(
      async () => (await list(app.clientId)).refused[0]?.status === 401,
      'it is noted',
    )
    const { refused: noted, text } = await list(app.clientId)
    const of = (status: number) => noted.find((each) => each.status === status)
    assert.deepEqual(of(422)?.sent, { id: '1', rate: '11', status: 'READING' })
    assert.match(of(422)?.reason ?? '', /rate must be/)
    const stored = await listRefusedRequests(service.db, app.clientId)
    assert.deepEqual(
      stored
        .find(({ status }) => status === 422)
        ?.coded_reason?.map(({ field, code }) => [field, code]),
      [
        [undefined, 'fields.several'],
        ['rate', 'score'],
        ['status', 'schema.enum'],
      ],
    )
    assert.match(of(403)?.reason ?? '', /lacks the scope collection:read/)
    assert.equal(of(403)?.endpoint, 'GET /v3/user/me/collections')
    assert.ok(
      noted.some(({ status, endpoint }) => status === 429 && endpoint.endsWith('/galgames/{id}')),
    )
    assert.match(of(401)?.reason ?? '', /was revoked/)
    assert.ok(!text.includes('only the reader'))
    assert.ok(!text.includes(token))
    // Requests are counted in memory, and written later than refusals.
    await eventually(async () => {
      const { data } = await developer.send<{ days: EndpointUsage[] }>(
        'GET',
        `/${app.clientId}/usage/endpoints`,
      )
      const counts = Object.fromEntries(
        data.days.map(({ endpoint, status, requests }) => [`${endpoint} ${status}`, requests]),
      )
      return Object.entries(COUNTS).every(([name, count]) => counts[name] === count)
    }, 'the requests are counted')
  })

  it('are shown without control characters, secrets in unexpected fields, or huge values', async () => {
    const app = await create()
    const before = await refusedOf(app, 0)
    assert.equal(before.refused.length, 0)
    const poison = {
      grant_type: `client_credentials\r\n\u001b[2J\u202e${SECRET}`,
      scope: `catalog:read?token=short-one ${'x'.repeat(20_000)}`,
      redirect_uri: 'https://somebody:password@example.org/?access_token=abcdef&code=12',
      [SECRET]: 'a secret as a name',
      eyJhbGciOiJIUzI1NiJ9: 'e',
      refresh_token: 'short',
    }
    await sendTokenRequest(service, app, poison)
    const { refused, text } = await refusedOf(app, 1)
    const [{ sent } = { sent: {} }] = refused
    assert.deepEqual(Object.keys(sent).toSorted(), [
      'grant_type',
      'redirect_uri',
      'refresh_token',
      'scope',
    ])
    for (const hidden of [
      'SSSS',
      'short',
      'somebody',
      'password@',
      'abcdef',
      'eyJ',
      '\\u001b',
      '\\r',
      '\u202e',
    ])
      assert.ok(!text.includes(hidden), `${hidden}: ${JSON.stringify(sent)}`)
    assert.ok(text.length < 3_000)
  })

  it('cost next to nothing once the limit is reached, because no description is built for them', () => {
    const refused = new RefusedRequestBuffer()
    let described = 0
    const note = (clientId: string) =>
      refused.add(clientId, () => {
        described += 1
        return ROW
      })
    for (let round = 0; round < 100_000; round += 1) note('mk_hammered')
    assert.equal(described, 20)
    for (let app = 0; app < 1_000; app += 1) note(`mk_${app}`)
    assert.equal(described, 500)
    assert.equal(refused.drain().length, 500)
    note('mk_hammered')
    assert.equal(refused.drain().length, 1)
  })

  it('include only the last hundred, with at most half of them from one network and none from unknown apps', async () => {
    const app = await create({ scopes: ['catalog:read'] })
    const rows = Array.from({ length: 130 }, (_, index) => ({
      client_id: app.clientId,
      refused: {
        ...ROW,
        at: new Date(Date.UTC(2026, 10, 1, 0, 0, index)),
        request_id: `r${index}`,
        endpoint: `GET /${index}`,
        address: index % 3 === 0 ? '203.0.113.0/24' : '198.51.100.0/24',
      },
    }))
    await addRefusedRequests(service.db, [
      ...rows,
      ...rows.slice(0, 1).map((row) => ({ ...row, client_id: 'mk_0000000000000000' })),
    ])
    const { refused } = await list(app.clientId)
    const count = (network: string) => refused.filter(({ address }) => address === network).length
    assert.deepEqual([count('198.51.100.0/24'), count('203.0.113.0/24')], [50, 34])
    assert.equal(refused[0]?.request_id, 'r129')
  })

  it('are not all displaced by a client that keeps hitting a limit', async () => {
    const app = await create({ scopes: ['catalog:read'] })
    const row = (index: number, code: string) => ({
      client_id: app.clientId,
      refused: {
        ...ROW,
        code,
        at: new Date(Date.UTC(2026, 10, 1, 0, 0, index)),
        request_id: `r${index}`,
      },
    })
    await addRefusedRequests(service.db, [row(0, 'invalid_scope')])
    for (let write = 0; write < 6; write += 1)
      await addRefusedRequests(
        service.db,
        Array.from({ length: 20 }, (_, index) =>
          row(1 + write * 20 + index, 'COMMON_RATE_LIMITED'),
        ),
      )
    const { refused } = await list(app.clientId)
    assert.deepEqual(
      [refused.length, refused[0]?.request_id, refused.at(-1)?.code],
      [11, 'r120', 'invalid_scope'],
    )
  })
})
