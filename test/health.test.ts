import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { eventually } from '#test/browser.ts'
import { asAdmin, createDatabase, runnerVariable, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, startMokuroku, temporaryFolder, type Program } from '#test/program.ts'

type Body = {
  state?: string
  migration?: string
  status?: string
  checks?: Record<string, { ok: boolean; error?: string }>
}

describe('the health checks at METRICS_ADDRESS', () => {
  let database: TestDatabase
  let program: Program
  let metricsPort: number
  let blocker: pg.Client

  before(async () => {
    database = await createDatabase('server', 'nothing')
    metricsPort = await freePort()
    blocker = new pg.Client({ connectionString: database.databaseUrl })
    blocker.on('error', () => {})
    await blocker.connect()
    // Every migration waits before its first function, as long as this session holds the lock.
    await blocker.query(`
      create function wait_for_test() returns event_trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(4); end $$;
      create event trigger wait_for_test on ddl_command_start when tag in ('CREATE FUNCTION')
        execute function wait_for_test();
      select pg_advisory_lock(4)`)
    program = startMokuroku(['serve', '--no-demo'], {
      environment: {
        HOST: '127.0.0.1',
        PORT: String(await freePort()),
        DATABASE_URL: database.databaseUrl,
        DATA_DIR: database.dataDir,
        METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
      },
    })
  })
  after(async () => {
    await program.end('SIGTERM')
    await blocker.end().catch(() => {})
    await database.remove()
  })

  async function check(path: string): Promise<{ status: number; body: Body }> {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/health/${path}`)
    // as: compared below
    return { status: response.status, body: (await response.json()) as Body }
  }

  it('name the migration while it runs, and report that the service is not ready', async () => {
    await eventually(async () => {
      const startup = await check('startup').catch(() => undefined)
      return startup?.body.migration !== undefined
    }, 'A migration')
    const { status, body } = await check('startup')
    assert.equal(status, 503)
    assert.equal(body.state, 'starting')
    assert.match(body.migration ?? '', /^\d{4}_[a-z_]+$/)
    assert.equal((await check('live')).status, 200)
    const ready = await check('ready')
    assert.equal(ready.status, 503)
    assert.equal(ready.body.checks?.['startup']?.ok, false)
  })

  it('report that the service is ready when it is open', async () => {
    await blocker.query('drop event trigger wait_for_test; select pg_advisory_unlock(4)')
    await program.waitForOutput('Listening')
    assert.deepEqual(await check('startup'), { status: 200, body: { state: 'running' } })
    const { status, body } = await check('ready')
    assert.deepEqual([status, body.status], [200, 'ok'])
  })

  it('report within two seconds that the database is unavailable', async () => {
    const admin = runnerVariable('MOKUROKU_TEST_POSTGRES')
    const name = new URL(database.databaseUrl ?? '').pathname.slice(1)
    await asAdmin(admin, `alter database "${name}" with allow_connections false`)
    await asAdmin(
      admin,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
    const began = performance.now()
    const { status, body } = await check('ready')
    assert.ok(performance.now() - began < 3_000)
    assert.deepEqual([status, body.status], [503, 'unavailable'])
    assert.equal(body.checks?.['database']?.ok, false)
    assert.equal((await check('live')).status, 200)
    assert.equal((await check('startup')).status, 200)
    await asAdmin(admin, `alter database "${name}" with allow_connections true`)
    await eventually(async () => (await check('ready')).status === 200, 'A ready service')
  })
})

/** Runs a script in a separate network, whose loopback interface also has a public address. */
const inOtherNetwork = (script: string) =>
  spawnSync(
    'unshare',
    [
      '--net',
      'sh',
      '-c',
      'ip link set lo up && ip address add 8.8.4.4/32 dev lo && exec "$0" "$1"',
      process.execPath,
      script,
    ],
    { encoding: 'utf8', cwd: CHECKOUT },
  )

describe('METRICS_ADDRESS on all interfaces', () => {
  const folder = temporaryFolder()
  after(() => folder.remove())

  it('closes connections to a public address without a response', (test) => {
    const script = join(folder.path, 'script.mts')
    writeFileSync(
      script,
      `import { serveMonitoring } from ${JSON.stringify(join(CHECKOUT, 'src/operations/metrics/serve-monitoring.ts'))}
      for (const host of ['0.0.0.0', '::']) {
        const stop = await serveMonitoring({ host, port: 9464 }, {
          startup: () => ({ state: 'running' }),
        })
        for (const address of ['127.0.0.1', '8.8.4.4'])
          console.log(host, address, await fetch(\`http://\${address}:9464/health/live\`).then(
            ({ status }) => status, ({ cause }) => cause.code))
        await stop()
      }`,
    )
    const { stdout, stderr } = inOtherNetwork(script)
    if (/unshare|RTNETLINK|not found/.test(stderr))
      return test.skip(`no network can be created here: ${stderr.trim()}`)
    assert.equal(stderr, '')
    assert.equal(
      stdout,
      [
        '0.0.0.0 127.0.0.1 200',
        '0.0.0.0 8.8.4.4 UND_ERR_SOCKET',
        ':: 127.0.0.1 200',
        ':: 8.8.4.4 UND_ERR_SOCKET',
        '',
      ].join('\n'),
    )
  })
})
