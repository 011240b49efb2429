import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listEvents } from '../src/audit/events.ts'
import { catalogAnswer, createReader } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { runCommand } from '#test/run-command.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'

describe('beside a running service the command app', () => {
  let database: TestDatabase
  let service: TestService
  before(async () => {
    database = await createDatabase('server', 'sample')
    service = await startService({ database })
  })
  after(async () => {
    await service.close()
    await database.remove()
  })

  const run = (...args: string[]) =>
    runCommand(['app', ...args], {
      environment: { DATABASE_URL: database.databaseUrl, DATA_DIR: database.dataDir },
    })
  async function succeed(...args: string[]) {
    const { status, output, errors } = await run(...args)
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
    return output
  }
  async function tokenOf(app: TestApp) {
    const response = await service.requestToken(app)
    // as: of a refusal there is none
    const { access_token } = (await response.json()) as { access_token?: string }
    return access_token ?? ''
  }
  const limitOf = async (token: string) =>
    (await service.get('/api/v3/open/people/1', token)).headers.get('x-ratelimit-limit')

  it('disables an app, whose tokens are refused then, and enables it again', async () => {
    const owner = await createReader(service)
    const app = await service.createApp({ accountId: owner.id })
    const token = await tokenOf(app)
    assert.equal(await catalogAnswer(service, token), '200')
    assert.equal(await succeed('disable', app.clientId), `Disabled ${app.clientId}.\n`)
    await eventually(
      async () => (await catalogAnswer(service, token)).startsWith('401'),
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
    const again = await tokenOf(app)
    await eventually(async () => (await catalogAnswer(service, again)) === '200', 'an answer')

    const told = (await listEvents(service.db, owner.id, { limit: 10 })).filter(
      ({ kind }) => kind === 'app_changed',
    )
    assert.deepEqual(
      told.map(({ client_id, details }) => [client_id, details]),
      [true, false].map((enabled) => [
        app.clientId,
        { client_name: 'Test', changed: ['enabled'], by: 'operator', enabled },
      ]),
    )
  })

  it('gives an app a limit of its own, and takes it back', async () => {
    const app = await service.createApp()
    const token = await tokenOf(app)
    const usual = await limitOf(token)
    assert.equal(
      await succeed('limit', app.clientId, '2'),
      `${app.clientId} may make 2 requests in a minute.\n`,
    )
    await eventually(async () => (await limitOf(token)) === '2', 'the limit')
    await eventually(
      async () => (await catalogAnswer(service, token)).startsWith('429'),
      'a refusal',
    )
    assert.deepEqual(JSON.parse(await succeed('limit', app.clientId, 'default', '--json')), {
      client_id: app.clientId,
      requests_per_minute: null,
    })
    await eventually(async () => (await limitOf(token)) === usual, 'the usual limit')
    assert.equal(await catalogAnswer(service, token), '200')
  })

  for (const [why, address] of [
    ['a user name and a password', 'https://user:pw@example.org/'],
    ['a space', 'https://example.org/ a'],
    ['a fragment', 'https://example.org/#a'],
    ['more than 2048 characters', `https://example.org/${'a'.repeat(2_048)}`],
  ] as const)
    it(`creates no app whose home page has ${why}, as the API does not`, async () => {
      const { status, output, errors } = await run(
        'create',
        'Drift',
        '--client-uri',
        address,
        '--json',
      )
      assert.deepEqual(
        { status, output, errors },
        {
          status: 2,
          output: '',
          errors:
            '--client-uri must be an https address without a fragment, a user name or a password.\n',
        },
      )
    })

  it('tells everything that is wrong with an app at once, and creates none', async () => {
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
      '--client-uri must be an https address without a fragment, a user name or a password.',
      'https://a.example/ must not be listed twice.',
      'http://b.example/ must use https, or http with localhost, 127.0.0.1 or [::1].',
      '--auth-method is for an app that has a secret: leave it out with --public.',
      '',
    ])
    const { found } = await service.db
      .selectFrom('apps')
      .select(({ fn }) => fn.countAll<number>().as('found'))
      .where('client_name', 'like', 'xxx%')
      .executeTakeFirstOrThrow()
    assert.equal(found, 0)
  })

  it('fails with status 1 for an app there is not', async () => {
    for (const args of [
      ['disable', 'mk_nobody'],
      ['enable', 'mk_nobody'],
      ['limit', 'mk_nobody', '5', '--json'],
    ]) {
      const { status, output, errors } = await run(...args)
      assert.deepEqual(
        { status, output, errors },
        { status: 1, output: '', errors: 'There is no app mk_nobody.\n' },
      )
    }
  })
})
