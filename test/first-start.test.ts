import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Demo } from '../src/demo.ts'
import { createDatabase, type TestDatabase } from './support/databases.ts'
import { freePort } from './support/postgres.ts'
import {
  CHECKOUT,
  mokuroku,
  requestToken,
  startMokuroku,
  startProgram,
  temporaryFolder,
  type Program,
} from './support/program.ts'

/** A first start is promised in 30 seconds; a machine that runs other tests beside may need longer. */
const LIMIT_MS = 120_000
const LAST_LINE = 'page_size=5"; echo'

type Envelope<Data> = { success: boolean; data: Data; request_id: string; timestamp: string }

const startWithNpm = (environment: NodeJS.ProcessEnv, flags: string[] = []) =>
  startProgram(['npm', '--prefix', CHECKOUT, 'start', '--', ...flags], { environment })

const readDemo = (dataDir: string) =>
  // as: the test of its shape comes first
  JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo

/** Entries as the catalog answers them. */
async function readEntries(demo: Demo, paths: string[]) {
  const [app] = demo.apps
  assert.ok(app)
  const { token } = await requestToken(demo.base_url, app)
  return Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${demo.base_url}/api/v3/open/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      // as: whatever it is, it is compared
      const { data } = (await response.json()) as Envelope<Record<string, unknown>>
      return { status: response.status, data }
    }),
  )
}

async function assertDemoWorks(dataDir: string) {
  const { base_url, apps } = readDemo(dataDir)
  const statuses = await Promise.all(apps.map(async (app) => (await requestToken(base_url, app)).status))
  assert.deepEqual(statuses, [200, 200])
}

describe('npm start on an empty folder', { timeout: 2 * LIMIT_MS }, () => {
  const { path, remove } = temporaryFolder()
  const dataDir = join(path, 'data')
  const entries = Array.from({ length: 40 }, (_, index) => `galgames/${index + 1}`)
  let program: Program
  let environment: NodeJS.ProcessEnv
  let output: string
  let firstMs: number
  let demo: Demo

  before(async () => {
    environment = { DATA_DIR: dataDir, PORT: String(await freePort()) }
    const begun = performance.now()
    program = startWithNpm(environment)
    await program.says(LAST_LINE)
    firstMs = performance.now() - begun
    output = program.output()
    demo = readDemo(dataDir)
  })
  after(async () => {
    await program.end()
    remove()
  })

  it('prints within its limit where it listens, a client id and a client secret', () => {
    assert.ok(firstMs < LIMIT_MS, `${firstMs} ms`)
    assert.match(output, new RegExp(`^mokuroku listens on http://127.0.0.1:${environment['PORT']}$`, 'm'))
    assert.match(output, /^ {2}client id {6}mk_[\w-]{16}$/m)
    assert.match(output, /^ {2}client secret {2}mks_[\w-]{43}$/m)
  })

  it('prints three lines that work as they are when pasted into a shell', () => {
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
    assert.ok(cast.data.every(({ role, character }) => role === 'MAIN' && character.name.length > 0))
  })

  it('writes demo.json for its owner alone, with the account and two confidential apps', () => {
    const file = join(dataDir, 'demo.json')
    assert.equal((statSync(file).mode & 0o777).toString(8), '600')
    const written: unknown = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual(written, {
      base_url: `http://127.0.0.1:${environment['PORT']}`,
      account: { email: 'demo@mokuroku.invalid', password: demo.account.password },
      apps: ['catalog:full', 'catalog:read'].map((scope, index) => ({
        client_id: demo.apps[index]?.client_id,
        client_secret: demo.apps[index]?.client_secret,
        client_type: 'confidential',
        scope,
        redirect_uris: [],
      })),
    })
    assert.match(demo.account.password, /^[\w-]{16}$/)
    for (const app of demo.apps) {
      assert.match(app.client_id, /^mk_[\w-]{16}$/)
      assert.match(app.client_secret ?? '', /^mks_[\w-]{43}$/)
    }
  })

  it('shows an nsfw work to the app with catalog:full and hides it from the one with catalog:read', async () => {
    const works = await readEntries(demo, entries)
    const hidden = entries[works.findIndex(({ data }) => data?.['nsfw'] === true)]
    assert.ok(hidden, 'the sample has an nsfw work')
    const statuses = await Promise.all(
      demo.apps.map(async (app) => {
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

  it('logs neither a secret nor the password', () => {
    const secrets = [demo.account.password, ...demo.apps.map((app) => app.client_secret ?? '')]
    for (const secret of secrets) assert.ok(!program.errors().includes(secret))
  })

  it('refuses a second process on the folder in one line, and goes on', async () => {
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

  it('keeps everything over a restart, and starts much faster', async () => {
    const before = { demo, works: await readEntries(demo, entries) }
    const times: number[] = []
    for (let start = 0; start < 2; start += 1) {
      program.child.kill('SIGTERM')
      assert.equal((await program.ended).status, 0)
      const begun = performance.now()
      program = startWithNpm(environment)
      await program.says(LAST_LINE)
      times.push(performance.now() - begun)
    }
    assert.deepEqual({ demo: readDemo(dataDir), works: await readEntries(demo, entries) }, before)
    assert.ok(program.output().includes(demo.apps[0]?.client_secret ?? '(none)'))
    const fastest = Math.min(...times)
    assert.ok(fastest < 0.6 * firstMs, `first ${firstMs} ms, then ${times.join(' and ')} ms`)
  })

  it('tells the new address after the port was changed, with the same apps', async () => {
    await program.end('SIGTERM')
    const port = String(await freePort())
    program = startWithNpm({ ...environment, PORT: port })
    await program.says(LAST_LINE)
    assert.deepEqual(readDemo(dataDir), { ...demo, base_url: `http://127.0.0.1:${port}` })
    await assertDemoWorks(dataDir)
  })

  it('makes new apps in place of the old when demo.json is lost or damaged', async () => {
    await program.end('SIGTERM')
    writeFileSync(join(dataDir, 'demo.json'), '{}')
    program = startMokuroku(['serve'], { environment })
    await program.says(LAST_LINE)
    await assertDemoWorks(dataDir)
    const [old] = demo.apps
    assert.ok(old)
    assert.equal((await requestToken(readDemo(dataDir).base_url, old)).status, 401)
  })
})

describe('a first start', { timeout: LIMIT_MS }, () => {
  it('with --no-demo makes nothing, nor does a later start without it', async () => {
    const { path, remove } = temporaryFolder()
    const dataDir = join(path, 'data')
    const environment = { DATA_DIR: dataDir, PORT: String(await freePort()) }
    try {
      for (const flags of [['--no-demo'], [], ['--demo']]) {
        const program = startMokuroku(['serve', ...flags], { environment })
        await program.says('Listening')
        const { status, output, errors } = await program.end('SIGTERM')
        assert.equal(status, 0)
        assert.equal(output, `mokuroku listens on http://127.0.0.1:${environment.PORT}\n`)
        assert.equal(errors.includes('first started without one'), flags[0] === '--demo')
        assert.equal(existsSync(join(dataDir, 'demo.json')), false)
      }
      const { output } = await mokuroku(['app', 'list', '--json'], { environment })
      assert.equal(output, '[]\n')
      const { status } = await mokuroku(['account', 'create', 'demo@mokuroku.invalid'], { environment })
      assert.equal(status, 0, 'the address is free')
      const imported = await mokuroku(['import', 'ranobedb', join(CHECKOUT, 'sample/ranobedb'), '--json'], {
        environment,
      })
      assert.ok(!/"unchanged":[1-9]/.test(imported.output), 'there was no sample')
    } finally {
      remove()
    }
  })

  it('after an import adds no sample to what is there', async () => {
    const { path, remove } = temporaryFolder()
    const environment = { DATA_DIR: path, PORT: '0' }
    try {
      const imported = await mokuroku(['import', 'ranobedb', join(CHECKOUT, 'sample/ranobedb')], {
        environment,
      })
      assert.equal(imported.status, 0)
      const program = startMokuroku(['serve'], { environment })
      await program.says('Listening')
      const { errors } = await program.end('SIGTERM')
      assert.ok(!errors.includes('sample'))
      assert.equal(existsSync(join(path, 'demo.json')), false)
    } finally {
      remove()
    }
  })

  it('stopped while it loads the sample ends well, and the next one completes the demo', async () => {
    const { path, remove } = temporaryFolder()
    const environment = { DATA_DIR: path, PORT: '0' }
    try {
      const first = startMokuroku(['serve'], { environment })
      await first.says('Loading the sample, part 2')
      const { status, output } = await first.end('SIGTERM')
      assert.deepEqual({ status, output }, { status: 0, output: '' })
      const second = startMokuroku(['serve'], { environment })
      await second.says(LAST_LINE)
      await assertDemoWorks(path)
      await second.end('SIGTERM')
    } finally {
      remove()
    }
  })

  const hasFile = (name: string) => async (_: Program, folder: string) => {
    while (!existsSync(join(folder, name))) await sleep(1)
  }
  const saying = (text: string) => (program: Program) => program.says(text)
  const MOMENTS: [string, (program: Program, folder: string) => Promise<void>][] = [
    ['when it makes the database', hasFile('postgres')],
    ['after it made the tables', saying('The schema was brought up to date')],
    ['between two parts of the sample', saying('Loading the sample, part 3')],
    ['when it makes the apps', saying('Making a demo account')],
    ['when it has written demo.json', hasFile('demo.json')],
  ]
  for (const [moment, reached] of MOMENTS)
    it(`killed ${moment} is completed by the next one`, async () => {
      const { path, remove } = temporaryFolder()
      const environment = { DATA_DIR: path, PORT: '0' }
      try {
        const first = startMokuroku(['serve'], { environment })
        await reached(first, path)
        assert.equal((await first.end('SIGKILL')).signal, 'SIGKILL')
        const second = startMokuroku(['serve'], { environment })
        await second.says(LAST_LINE)
        await assertDemoWorks(path)
        const { status } = await second.end('SIGTERM')
        assert.equal(status, 0)
        const listed = await mokuroku(['app', 'list', '--json'], { environment })
        // as: what is compared is all that is used
        const apps = JSON.parse(listed.output) as { client_id: string }[]
        assert.deepEqual(
          apps.map((app) => app.client_id).toSorted(),
          readDemo(path)
            .apps.map((app) => app.client_id)
            .toSorted(),
        )
      } finally {
        remove()
      }
    })
})

describe('a first start with a PostgreSQL server', { timeout: LIMIT_MS }, () => {
  let database: TestDatabase
  let environment: NodeJS.ProcessEnv
  before(async () => {
    database = await createDatabase('server')
    environment = { DATABASE_URL: database.databaseUrl, DATA_DIR: join(database.dataDir, 'data'), PORT: '0' }
  })
  after(() => database.remove())

  it('makes one demo when two processes are told to at once', async () => {
    const programs = [1, 2].map(() => startMokuroku(['serve', '--demo'], { environment }))
    try {
      await Promise.all(programs.map((program) => program.says(LAST_LINE)))
      const { apps } = readDemo(join(database.dataDir, 'data'))
      for (const program of programs) assert.ok(program.output().includes(apps[0]?.client_secret ?? '(none)'))
      await assertDemoWorks(join(database.dataDir, 'data'))
    } finally {
      await Promise.all(programs.map((program) => program.end('SIGTERM')))
    }
  })

  it('leaves the demo alone in a process that has no demo.json', async () => {
    const { path, remove } = temporaryFolder()
    const listing = ['app', 'list', '--json']
    const { output: apps } = await mokuroku(listing, { environment })
    const program = startMokuroku(['serve'], { environment: { ...environment, DATA_DIR: path } })
    try {
      await program.says('Listening')
      assert.equal(existsSync(join(path, 'demo.json')), false)
      assert.equal((await mokuroku(listing, { environment })).output, apps)
    } finally {
      await program.end('SIGTERM')
      remove()
    }
  })

  it('makes no demo unless it is told to', async () => {
    const other = await createDatabase('server')
    const program = startMokuroku(['serve'], {
      environment: { DATABASE_URL: other.databaseUrl, DATA_DIR: other.dataDir, PORT: '0' },
    })
    try {
      await program.says('Listening')
      assert.match(program.output(), /^mokuroku listens on \S+\n$/)
      assert.equal(existsSync(join(other.dataDir, 'demo.json')), false)
    } finally {
      await program.end('SIGTERM')
      await other.remove()
    }
  })
})

describe('a start that cannot succeed', { timeout: LIMIT_MS }, () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  /** What it says, without its log. */
  async function refusal(environment: NodeJS.ProcessEnv) {
    const { status, output, errors } = await mokuroku(['serve', '--no-demo'], {
      environment: { DATA_DIR: join(path, 'data'), PORT: '0', ...environment },
    })
    return {
      status,
      output,
      lines: errors.split('\n').filter((line) => line !== '' && !line.startsWith('{')),
    }
  }

  async function occupy(onConnection: () => void = () => {}) {
    const server = createServer(onConnection)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    // as: it listens on a port
    const { port } = server.address() as AddressInfo
    return { port, release: () => server.close() }
  }

  it('tells that the port is taken', async () => {
    const { port, release } = await occupy()
    try {
      assert.deepEqual(await refusal({ PORT: String(port) }), {
        status: 1,
        output: '',
        lines: [
          `Port ${port} of 127.0.0.1 is taken by another program. Stop it, or set PORT to another; 0 takes a free one.`,
        ],
      })
    } finally {
      release()
    }
  })

  it('tells that HOST is no address of this machine', async () => {
    const { status, lines } = await refusal({ HOST: '192.0.2.1', PORT: '14790' })
    assert.deepEqual(
      { status, lines },
      { status: 1, lines: ['HOST is 192.0.2.1, which is no address of this machine.'] },
    )
  })

  it('tells that DATA_DIR cannot be used', async () => {
    const file = join(path, 'file')
    writeFileSync(file, '')
    for (const dataDir of [file, join(file, 'data')]) {
      const { status, output, lines } = await refusal({ DATA_DIR: dataDir })
      assert.deepEqual({ status, output, count: lines.length }, { status: 1, output: '', count: 1 })
      assert.ok(lines[0]?.startsWith(`DATA_DIR is ${dataDir}, which cannot be used: `), lines[0])
    }
  })

  it('tells that no database is there', async () => {
    const port = await freePort()
    assert.deepEqual(await refusal({ DATABASE_URL: `postgres://user:sesame@127.0.0.1:${port}/database` }), {
      status: 1,
      output: '',
      lines: [`The database of DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`],
    })
  })

  it('tells that the database does not answer, and does not wait for ever', async () => {
    const { port, release } = await occupy()
    try {
      assert.deepEqual(await refusal({ DATABASE_URL: `postgres://user:sesame@127.0.0.1:${port}/database` }), {
        status: 1,
        output: '',
        lines: ['The database of DATABASE_URL does not answer: it took longer than 5 seconds to connect.'],
      })
    } finally {
      release()
    }
  })

  it('tells that the server has no such database', async () => {
    const database = await createDatabase('server')
    await database.remove()
    const { status, output, lines } = await refusal({ DATABASE_URL: database.databaseUrl })
    assert.deepEqual({ status, output, count: lines.length }, { status: 1, output: '', count: 1 })
    assert.match(lines[0] ?? '', /^The database of DATABASE_URL turned us away: .+ does not exist$/)
  })

  it('tells every wrong setting', async () => {
    const { status, output, lines } = await refusal({ PORT: 'x', LOG_LEVEL: 'loud' })
    assert.deepEqual({ status, output, count: lines.length }, { status: 2, output: '', count: 2 })
  })
})
