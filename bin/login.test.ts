import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { COMMAND_LINE_CLIENT_ID } from '../src/apps/operator/first-party.ts'
import { createUser, postToProvider, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { formWith } from '#test/browser.ts'
import {
  loginUrlOf,
  logIn,
  openCommandLine,
  openConfirmation,
  type CommandLine,
  type StoredCredentials,
} from '#test/command-line.ts'
import { freePort, listenLocally } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'

describe('a login', { concurrency: 3 }, () => {
  let service: TestService
  let user: TestUser
  before(async () => {
    service = await startService({ engine: 'server', content: 'empty' })
    user = await createUser(service)
  })
  after(() => service.close())

  /** Runs a test with separate credentials, as on a separate machine. */
  async function withCommandLine(
    work: (commandLine: CommandLine) => Promise<void>,
    url = service.url,
  ) {
    const commandLine = openCommandLine(url)
    try {
      await work(commandLine)
    } finally {
      commandLine.remove()
    }
  }
  const storedLogin = ({ credentials }: CommandLine) => {
    const login = credentials().servers[service.url]
    assert.ok(login)
    return login
  }
  const change = (
    { folder, credentials }: CommandLine,
    login: Partial<StoredCredentials['servers'][string]>,
  ) => {
    const now = credentials()
    const before = now.servers[service.url]
    assert.ok(before)
    now.servers[service.url] = { ...before, ...login }
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(now))
  }
  const EXPIRED = new Date(Date.now() - 1_000).toISOString()
  const refresh = (refresh_token: string) =>
    postToProvider(`${service.url}/oidc/token`, {
      grant_type: 'refresh_token',
      client_id: COMMAND_LINE_CLIENT_ID,
      refresh_token,
    })

  it('is confirmed in a browser, stored for its owner only, and ended by a logout', () =>
    withCommandLine(async (commandLine) => {
      const { status, output, errors } = await logIn(commandLine, service, user)
      assert.deepEqual({ status, errors }, { status: 0, errors: '' })
      assert.match(
        output,
        /^Open http\S+\/oidc\/device\?user_code=(\S+)\nand confirm that the code is \1\.$/m,
      )
      assert.ok(output.includes(`Logged in to ${service.url}.`))
      const { access_token, refresh_token = '' } = storedLogin(commandLine)
      assert.notEqual(refresh_token, '')
      assert.ok(!output.includes(access_token) && !output.includes(refresh_token))

      const modes = Object.fromEntries(
        ['', ...readdirSync(commandLine.folder)].map((name) => [
          name,
          (statSync(join(commandLine.folder, name)).mode & 0o777).toString(8),
        ]),
      )
      assert.deepEqual(modes, { '': '700', 'credentials.json': '600', 'lock.sqlite': '600' })

      // Without --server, the last login is used.
      const list = await commandLine.run(['apps', 'list', '--json'], { MOKUROKU_SERVER: '' })
      assert.deepEqual([list.status, list.output, list.errors], [0, '[]\n', ''])

      const logout = await commandLine.run(['logout'])
      assert.deepEqual([logout.status, logout.output], [0, `Logged out of ${service.url}.\n`])
      assert.deepEqual(commandLine.credentials(), { servers: {} })
      assert.equal((await refresh(refresh_token)).body['error'], 'invalid_grant')

      for (const args of [['apps', 'list'], ['logout']]) {
        const repeated = await commandLine.run(args)
        assert.deepEqual([repeated.status, repeated.output], [1, ''])
        assert.match(repeated.errors, /^You are not logged in to http\S+\./)
      }
      const { errors: message } = await commandLine.run(['apps', 'list'])
      assert.ok(message.includes(`mokuroku login --server ${service.url}`), message)
    }))

  it('fails and stores nothing when it is denied on either page', () =>
    withCommandLine(async (commandLine) => {
      const stranger = await createUser(service)
      const attempts = ['confirm', 'decision'].map(async (refusedAt) => {
        const browser = await signedInBrowser(service, stranger)
        const login = commandLine.start(['login'])
        const page = await openConfirmation(browser, await loginUrlOf(login))
        if (refusedAt === 'confirm')
          await browser.submit(page, { abort: 'yes' }, formWith(page, ['confirm']))
        else {
          const consent = await browser.submit(page, {}, formWith(page, ['confirm']))
          await browser.submit(consent, { decision: 'deny' })
        }
        return login.ended
      })
      for (const { status, errors } of await Promise.all(attempts))
        assert.deepEqual([status, errors], [1, 'The login was denied.\n'])
      assert.throws(() => commandLine.credentials(), /ENOENT/)
    }))

  it('fails when its code expires, and says how to start again', () =>
    withCommandLine(async (commandLine) => {
      const login = commandLine.start(['login'])
      const userCode = new URL(await loginUrlOf(login)).searchParams.get('user_code') ?? ''
      const { numUpdatedRows } = await service.db
        .updateTable('oidc_records')
        .set(({ fn, ref, val }) => ({
          expires_at: new Date(Date.now() - 1),
          payload: fn<string>('regexp_replace', [
            ref('payload'),
            val('"exp":\\d+'),
            val('"exp":1600000000'),
          ]),
        }))
        .where('user_code', '=', userCode.replaceAll('-', ''))
        .executeTakeFirst()
      assert.equal(numUpdatedRows, 1n)
      const { status, errors } = await login.ended
      assert.equal(status, 1)
      assert.match(errors, /^The code expired before it was confirmed\. .*mokuroku login\n$/)
    }))

  it('is refreshed once its token has expired, by only one of several concurrent commands', () =>
    withCommandLine(async (commandLine) => {
      const owner = await createUser(service)
      await logIn(commandLine, service, owner)
      const first = storedLogin(commandLine)
      change(commandLine, { expires_at: EXPIRED })
      const responses = await Promise.all(
        [1, 2, 3, 4].map(() => commandLine.start(['apps', 'list', '--json']).ended),
      )
      for (const { status, errors } of responses)
        assert.deepEqual({ status, errors }, { status: 0, errors: '' })
      const second = storedLogin(commandLine)
      assert.notEqual(second.refresh_token, first.refresh_token)
      assert.ok(Date.parse(second.expires_at) > Date.now() + 3_000_000)
      const { count } = await service.db
        .selectFrom('oidc_records')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('model', '=', 'RefreshToken')
        .where('payload', 'like', `%"accountId":"${owner.id}"%`)
        .executeTakeFirstOrThrow()
      assert.equal(count, 2, 'that of the login, and one that came of it')

      // The stored token is the newest one: using it supersedes the first.
      change(commandLine, { expires_at: EXPIRED })
      assert.equal((await commandLine.run(['apps', 'list'])).status, 0)
    }))

  it('is read from the file again once another command has finished refreshing it', () =>
    withCommandLine(async (commandLine) => {
      await logIn(commandLine, service, user)
      const good = storedLogin(commandLine)
      const other = new DatabaseSync(join(commandLine.folder, 'lock.sqlite'))
      other.exec('begin exclusive')
      change(commandLine, { expires_at: EXPIRED, refresh_token: 'unknown' })
      const list = commandLine.start(['apps', 'list', '--json']).ended
      // Long enough for two commands one after the other. A command that does not wait would be rejected by then.
      await withCommandLine(async (secondCommandLine) => {
        for (const _ of [1, 2]) await secondCommandLine.start(['apps', 'list']).ended
      })
      change(commandLine, good)
      other.close()
      assert.deepEqual(await list, { status: 0, signal: null, output: '[]\n', errors: '' })
      assert.deepEqual(storedLogin(commandLine), good)
    }))

  it('is refreshed when the server rejects its token before it expires', () =>
    withCommandLine(async (commandLine) => {
      await logIn(commandLine, service, user)
      change(commandLine, { access_token: 'of.another.key' })
      assert.equal((await commandLine.run(['apps', 'list'])).status, 0)
      assert.notEqual(storedLogin(commandLine).access_token, 'of.another.key')
    }))

  it('is deleted when the server has ended it, and the user is advised to log in again', () =>
    withCommandLine(async (commandLine) => {
      await logIn(commandLine, service, user)
      change(commandLine, { expires_at: EXPIRED, refresh_token: 'unknown' })
      const { status, output, errors } = await commandLine.run(['apps', 'list', '--json'])
      assert.deepEqual([status, output], [1, ''])
      assert.equal(
        errors,
        `The login to ${service.url} has ended. Log in again with: mokuroku login --server ${service.url}\n`,
      )
      assert.deepEqual(commandLine.credentials().servers, {})
    }))

  it('lasts as long as its access token if the user does not allow offline access', () =>
    withCommandLine(async (commandLine) => {
      const newUser = await createUser(service)
      const browser = await signedInBrowser(service, newUser)
      const login = commandLine.start(['login'])
      const page = await openConfirmation(browser, await loginUrlOf(login))
      const consent = await browser.submit(page, {}, formWith(page, ['confirm']))
      await browser.submit(consent, { decision: 'allow', 'allow.offline_access': '' })
      assert.equal((await login.ended).status, 0)
      assert.equal(storedLogin(commandLine).refresh_token, undefined)
      assert.equal((await commandLine.run(['apps', 'list'])).status, 0)
      change(commandLine, { expires_at: EXPIRED })
      const { status, errors } = await commandLine.run(['apps', 'list'])
      assert.equal(status, 1)
      assert.match(errors, /^You are not logged in to http\S+\. Log in with: mokuroku login /)
      const logout = await commandLine.run(['logout'])
      assert.deepEqual([logout.status, logout.errors], [0, ''])
      assert.deepEqual(commandLine.credentials(), { servers: {} })
    }))

  it('is deleted by a logout, which prints a warning if the server is unreachable', () =>
    withCommandLine(async (commandLine) => {
      const unreachableUrl = `http://127.0.0.1:${await freePort()}`
      await logIn(commandLine, service, user)
      const now = commandLine.credentials()
      const login = now.servers[service.url]
      assert.ok(login)
      writeFileSync(
        join(commandLine.folder, 'credentials.json'),
        JSON.stringify({ ...now, servers: { ...now.servers, [unreachableUrl]: login } }),
      )
      const { status, errors } = await commandLine.run(['logout', '--server', `${unreachableUrl}/`])
      assert.equal(status, 1)
      assert.match(
        errors,
        /^The stored credentials were deleted, but the tokens could not be revoked\. Revoke them at http\S+\/account\. /,
      )
      assert.deepEqual(Object.keys(commandLine.credentials().servers), [service.url])
    }))

  it('leaves a damaged credentials file for its owner to inspect', () =>
    withCommandLine(async (commandLine) => {
      mkdirSync(commandLine.folder)
      writeFileSync(join(commandLine.folder, 'credentials.json'), '{"servers": nonsense')
      for (const args of [['apps', 'list'], ['logout']]) {
        const { status, errors } = await commandLine.run(args)
        assert.equal(status, 1)
        assert.match(
          errors,
          /credentials\.json is damaged\. Delete it, and log in again with: mokuroku login\n$/,
        )
      }
    }))

  it('fails with an error if the server URL is malformed', () =>
    withCommandLine(async (commandLine) => {
      for (const wrong of [
        'nowhere',
        'ftp://a.example',
        'https://a.example/path',
        'https://me:x@a.example',
      ]) {
        for (const args of [
          ['login', '--server', wrong],
          ['apps', 'list', '--server', wrong],
        ]) {
          const { status, output, errors } = await commandLine.run(args)
          assert.deepEqual([status, output], [2, ''], wrong)
          assert.match(errors, /is not the address of a server/)
        }
      }
    }))
})

describe('a login at another kind of server', () => {
  let server: Server
  let url: string
  let respond: (path: string, response: ServerResponse) => void
  before(async () => {
    server = createServer((request, response) => respond(request.url ?? '', response))
    url = `http://127.0.0.1:${await listenLocally(server)}`
  })
  after(() => server.close())

  async function login() {
    const commandLine = openCommandLine(url)
    try {
      return await commandLine.run(['login'])
    } finally {
      commandLine.remove()
    }
  }
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  it('reports what the server lacks', async () => {
    for (const body of ['<h1>Hello</h1>', '[]', '{"token_endpoint": 5}', '']) {
      respond = (_path, response) => response.writeHead(200).end(body)
      const { status, output, errors } = await login()
      assert.deepEqual([status, output], [1, ''])
      assert.match(
        errors,
        /^http\S+ is not a mokuroku server: \S+ returned status 200 without [^\n]+\n$/,
      )
    }
  })

  it('does not follow a redirect to another server', async () => {
    respond = (_path, response) =>
      response.writeHead(301, { location: 'https://other.example/' }).end()
    const { status, errors } = await login()
    assert.equal(status, 1)
    assert.match(
      errors,
      /redirects to https:\/\/other\.example\/\. Use the address of that server\.\n$/,
    )
  })

  it('reports that the server does not respond', async () => {
    const commandLine = openCommandLine(`http://127.0.0.1:${await freePort()}`)
    try {
      const { status, output, errors } = await commandLine.run(['login'])
      assert.deepEqual([status, output], [1, ''])
      assert.match(errors, /^No response from http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED[^\n]*\n$/)
    } finally {
      commandLine.remove()
    }
  })

  it('reports that the server does not know this client', async () => {
    respond = (_path, response) =>
      json(response, 401, {
        error: 'invalid_client',
        error_description: 'client is \u001b[31minvalid',
      })
    const { status, errors } = await login()
    assert.deepEqual(
      [status, errors],
      [1, 'The server rejected the login: client is  [31minvalid.\n'],
    )
  })

  it('polls less often if the server demands it, survives a lost connection, and prints no terminal escape sequences', async () => {
    const polls: number[] = []
    respond = (path, response) => {
      if (path === '/oidc/device/auth')
        return json(response, 200, {
          device_code: 'x',
          user_code: 'AB\u001b]0;CD\u0007',
          verification_uri: `${url}/\u202eevil`,
          expires_in: 60,
          interval: 0.2,
        })
      assert.equal(path, '/oidc/token')
      polls.push(performance.now())
      if (polls.length === 1) return response.destroy()
      if (polls.length === 2) return json(response, 400, { error: 'authorization_pending' })
      if (polls.length === 3) return json(response, 400, { error: 'slow_down' })
      return json(response, 400, { error: 'server_error', error_description: 'on fire' })
    }
    const { status, output, errors } = await login()
    assert.deepEqual([status, errors, polls.length], [1, 'The server refused: on fire.\n', 4])
    assert.match(output, /the code is AB \]0;CD\./)
    assert.doesNotMatch(output, /[^\P{Cc}\n]|\p{Bidi_Control}/u)
    const [, , third = 0, fourth = 0] = polls
    assert.ok(fourth - third >= 5_000, 'slow_down adds five seconds')
  })

  it('is refreshed once per command, which repeats its request once', async () => {
    const commandLine = openCommandLine(url)
    const login = {
      access_token: 'old',
      refresh_token: 'old',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    }
    mkdirSync(commandLine.folder)
    try {
      for (const args of [['list'], ['delete', 'x', '--yes'], ['create', 'Shelf']]) {
        const paths: string[] = []
        respond = (path, response) => {
          paths.push(path.replace(/^.*\/developer\/apps/, 'apps'))
          if (path !== '/oidc/token')
            return json(response, 401, { error: { code: 'AUTH_UNAUTHENTICATED', message: '' } })
          json(response, 200, { access_token: 'new', token_type: 'Bearer', expires_in: 3_600 })
        }
        writeFileSync(
          join(commandLine.folder, 'credentials.json'),
          JSON.stringify({ servers: { [url]: login } }),
        )
        const { status, errors } = await commandLine.run(['apps', ...args])
        assert.equal(status, 1)
        assert.match(errors, /^The login to \S+ has ended\. Log in again with: /)
        const [path = ''] = paths
        assert.deepEqual(paths, [path, '/oidc/token', path])
      }
    } finally {
      commandLine.remove()
    }
  })
})
