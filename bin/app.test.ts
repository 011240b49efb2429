import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listEvents } from '../src/audit/events.ts'
import { catalogStatus, createUser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { operatorOf } from '#test/operator.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'

describe('mokuroku app with a running service', () => {
  let service: TestService
  before(async () => (service = await startService()))
  after(() => service.close())

  const operator = operatorOf(() => service.config)
  const run = (...args: string[]) => operator.run(['app', ...args])
  const succeed = (...args: string[]) => operator.succeed(['app', ...args])
  async function tokenOf(app: TestApp) {
    const response = await service.requestToken(app)
    // as: error responses have no token
    const { access_token } = (await response.json()) as { access_token?: string }
    return access_token ?? ''
  }
  const limitOf = async (token: string) =>
    (await service.get('/api/v3/open/people/1', token)).headers.get('x-ratelimit-limit')

  it('disables an app and rejects its tokens, then enables it again', async () => {
    const owner = await createUser(service)
    const app = await service.createApp({ accountId: owner.id })
    const token = await tokenOf(app)
    assert.equal(await catalogStatus(service, token), '200')
    assert.equal(await succeed('disable', app.clientId), `Disabled ${app.clientId}.\n`)
    await eventually(
      async () => (await catalogStatus(service, token)).startsWith('401'),
      'a refusal',
    )
    await eventually(async () => (await service.requestToken(app)).status === 401, 'no token')
    const changed = await service.db
      .selectFrom('apps')
      .select(['enabled', 'blocked_at'])
      .where('client_id', '=', app.clientId)
      .executeTakeFirstOrThrow()
    assert.ok(changed.enabled && changed.blocked_at, 'kept apart from what its developer decides')
    assert.deepEqual(JSON.parse(await succeed('enable', app.clientId, '--json')), {
      client_id: app.clientId,
      enabled: true,
    })
    await eventually(async () => (await service.requestToken(app)).status === 200, 'a token')
    const repeated = await tokenOf(app)
    await eventually(async () => (await catalogStatus(service, repeated)) === '200', 'an answer')

    const events = (await listEvents(service.db, owner.id, { limit: 10 })).filter(
      ({ kind }) => kind === 'app_changed',
    )
    assert.deepEqual(
      events.map(({ client_id, details }) => [client_id, details]),
      [true, false].map((enabled) => [
        app.clientId,
        { client_name: 'Test', changed: ['enabled'], by: 'operator', enabled },
      ]),
    )
  })

  it('sets a rate limit for one app and resets it to the default', async () => {
    const app = await service.createApp()
    const token = await tokenOf(app)
    const usual = await limitOf(token)
    assert.equal(
      await succeed('limit', app.clientId, '2'),
      `${app.clientId} may send 2 requests per minute.\n`,
    )
    await eventually(async () => (await limitOf(token)) === '2', 'the limit')
    await eventually(
      async () => (await catalogStatus(service, token)).startsWith('429'),
      'a refusal',
    )
    assert.deepEqual(JSON.parse(await succeed('limit', app.clientId, 'default', '--json')), {
      client_id: app.clientId,
      requests_per_minute: null,
    })
    await eventually(async () => (await limitOf(token)) === usual, 'the usual limit')
    assert.equal(await catalogStatus(service, token), '200')
  })

  for (const [why, url] of [
    ['a user name and a password', 'https://user:pw@example.org/'],
    ['a space', 'https://example.org/ a'],
    ['a fragment', 'https://example.org/#a'],
    ['more than 2048 characters', `https://example.org/${'a'.repeat(2_048)}`],
  ] as const)
    it(`rejects a home page with ${why}, as the API does`, async () => {
      const { status, output, errors } = await run('create', 'Drift', '--client-uri', url, '--json')
      assert.deepEqual(
        { status, output, errors },
        {
          status: 2,
          output: '',
          errors: '--client-uri must be an https URL without a fragment, user name or password.\n',
        },
      )
    })

  it('reports every invalid setting at once and creates no app', async () => {
    const { status, output, errors } = await run(
      'create',
      'x'.repeat(65),
      '--public',
      '--auth-method',
      'client_secret_post',
      '--client-uri',
      'http://example.org',
      '--redirect-uri',
      'https://a.example/',
      'https://a.example/',
      'http://b.example/',
    )
    assert.deepEqual({ status, output }, { status: 2, output: '' })
    assert.deepEqual(errors.split('\n'), [
      'The name must have 1 to 64 characters, at least one of them visible.',
      '--client-uri must be an https URL without a fragment, user name or password.',
      'https://a.example/ must not be listed twice.',
      'http://b.example/ must use https, or http with localhost, 127.0.0.1 or [::1].',
      '--auth-method requires an app with a secret. Omit it with --public.',
      '',
    ])
    const { found } = await service.db
      .selectFrom('apps')
      .select(({ fn }) => fn.countAll<number>().as('found'))
      .where('client_name', 'like', 'xxx%')
      .executeTakeFirstOrThrow()
    assert.equal(found, 0)
  })

  it('exits with status 1 for a nonexistent app', async () => {
    for (const args of [
      ['disable', 'mk_nobody'],
      ['enable', 'mk_nobody'],
      ['limit', 'mk_nobody', '5', '--json'],
    ]) {
      const { status, output, errors } = await run(...args)
      assert.deepEqual(
        { status, output, errors },
        { status: 1, output: '', errors: 'App mk_nobody does not exist.\n' },
      )
    }
  })
})
