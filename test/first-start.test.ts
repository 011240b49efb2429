import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { networkInterfaces } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { CONSOLE_CLIENT_ID, consoleRedirectUri } from '../src/apps/operator/first-party.ts'
import { openDatabase } from '../src/db/database.ts'
import type { Demo } from '../src/demo-file.ts'
import { assertDemoWorks, DEMO_READY, readDemo } from '#test/demo.ts'
import { freePort } from '#test/free-port.ts'
import {
  CHECKOUT,
  mokuroku,
  requestToken,
  startMokuroku,
  startProgram,
  temporaryFolder,
  type Program,
} from '#test/program.ts'

type Envelope<Data> = { success: boolean; data: Data; request_id: string; timestamp: string }

const startWithNpm = (environment: NodeJS.ProcessEnv) =>
  startProgram(['npm', '--prefix', CHECKOUT, 'start'], { environment })

/** Entries as the catalog returns them. */
async function readEntries(demo: Demo, paths: string[]) {
  const [app] = demo.apps
  assert.ok(app)
  const { token } = await requestToken(demo.base_url, app)
  return Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${demo.base_url}/api/v3/open/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      // as: the tests compare it
      const { data } = (await response.json()) as Envelope<Record<string, unknown>>
      return { status: response.status, data }
    }),
  )
}

const USER_SCOPES =
  'user:read status:read status:write status:notes collection:read collection:write'

describe('npm start on an empty folder', () => {
  const { path, remove } = temporaryFolder()
  const dataDir = join(path, 'data')
  const entries = Array.from({ length: 12 }, (_, index) => `galgames/${index + 1}`)
  let program: Program
  let environment: NodeJS.ProcessEnv
  let output: string
  let demo: Demo

  before(async () => {
    environment = { DATA_DIR: dataDir, PORT: String(await freePort()) }
    program = startWithNpm(environment)
    await program.waitForOutput(DEMO_READY)
    output = program.output()
    demo = readDemo(dataDir)
  })
  after(async () => {
    await program.end()
    remove()
  })

  it('prints its URL, a client id and a client secret', () => {
    assert.match(
      output,
      new RegExp(`^mokuroku listens on http://localhost:${environment['PORT']}$`, 'm'),
    )
    assert.match(output, /^ {2}client ID {6}mk_[\w-]{16}$/m)
    assert.match(output, /^ {2}client secret {2}mks_[\w-]{43}$/m)
  })

  it('logs every address on which it listens', () => {
    const line =
      program
        .errors()
        .split('\n')
        .find((text) => text.includes('"msg":"Listening"')) ?? '{}'
    // as: pino wrote it
    const { listening } = JSON.parse(line) as { listening?: string[] }
    const addresses = Object.values(networkInterfaces()).flatMap((own = []) =>
      own.map(({ address }) => address),
    )
    const expected = addresses.includes('::1') ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']
    assert.deepEqual(
      listening,
      expected.map((address) => `http://${address}:${environment['PORT']}`),
    )
  })

  it('prints three lines that can be pasted into a shell', () => {
    const lines = output.split('\n').filter((line) => line.includes('curl '))
    assert.equal(lines.length, 3)
    const { stdout, stderr, status } = spawnSync('bash', ['-c', lines.join('\n')], {
      encoding: 'utf8',
      env: { ...process.env, no_proxy: '*' },
    })
    assert.equal(stderr, '')
    assert.equal(status, 0)
    const [token = '', galgame = '', characters = '', ...rest] = stdout.trimEnd().split('\n')
    assert.deepEqual(rest, [])
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    // as: checked below
    const work = JSON.parse(galgame) as Envelope<{ origin_title: string; nsfw: boolean }>
    assert.equal(work.success, true)
    assert.equal(work.data.nsfw, false)
    assert.ok(work.data.origin_title.length > 0)
    const cast = JSON.parse(characters) as Envelope<{ role: string; character: { name: string } }[]>
    assert.equal(cast.success, true)
    assert.ok(cast.data.length > 0 && cast.data.length <= 5)
    assert.ok(
      cast.data.every(({ role, character }) => role === 'MAIN' && character.name.length > 0),
    )
  })

  it('writes demo.json with the account, two catalog apps, two sign-in apps and the console, readable only by its owner', () => {
    const file = join(dataDir, 'demo.json')
    assert.equal((statSync(file).mode & 0o777).toString(8), '600')
    const written: unknown = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual(written, {
      base_url: `http://localhost:${environment['PORT']}`,
      account: { email: 'demo@mokuroku.invalid', password: demo.account.password },
      apps: [
        { client_type: 'confidential', scope: 'catalog:full', redirect_uris: [] },
        { client_type: 'confidential', scope: 'catalog:read', redirect_uris: [] },
        {
          client_type: 'public',
          scope: USER_SCOPES,
          redirect_uris: ['http://127.0.0.1:14791/callback'],
        },
        {
          client_type: 'confidential',
          scope: USER_SCOPES,
          redirect_uris: ['http://127.0.0.1:14792/callback'],
        },
        {
          client_type: 'public',
          scope: 'developer:apps',
          redirect_uris: [`http://localhost:${environment['PORT']}/console/callback`],
        },
      ].map((app, index) => ({
        client_id: demo.apps[index]?.client_id,
        ...(app.client_type === 'confidential' && {
          client_secret: demo.apps[index]?.client_secret,
        }),
        ...app,
      })),
    })
    assert.match(demo.account.password ?? '', /^[\w-]{16}$/)
    assert.equal(demo.apps.at(-1)?.client_id, CONSOLE_CLIENT_ID)
    for (const app of demo.apps.slice(0, -1)) {
      assert.match(app.client_id, /^mk_[\w-]{16}$/)
      if (app.client_type === 'confidential')
        assert.match(app.client_secret ?? '', /^mks_[\w-]{43}$/)
    }
  })

  it('shows an nsfw work to the app with catalog:full and hides it from the one with catalog:read', async () => {
    const works = await readEntries(demo, entries)
    const hidden = entries[works.findIndex(({ data }) => data?.['nsfw'] === true)]
    assert.ok(hidden, 'the sample has an nsfw work')
    const statuses = await Promise.all(
      demo.apps.slice(0, 2).map(async (app) => {
        const { status, token } = await requestToken(demo.base_url, app)
        assert.equal(status, 200)
        const response = await fetch(`${demo.base_url}/api/v3/open/${hidden}`, {
          headers: { authorization: `Bearer ${token}` },
        })
        return response.status
      }),
    )
    assert.deepEqual(statuses, [200, 404])
  })

  it('logs neither secrets nor the password', () => {
    const secrets = [
      demo.account.password ?? '',
      ...demo.apps.flatMap((app) => app.client_secret ?? []),
    ]
    for (const secret of secrets) assert.ok(!program.errors().includes(secret))
  })

  it('rejects a second process on the folder with a one-line error, and keeps running', async () => {
    const { status, output, errors } = await mokuroku(['serve'], {
      environment: { DATA_DIR: dataDir, PORT: String(await freePort()) },
    })
    assert.equal(status, 1)
    assert.equal(output, '')
    assert.equal(
      errors,
      `Another mokuroku process is using the database in ${dataDir}. Stop it first, ` +
        'or set DATABASE_URL to a PostgreSQL server, which several processes can share.\n',
    )
    await assertDemoWorks(dataDir)
  })

  it('preserves everything across a restart', async () => {
    const before = { demo, works: await readEntries(demo, entries) }
    await program.end('SIGTERM')
    program = startWithNpm(environment)
    await program.waitForOutput(DEMO_READY)
    assert.deepEqual({ demo: readDemo(dataDir), works: await readEntries(demo, entries) }, before)
    assert.ok(program.output().includes(demo.apps[0]?.client_secret ?? '(none)'))
  })

  it('prints the new URL after the port has changed, with the same apps', async () => {
    await program.end('SIGTERM')
    const port = String(await freePort())
    program = startWithNpm({ ...environment, PORT: port })
    await program.waitForOutput(DEMO_READY)
    const baseUrl = `http://localhost:${port}`
    const apps = demo.apps.map((app) =>
      app.client_id === CONSOLE_CLIENT_ID
        ? { ...app, redirect_uris: [consoleRedirectUri(baseUrl)] }
        : app,
    )
    assert.deepEqual(readDemo(dataDir), { ...demo, base_url: baseUrl, apps })
    await assertDemoWorks(dataDir)
  })

  it('adds apps that have been introduced since the demo was created', async () => {
    await program.end('SIGTERM')
    const first = demo.apps.slice(0, 2)
    const { db, close } = await openDatabase({ dataDir })
    const { account_id } = await db
      .selectFrom('apps')
      .select('account_id')
      .where('client_id', '=', first[0]?.client_id ?? '')
      .executeTakeFirstOrThrow()
    const state = { wanted: true, account_id, client_ids: first.map(({ client_id }) => client_id) }
    await db
      .updateTable('installation')
      .set({ value: JSON.stringify(state) })
      .where('name', '=', 'demo')
      .execute()
    await close()
    writeFileSync(join(dataDir, 'demo.json'), JSON.stringify({ ...readDemo(dataDir), apps: first }))
    program = startMokuroku(['serve'], { environment })
    await program.waitForOutput(DEMO_READY)
    const { account, apps } = readDemo(dataDir)
    assert.deepEqual(account, demo.account)
    assert.deepEqual(apps.slice(0, 2), first)
    assert.deepEqual(
      apps.map(({ scope, redirect_uris }) => ({ scope, redirect_uris })),
      demo.apps.map(({ scope, redirect_uris }) => ({ scope, redirect_uris })),
    )
    await assertDemoWorks(dataDir)
  })

  it('replaces the apps when demo.json is lost or damaged', async () => {
    await program.end('SIGTERM')
    writeFileSync(join(dataDir, 'demo.json'), '{}')
    program = startMokuroku(['serve'], { environment })
    await program.waitForOutput(DEMO_READY)
    await assertDemoWorks(dataDir)
    const [old] = demo.apps
    assert.ok(old)
    assert.equal((await requestToken(readDemo(dataDir).base_url, old)).status, 401)
  })
})
