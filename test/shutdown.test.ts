import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { enqueueMail } from '../src/accounts/mail/outbox/outbox.ts'
import { createApp, listApps } from '../src/apps/queries.ts'
import { openDatabase } from '../src/db/database.ts'
import { addAccount } from '#test/accounts.ts'
import { eventually } from '#test/browser.ts'
import {
  createDatabase,
  describeOnEachDatabase,
  DEFAULT_ENGINE,
  type TestDatabase,
} from '#test/databases.ts'
import { isConnectionRefused } from '#test/is-connection-refused.ts'
import { freePort, listenLocally } from '#test/free-port.ts'
import { requestToken, startMokuroku, startProgram, type Program } from '#test/program.ts'

/** Response to `Expect: 100-continue` once the request is in flight. */
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const STOPPING = 'finishing the requests in flight'

type App = { client_id: string; client_secret: string; scope: string }

/** Opens a connection and sends the text. The returned response excludes `100 Continue`. */
async function send(
  port: number,
  text: string,
): Promise<{ socket: Socket; responseText: () => string }> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return { socket, responseText: () => received.replace(CONTINUE, '') }
}

/** Sends a token request, and stops in the middle of its body once it is in flight. */
async function beginTokenRequest(port: number, { client_id, client_secret, scope }: App) {
  const body = `grant_type=client_credentials&scope=${scope}`
  const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const { socket, responseText: response } = await send(
    port,
    `POST /oidc/token HTTP/1.1\r\nhost: localhost\r\nauthorization: Basic ${credentials}\r\n` +
      'content-type: application/x-www-form-urlencoded\r\nexpect: 100-continue\r\n' +
      `content-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  await once(socket, 'data')
  return { answer: response, finish: () => socket.write(body.slice(10)) }
}

describeOnEachDatabase('shutdown', (engine) => {
  let database: TestDatabase
  let app: App
  let port: number
  let program: Program

  const open = () => openDatabase({ ...database, databasePoolSize: 2 })

  before(async () => {
    database = await createDatabase(engine, 'sample')
    const { db, close } = await open()
    const { app: created, secret = '' } = await createApp(db, {
      clientName: 'Test',
      scopes: ['catalog:full'],
    })
    app = { client_id: created.client_id, client_secret: secret, scope: 'catalog:full' }
    await close()
  })
  after(() => database.remove())
  afterEach(() => program.end())

  async function start(environment: NodeJS.ProcessEnv = {}) {
    port = await freePort()
    program = startMokuroku(['serve', '--no-demo'], {
      environment: {
        PORT: String(port),
        DATA_DIR: database.dataDir,
        DATABASE_URL: database.databaseUrl,
        DATABASE_POOL_SIZE: '3',
        ...environment,
      },
    })
    await program.waitForOutput('mokuroku listens')
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)
    it(`finishes requests in flight on ${signal}, accepts no new ones and closes the database`, async () => {
      await start()
      const slow = await beginTokenRequest(port, app)
      const idle = await send(port, 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n')
      await once(idle.socket, 'data')

      program.child.kill(signal)
      await program.waitForOutput(`${signal}: ${STOPPING}`)
      if (!idle.socket.closed) await once(idle.socket, 'close')
      while (!(await isConnectionRefused(port))) await sleep(20)
      assert.equal(slow.answer(), '')

      slow.finish()
      const { status } = await program.ended
      assert.match(slow.answer(), /^HTTP\/1\.1 200 /)
      assert.match(slow.answer(), /"access_token":"/)
      assert.equal(status, 0)
      assert.match(program.errors(), /"msg":"Stopped"/)

      const { db, close } = await open()
      const clientIds = (await listApps(db).finally(close)).map(({ client_id }) => client_id)
      assert.ok(clientIds.includes(app.client_id), 'the database can be opened again with its data')
    })

  // The remaining tests do not depend on the database.
  if (engine !== DEFAULT_ENGINE) return

  for (const [name, workers] of Object.entries({ 'one process': '1', 'two workers': '2' }))
    it(`serves requests during SHUTDOWN_DELAY, but is not ready, so that load balancers send no more, with ${name}`, async () => {
      const metricsPort = await freePort()
      await start({
        SHUTDOWN_DELAY: '120',
        METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
        WORKERS: workers,
      })
      const statusesOf = (path: string) =>
        Promise.all(
          [port, metricsPort].map(async (listening) => {
            const url = `http://127.0.0.1:${listening}/health/${path}`
            return (await fetch(url, { headers: { connection: 'close' } })).status
          }),
        )
      assert.deepEqual(await statusesOf('ready'), [200, 200])
      program.child.kill('SIGTERM')
      await program.waitForOutput(STOPPING)
      // The workers learn of the shutdown a moment later.
      await eventually(
        async () => isDeepStrictEqual(await statusesOf('ready'), [503, 503]),
        'that the service is not ready at either address',
      )
      assert.deepEqual(await statusesOf('live'), [200, 200])
      const startup = await fetch(`http://127.0.0.1:${metricsPort}/health/startup`)
      assert.deepEqual(await startup.json(), { state: 'stopping' })
    })

  it('aborts unfinished requests after nine seconds, and exits with status 1', async () => {
    await start()
    const slow = await beginTokenRequest(port, app)
    const startedAt = performance.now()
    program.child.kill('SIGTERM')
    const { status, errors } = await program.ended
    const took = performance.now() - startedAt
    assert.equal(status, 1)
    assert.match(errors, /requests were cut off/)
    assert.ok(took > 8_500 && took < 12_000, `${took} ms`)
    assert.equal(slow.answer(), '')
  })

  it('does not wait for an unresponsive mail server, and leaves the email for the next start', async () => {
    const silent = createServer(() => {})
    const mailPort = await listenLocally(silent)
    await start({ SMTP_URL: `smtp://127.0.0.1:${mailPort}` })
    const connected = once(silent, 'connection')
    const { db, close } = await open()
    await db.transaction().execute(async (trx) => {
      await enqueueMail(trx, {
        kind: 'password_changed',
        language: 'en',
        email: 'a@example.org',
        details: {},
      })
      // The next attempt is the last one. A shutdown must not count as its failure.
      await trx.updateTable('mails').set({ attempts: 9 }).execute()
    })
    await connected
    program.child.kill('SIGTERM')
    const { status } = await program.ended
    const mails = await db.selectFrom('mails').selectAll().execute()
    await db.deleteFrom('mails').execute()
    await close()
    silent.close()
    assert.equal(status, 0)
    assert.deepEqual(
      mails.map(({ email, failed_at }) => [email, failed_at]),
      [['a@example.org', null]],
    )
  })

  it('opens no debugger on SIGUSR1', async () => {
    await start()
    program.child.kill('SIGUSR1')
    await sleep(500)
    assert.doesNotMatch(program.errors(), /Debugger listening/)
    program.child.kill('SIGTERM')
    assert.equal((await program.ended).status, 0)
  })

  it('exits at once on a second signal', async () => {
    await start()
    const slow = await beginTokenRequest(port, app)
    program.child.kill('SIGTERM')
    await program.waitForOutput(STOPPING)
    await sleep(700)
    const startedAt = performance.now()
    program.child.kill('SIGINT')
    assert.equal((await program.ended).status, 1)
    const took = performance.now() - startedAt
    assert.ok(took < 3_000, `${took} ms`)
    assert.equal(slow.answer(), '')
  })
})

describe('shutdown', () => {
  let database: TestDatabase
  let program: Program
  before(async () => {
    database = await createDatabase('server', 'sample')
  })
  afterEach(() => program.end())
  after(() => database.remove())

  it('ends before its limit while a user waits for a picture in a silent bucket', async () => {
    const silent = createServer(() => {})
    const bucketPort = await listenLocally(silent)
    const { db, close } = await openDatabase(database)
    const hash = 'x'.repeat(43)
    const account_id = await addAccount(db, {
      email: 'painter@example.org',
      name: 'Ei',
      password: 'a long enough one',
    })
    await db.insertInto('uploads').values({ account_id, hash, object: 'uploads/x' }).execute()
    const port = await freePort()
    program = startMokuroku(['serve', '--no-demo'], {
      environment: {
        PORT: String(port),
        DATABASE_URL: database.databaseUrl,
        DATA_DIR: database.dataDir,
        BUCKET_URL: `http://127.0.0.1:${bucketPort}/bucket`,
        BUCKET_ACCESS_KEY: 'key',
        BUCKET_SECRET_KEY: 'secret',
        BUCKET_CONTENTS: 'uploads',
      },
    })
    try {
      await program.waitForOutput('mokuroku listens')
      const connected = once(silent, 'connection')
      const response = fetch(`http://127.0.0.1:${port}/uploads/${hash}.webp`)
      await connected
      program.child.kill('SIGTERM')
      assert.equal((await response).status, 503)
      const { status, errors } = await program.ended
      assert.equal(status, 0, errors)
    } finally {
      await db.deleteFrom('uploads').execute()
      await close()
      silent.close()
    }
  })

  it('waits for a slow statement', async () => {
    const { db, close } = await openDatabase(database)
    const { app, secret = '' } = await createApp(db, {
      clientName: 'Test',
      scopes: ['catalog:full'],
    })
    await close()
    const port = await freePort()
    program = startMokuroku(['serve', '--no-demo'], {
      environment: {
        PORT: String(port),
        DATABASE_URL: database.databaseUrl,
        DATA_DIR: database.dataDir,
      },
    })
    await program.waitForOutput('mokuroku listens')
    const url = `http://127.0.0.1:${port}`
    const { token } = await requestToken(url, {
      client_id: app.client_id,
      client_secret: secret,
      scope: 'catalog:full',
    })
    const other = new pg.Client({ connectionString: database.databaseUrl })
    await other.connect()
    try {
      await other.query('begin; lock table galgames in access exclusive mode')
      const response = fetch(`${url}/v3/galgames/1`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const waiting = `select 1 from pg_locks where not granted and relation = 'galgames'::regclass`
      while ((await other.query(waiting)).rowCount === 0) await sleep(20)
      program.child.kill('SIGTERM')
      await program.waitForOutput(STOPPING)
      await other.query('commit')
      assert.equal((await response).status, 200)
      assert.equal((await program.ended).status, 0)
    } finally {
      await other.end()
    }
  })

  it('treats the two signals of Ctrl-C under npm as one', async () => {
    const { dataDir: path, remove } = await createDatabase('embedded', 'empty')
    const port = await freePort()
    program = startProgram(['npm', 'start', '--', '--no-demo'], {
      environment: { PORT: String(port), DATA_DIR: path },
    })
    try {
      await program.waitForOutput('mokuroku listens')
      const slow = await beginTokenRequest(port, {
        client_id: 'nobody',
        client_secret: 'wrong',
        scope: 'catalog:read',
      })
      const ended = program.end('SIGINT')
      await program.waitForOutput(STOPPING)
      await sleep(300)
      slow.finish()
      const { errors } = await ended
      assert.match(slow.answer(), /^HTTP\/1\.1 401 /)
      assert.match(errors, /"msg":"Stopped"/)
    } finally {
      await program.end()
      await remove()
    }
  })

  it('reaches the service when only npm receives the signal', { timeout: 60_000 }, async () => {
    const { dataDir: path, remove } = await createDatabase('embedded', 'empty')
    program = startProgram(['npm', 'start', '--', '--no-demo'], {
      environment: { PORT: '0', DATA_DIR: path },
    })
    try {
      await program.waitForOutput('mokuroku listens')
      program.child.kill('SIGTERM')
      await program.waitForOutput('"msg":"Stopped"')
    } finally {
      await program.end()
      await remove()
    }
  })
})
