import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { catalogStatus, createUser, type TestUser } from '#test/authorization.ts'
import { logIn, openCommandLine, type CommandLine } from '#test/command-line.ts'
import { startService, type TestService } from '#test/service.ts'

type App = Record<string, unknown> & { client_id: string; client_secret?: string }

describe('mokuroku apps', () => {
  let service: TestService
  let user: TestUser
  let commandLine: CommandLine
  before(async () => {
    service = await startService({ engine: 'server', content: 'empty' })
    user = await createUser(service)
    commandLine = openCommandLine(service.url)
    const { status, errors } = await logIn(commandLine, service, user)
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
  })
  after(async () => {
    commandLine.remove()
    await service.close()
  })

  const run = (...args: string[]) => commandLine.run(['apps', ...args])
  async function runJson<Value = App>(...args: string[]): Promise<Value> {
    const { status, output, errors } = await run(...args, '--json')
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
    assert.match(output, /^.+\n$/, 'one line')
    // as: each test checks the fields it needs
    return JSON.parse(output) as Value
  }
  const tokenStatus = async ({ client_id, client_secret = '' }: App) =>
    (await service.requestToken({ clientId: client_id, secret: client_secret }, 'catalog:full'))
      .status
  const withoutSecret = ({ client_secret: _secret, ...app }: App): App => app

  it('reports an empty list', async () => {
    assert.deepEqual(await runJson('list'), [])
    assert.match(
      (await run('list')).output,
      /^You have no apps yet\. .*mokuroku apps create NAME\n$/,
    )
  })

  it('uses the same login for every loopback name of the server', async () => {
    const server = service.url.replace('127.0.0.1', 'localhost')
    assert.deepEqual(await runJson('list', '--server', server), [])
    const { errors } = await run('list', '--server', server.replace(/\d+$/, '1'))
    assert.match(errors, /^You are not logged in to http:\/\/localhost:1\./)
  })

  it('creates a working app with the command from the quick start', async () => {
    const pages = await Array.fromAsync(glob('src/i18n/locales/*/guide/start.md'))
    assert.ok(pages.length > 1)
    for (const page of pages) {
      const [, name = '', rest = ''] =
        /^node bin\/mokuroku\.ts apps create "(.+?)"(.*)$/m.exec(readFileSync(page, 'utf8')) ?? []
      const created = await runJson('create', name, ...rest.split(' ').filter(Boolean))
      const pair = { clientId: created.client_id, secret: created.client_secret ?? '' }
      assert.equal((await service.requestToken(pair, 'catalog:read')).status, 200, page)
      await runJson('delete', created.client_id, '--yes')
    }
  })

  it('creates, updates and deletes a working app, and rotates its secret', async () => {
    const created = await runJson('create', ' Launcher ', '--scope', 'catalog:full')
    assert.deepEqual(
      [created['client_name'], created['scope'], created['client_type']],
      ['Launcher', 'catalog:full', 'confidential'],
    )
    assert.equal(await tokenStatus(created), 200)
    assert.deepEqual(await runJson('list'), [withoutSecret(created)])

    const liveToken = async (app: typeof created) => {
      const token = await service.requestToken(
        { clientId: app.client_id, secret: app.client_secret ?? '' },
        'catalog:read',
      )
      // as: the token response of §5.5
      return ((await token.json()) as { access_token: string }).access_token
    }
    const live = await liveToken(created)
    const rotatedWithTokensKept = await runJson('rotate-secret', created.client_id, '--keep-tokens')
    assert.doesNotMatch(await catalogStatus(service, live), /^40[13]/)
    assert.equal(await tokenStatus(rotatedWithTokensKept), 200)
    const rotated = await runJson('rotate-secret', created.client_id)
    assert.match(await catalogStatus(service, live), /^401/)
    assert.deepEqual(withoutSecret(rotated), withoutSecret(created))
    assert.deepEqual([await tokenStatus(created), await tokenStatus(rotated)], [401, 200])

    const changed = await runJson('update', created.client_id, '--name', 'Shelf', '--disable')
    assert.deepEqual(changed, {
      ...withoutSecret(created),
      client_name: 'Shelf',
      enabled: false,
      client_secret: null,
    })
    assert.equal(await tokenStatus(rotated), 401)

    assert.deepEqual(await runJson('delete', created.client_id, '--yes'), {
      client_id: created.client_id,
      deleted: true,
    })
    assert.deepEqual(await runJson('list'), [])
  })

  it('has options to set and to clear each field', async () => {
    const uris = ['http://127.0.0.1:8910/callback', 'my-program://callback']
    const created = await runJson(
      'create',
      'Program',
      '--public',
      '--native',
      '--scope',
      'status:write',
      'catalog:read',
      '--required-scope',
      'status:write',
      'email',
      '--redirect-uri',
      ...uris,
      '--client-uri',
      'https://program.example',
      '--logo',
      'https://program.example/logo.png',
      '--auth-method',
      'none',
      '--grant-type',
      'authorization_code',
      'refresh_token',
      '--backchannel-logout-uri',
      'https://program.example/signed-out',
    )
    const { client_id, created_at, ...fields } = created
    assert.ok(created_at)
    assert.deepEqual(fields, {
      client_name: 'Program',
      scope: 'status:write catalog:read',
      required_scopes: ['status:write', 'email'],
      client_uri: 'https://program.example',
      logo: 'https://program.example/logo.png',
      client_secret: null,
      redirect_uris: uris,
      enabled: true,
      client_type: 'public',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      backchannel_logout_uri: 'https://program.example/signed-out',
      backchannel_logout_session_required: false,
    })

    const { status, output, errors } = await run(
      'update',
      client_id,
      '--no-redirect-uris',
      '--no-client-uri',
      '--no-logo',
      '--no-required-scopes',
      '--web',
      '--json',
    )
    assert.deepEqual(
      { status, errors },
      { status: 0, errors: 'Removed scopes that need a redirect URI: status:write\n' },
    )
    // as: the test compares it below
    const bare = JSON.parse(output) as App
    assert.deepEqual(
      [
        bare['redirect_uris'],
        bare['client_uri'],
        bare['logo'],
        bare['application_type'],
        bare['scope'],
      ],
      [[], null, null, 'web', 'catalog:read'],
    )
    assert.equal(bare['required_scopes'], undefined)
    const confidential = await runJson(
      'update',
      client_id,
      '--confidential',
      '--auth-method',
      'client_secret_post',
      '--no-scopes',
    )
    assert.match(confidential.client_secret ?? '', /^mks_/)
    assert.deepEqual(
      [confidential['scope'], confidential['token_endpoint_auth_method']],
      [null, 'client_secret_post'],
    )
    await run('delete', client_id, '--yes')
  })

  it('prints a readable table that shows each secret once and marks disabled apps', async () => {
    const { output } = await run('create', 'Library 書架', '--redirect-uri', 'https://a.example/cb')
    const [, clientId = ''] = /^ {2}client ID {6}(mk_\S{16})$/m.exec(output) ?? []
    const [, secret = ''] = /^ {2}client secret {2}(mks_\S{43})$/m.exec(output) ?? []
    assert.match(output, /^Created Library 書架\.\n/)
    assert.match(output, /^ {2}redirect uri {3}https:\/\/a\.example\/cb$/m)
    assert.match(output, /The secret will not be shown again\.\n$/)
    const { output: changed } = await run('update', clientId, '--disable')
    assert.match(changed, /^Changed Library 書架\.\n[^]* {2}type {11}confidential, web, disabled\n/)
    const { output: listed } = await run('list')
    assert.match(
      listed,
      /^client ID +name +type +scopes +state\nmk_\S+ +Library 書架 +confidential +- +disabled\n$/,
    )
    const { output: rotated } = await run('rotate-secret', clientId)
    assert.match(rotated, /^Library 書架 has a new secret\.\n {2}client secret {2}mks_\S{43}\n/)
    for (const later of [changed, listed, rotated]) assert.ok(!later.includes(secret))
    assert.equal((await run('delete', clientId, '--yes')).output, `Deleted ${clientId}.\n`)
  })

  it('prints one line per rejected field and changes nothing', async () => {
    const app = withoutSecret(await runJson('create', 'Kept'))
    const id = app.client_id
    const { status, output, errors } = await run(
      'update',
      id,
      '--name',
      ' ',
      '--client-uri',
      'http://a.example',
      '--scope',
      'developer:apps',
      '--redirect-uri',
      'http://a.example/cb',
      '--json',
    )
    assert.deepEqual([status, output], [1, ''])
    const fields = errors
      .trimEnd()
      .split('\n')
      .map((line) => /^([\w.]+): ./.exec(line)?.[1])
    assert.deepEqual(
      new Set(fields),
      new Set(['client_name', 'client_uri', 'scopes.0', 'redirect_uris.0']),
    )
    assert.deepEqual(await runJson('list'), [app])
    await run('delete', id, '--yes')
  })

  it('exits with status 1 and the error message of the server', async () => {
    const stranger = await createUser(service)
    const otherApp = await service.createApp({ accountId: stranger.id })
    for (const args of [
      ['update', otherApp.clientId, '--disable'],
      ['rotate-secret', 'mk_AAAAAAAAAAAAAAAA'],
      ['delete', otherApp.clientId, '--yes'],
    ]) {
      const { status, output, errors } = await run(...args)
      assert.deepEqual([status, output], [1, ''], args.join(' '))
      assert.match(errors, /^You have no such app\.\n$/)
    }
    assert.equal((await service.requestToken(otherApp)).status, 200)
    const { client_id } = await runJson('create', 'Public', '--public')
    const { status, errors } = await run('rotate-secret', client_id)
    assert.equal(status, 1)
    assert.match(errors, /^A public app has no secret\./)
    await run('delete', client_id, '--yes')
  })

  it('exits with status 2 on wrong usage', async () => {
    for (const [args, message] of [
      [['create'], /^Missing required argument 'name'\nSee mokuroku apps create --help\.\n$/],
      [
        ['update', 'mk_x'],
        /^Nothing to change: give at least one setting\. See mokuroku apps update --help\.\n$/,
      ],
      [['update', '../apps', '--disable'], /^\.\.\/apps is not a client ID\.\n$/],
      [['update', '..', '--disable'], /^\.\. is not a client ID\.\n$/],
      [['update', 'mk_x', '--public', '--confidential'], /cannot be used with option/],
      [['update', 'mk_x', '--no-scopes', '--scope', 'catalog:read'], /cannot be used with option/],
      [
        ['update', 'mk_x', '--redirect-uri', 'a:b', '--no-redirect-uris'],
        /cannot be used with option/,
      ],
      [['update', 'mk_x', '--enable', '--disable'], /cannot be used with option/],
      [['create', 'A', '--native', '--web'], /cannot be used with option/],
      // A new app has nothing to clear.
      [['create', 'A', '--disable'], /^Unknown option '--disable'\n/],
      [['create', 'A', '--no-scopes'], /^Unknown option '--no-scopes'\n/],
      [['create', 'A', '--auth-method', 'guess'], /argument 'guess' is invalid/],
      [['delete', 'mk_x'], /^Confirmation requires a terminal\. Add --yes to skip it\.\n$/],
    ] as [string[], RegExp][]) {
      const { status, output, errors } = await run(...args)
      assert.deepEqual([status, output], [2, ''], args.join(' '))
      assert.match(errors, message)
    }
    assert.deepEqual(await runJson('list'), [])
  })
})
