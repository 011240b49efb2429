import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import type { PlainBrowser } from '#test/browser.ts'
import { startService, type TestService } from '#test/service.ts'
import { addEndpointUsage } from '../apps/usage/endpoint-usage-queries.ts'
import type { RefusedRequest } from '../apps/usage/refused-request-buffer.ts'
import { addRefusedRequests } from '../apps/usage/refused-request-queries.ts'
import { axisEnd } from './usage-chart.ts'

const ROLES = ['ART', 'COOK', 'DESIGN', 'EDIT', 'MUSIC', 'SCENARIO', 'VOICE']
const STAFF = 'GET /api/v3/open/galgames/:id/staff'

describe('the usage page of an app', () => {
  let service: TestService
  let browser: PlainBrowser
  let path: string
  before(async () => {
    service = await startService()
    const developer = await createUser(service)
    browser = await signedInBrowser(service, developer)
    const { clientId } = await service.createApp({ accountId: developer.id, clientName: 'An app' })
    path = `/console/apps/${clientId}/usage`
    const refused = (request: Partial<RefusedRequest>, hoursAgo: number): RefusedRequest => ({
      at: new Date(Date.now() - hoursAgo * 3_600_000),
      request_id: 'a',
      endpoint: STAFF,
      status: 422,
      code: 'COMMON_VALIDATION_FAILED',
      reason: 'role must be one of …',
      coded_reason: [{ code: 'schema.enum', params: { values: ROLES.join(', ') }, field: 'role' }],
      sent: {},
      address: null,
      ...request,
    })
    const unauthenticated = { status: 401, code: 'AUTH_UNAUTHENTICATED', coded_reason: null }
    await addRefusedRequests(
      service.db,
      [
        ...Array.from({ length: 9 }, () => refused({}, 30)),
        refused({}, 5),
        refused({ ...unauthenticated, endpoint: 'GET /v3/user/me' }, 0.1),
      ].map((request) => ({ client_id: clientId, refused: request })),
    )
    const count = { client_id: clientId, endpoint: STAFF }
    await addEndpointUsage(service.db, [
      { ...count, status_class: 2, requests: 1_234 },
      { ...count, status_class: 4, requests: 10 },
    ])
  })
  after(() => service.close())

  const groupsAt = async (query: string) => {
    const { text } = await browser.get(path + query)
    return [...text.matchAll(/<li class="card">.*?<\/li>/gs)].map(([group]) => group)
  }

  it('groups refused requests by route and code, and says what to do', async () => {
    const [first = '', second = '', ...rest] = await groupsAt('')
    assert.deepEqual(rest, [])
    assert.match(first, /GET \/v3\/user\/me.*What to do:<\/strong> Send the token/s)
    assert.doesNotMatch(first, /×/)
    assert.match(second, /× 10<.*What to do:<\/strong> Correct the named field/s)
  })

  it('folds a long list of allowed values', async () => {
    const [, group = ''] = await groupsAt('')
    assert.match(group, /ART, COOK, DESIGN, EDIT, MUSIC, …/)
    assert.match(group, /<summary>All 7 values<\/summary>.*<code>VOICE<\/code>/s)
  })

  it('filters refused requests by status and time, and ignores unknown filters', async () => {
    assert.equal((await groupsAt('?status=401')).length, 1)
    assert.match((await groupsAt('?status=422&hours=24')).join(''), /GET \/api/)
    assert.doesNotMatch((await groupsAt('?status=422&hours=24')).join(''), /×/)
    assert.deepEqual(await groupsAt('?status=422&hours=1'), [])
    for (const query of ['?status=999', '?status=x&hours=-1', '?hours=2'])
      assert.equal((await groupsAt(query)).length, 2, query)
  })

  it('shows one column per day and the same numbers as a table', async () => {
    const { text } = await browser.get(path)
    const [chart = ''] = /<figure class="chart".*?<\/figure>/s.exec(text) ?? []
    assert.equal([...chart.matchAll(/<svg/g)].length, 7)
    assert.match(chart, /<span>2,000<\/span><span>1,000<\/span><span>0<\/span>/)
    assert.match(text, /<td data-label="Successful">1,234<\/td><td data-label="Refused">10<\/td>/)
  })

  it('ends the axis at an even, round number', () => {
    const ends = [0, 1, 2, 3, 5, 11, 40, 41, 999, 1_244].map(axisEnd)
    assert.deepEqual(ends, [2, 2, 2, 4, 10, 20, 40, 100, 1_000, 2_000])
  })
})
