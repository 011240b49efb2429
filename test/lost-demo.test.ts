import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { deleteAccount } from '../src/accounts/deletion-queries.ts'
import { verifyCredentials } from '../src/accounts/sign-in/sign-in.ts'
import { CONSOLE_CLIENT_ID } from '../src/apps/operator/first-party.ts'
import type { Database } from '../src/db/database.ts'
import type { Demo } from '../src/demo-file.ts'
import { PACKED_DEMO_STATE, prepareDemo } from '../src/demo.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { assertDemoWorks, DEMO_READY, readDemo } from '#test/demo.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { freePort } from '#test/free-port.ts'
import { requestToken, startMokuroku } from '#test/program.ts'
import { writeRating, type Work } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'

describe('a demo that may have lost its demo.json', () => {
  let database: TestDatabase
  let service: TestService
  let dataDir: string
  let file: string
  let environment: NodeJS.ProcessEnv
  let first: Demo

  const inDatabase = <Result>(work: (db: Database) => Promise<Result>) =>
    withTestDatabase(database, work)
  const start = (...flags: string[]) => startMokuroku(['serve', ...flags], { environment })

  /**
   * Starts with `--demo`, and stops after the demo check.
   *
   * @returns the log
   */
  async function startAndCheck() {
    const program = start('--demo')
    await program.waitForOutput(DEMO_READY)
    await assertDemoWorks(dataDir)
    const { status, errors } = await program.end('SIGTERM')
    assert.equal(status, 0)
    return errors
  }

  /**
   * Prepares the demo like a start with `--demo`, but faster.
   *
   * @returns the log
   */
  async function prepare() {
    const lines: string[] = []
    const config = { ...service.config, dataDir, baseUrl: first.base_url }
    await prepareDemo(service.db, config, true, (line) => lines.push(line))
    return lines.join('\n')
  }

  /**
   * Prepares the demo, and checks it with the service.
   *
   * @returns the log
   */
  async function prepareAndCheck() {
    const log = await prepare()
    await assertDemoWorks(dataDir, service.url)
    return log
  }

  /** Returns everything in the demo that a renewal must not change. */
  const findBelongings = () =>
    inDatabase(async (db) => {
      const { rows } = await sql`
        select
          (select jsonb_agg(jsonb_build_object('id', id, 'email', email, 'name', name)) from accounts) as accounts,
          (select jsonb_agg(rating order by work_id) from ratings rating) as ratings,
          (select jsonb_agg(collection order by id) from collections collection) as collections,
          (select jsonb_agg(client_id order by client_id) from apps) as apps`.execute(db)
      return rows
    })

  const signIn = ({ account: { email, password = '' } }: Demo) =>
    inDatabase(async (db) => {
      const { outcome } = await verifyCredentials(db, { email, password, address: '127.0.0.1' })
      return outcome
    })

  before(async () => {
    database = await createDatabase('server', 'sample')
    await inDatabase((db) =>
      db
        .insertInto('installation')
        .values({ name: 'demo', value: JSON.stringify(PACKED_DEMO_STATE) })
        .execute(),
    )
    dataDir = join(database.dataDir, 'data')
    file = join(dataDir, 'demo.json')
    environment = {
      DATABASE_URL: database.databaseUrl,
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
    }
    await startAndCheck()
    service = await startService({ database })
    await inDatabase(async (db) => {
      const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
      const works = await sql<Work>`select id, kind from works order by id limit 3`.execute(db)
      for (const work of works.rows)
        await writeRating(db, id, work, { status: 'COMPLETED', rate: 8 })
    })
  })
  after(async () => {
    await service.close()
    await database.remove()
  })
  beforeEach(() => {
    first = readDemo(dataDir)
  })

  const LOSSES: Record<string, () => void> = {
    // Must be first, because ids are predictable only before the first renewal.
    'its file belongs to another database': () => {
      const apps = first.apps.map((app) => ({ ...app, client_id: `other-${app.client_id}` }))
      writeFileSync(file, JSON.stringify({ ...first, apps }))
    },
    'its file is lost': () => rmSync(file),
    'its file is broken': () => writeFileSync(file, '{'),
    'its file is empty': () => writeFileSync(file, ''),
    'its file holds something else': () => writeFileSync(file, 'null'),
    'its folder is empty': () => rmSync(dataDir, { recursive: true }),
    'a renewal was killed while writing': () => {
      rmSync(file)
      writeFileSync(`${file}.new`, '{', { mode: 0o644 })
    },
    'a renewal was killed before its commit': () =>
      writeFileSync(file, JSON.stringify({ ...first, renewal: 'never committed' })),
  }
  for (const [loss, lose] of Object.entries(LOSSES))
    it(`keeps the account, ratings and apps, and renews the secrets, when ${loss}`, async () => {
      const belongings = await findBelongings()
      lose()
      const log = await prepareAndCheck()
      assert.match(log, /renewing the demo account's password and the demo apps' secrets/)
      assert.deepEqual(await findBelongings(), belongings)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      const renewed = readDemo(dataDir)
      assert.equal(await signIn(renewed), 'ok')
      assert.equal(await signIn(first), 'wrong')
      const ids = ({ apps }: Demo) => apps.map(({ client_id }) => client_id)
      assert.deepEqual(ids(renewed), ids(first))
      for (const [index, { client_secret }] of renewed.apps.entries())
        if (client_secret !== undefined)
          assert.notEqual(client_secret, first.apps[index]?.client_secret)
    })

  it('keeps its secrets while the file is valid', async () => {
    assert.ok(!(await prepareAndCheck()).includes('renewing'))
    assert.deepEqual(readDemo(dataDir), first)
  })

  it('keeps its secrets when the file cannot be written', async () => {
    rmSync(file)
    mkdirSync(`${file}.new`)
    assert.equal((await start('--demo').ended).status, 1)
    rmSync(`${file}.new`, { recursive: true })
    writeFileSync(file, JSON.stringify(first))
    assert.equal(await signIn(first), 'ok')
    assert.ok(!(await prepareAndCheck()).includes('renewing'))
  })

  it('is renewed once by two processes that start together, and both print the new secrets', async () => {
    rmSync(file)
    const programs = await inDatabase((db) =>
      db.transaction().execute(async (trx) => {
        // Neither can finish before the other has noticed the missing file.
        await sql`select from accounts for update`.execute(trx)
        const started = ['0', '0'].map((PORT) =>
          startMokuroku(['serve', '--demo'], { environment: { ...environment, PORT } }),
        )
        await waitForBlocked(trx, 2)
        return started
      }),
    )
    await Promise.all(programs.map((program) => program.waitForOutput(DEMO_READY)))
    const endings = await Promise.all(programs.map((program) => program.end('SIGTERM')))
    const renewals = endings.filter(({ errors }) => errors.includes('renewing'))
    assert.equal(renewals.length, 1)
    const secret = readDemo(dataDir).apps[0]?.client_secret ?? assert.fail()
    for (const { output } of endings) assert.ok(output.includes(secret))
    await prepareAndCheck()
  })

  it('is completed by the next start if the process is killed while it writes the file', async () => {
    const belongings = await findBelongings()
    rmSync(file)
    const killed = start('--demo')
    while (!existsSync(file)) await sleep(1)
    await killed.end('SIGKILL')
    await prepareAndCheck()
    assert.deepEqual(await findBelongings(), belongings)
    assert.equal(await signIn(readDemo(dataDir)), 'ok')
  })

  it('deletes an app that was left behind when the process was killed between writing the file and the commit', async () => {
    const known = first.apps
      .map(({ client_id }) => client_id)
      .filter((id) => id !== CONSOLE_CLIENT_ID)
    const dead = known.pop() ?? ''
    await inDatabase(async (db) => {
      await sql`delete from apps where client_id = ${dead}`.execute(db)
      await sql`
        update installation set value = jsonb_set(value::jsonb, '{client_ids}', ${JSON.stringify(known)}::jsonb)
        where name = 'demo'`.execute(db)
    })
    assert.ok(!(await prepareAndCheck()).includes('renewing'))
    const { apps } = readDemo(dataDir)
    assert.equal(apps.length, first.apps.length)
    assert.ok(!apps.some(({ client_id }) => client_id === dead))
  })

  it('is not changed by a start without --demo, since the file may be on another machine', async () => {
    rmSync(file)
    const program = start()
    await program.waitForOutput('mokuroku listens')
    await program.end('SIGTERM')
    assert.equal(existsSync(file), false)
    writeFileSync(file, JSON.stringify(first))
    assert.equal(await signIn(first), 'ok')
  })

  const UNREADABLE: Record<string, [code: string, make: () => void]> = {
    'is a folder': ['EISDIR', () => mkdirSync(file)],
    'is a link to itself': ['ELOOP', () => symlinkSync(file, file)],
  }
  for (const [fault, [code, make]] of Object.entries(UNREADABLE))
    it(`is not changed when the file ${fault}, and startup fails with a one-line error`, async () => {
      const belongings = await findBelongings()
      rmSync(file)
      make()
      const { status, output, errors } = await start('--demo').ended
      rmSync(file, { recursive: true })
      writeFileSync(file, JSON.stringify(first))
      assert.deepEqual({ status, output }, { status: 1, output: '' })
      assert.deepEqual(
        errors.split('\n').filter((line) => line !== '' && !line.startsWith('{')),
        [
          `${file} cannot be read (${code}): make it readable for the user that runs mokuroku, ` +
            'or move it away to have its secrets renewed.',
        ],
      )
      assert.deepEqual(await findBelongings(), belongings)
      assert.equal(await signIn(first), 'ok')
    })

  const OWNED: Record<string, (db: Database) => Promise<unknown>> = {
    'a password': (db) => sql`update accounts set password_hash = 'of a person'`.execute(db),
    'an address': (db) => db.updateTable('accounts').set({ email: 'owner@example.org' }).execute(),
  }
  for (const [name, give] of Object.entries(OWNED))
    it(`keeps its secrets after its owner has set ${name} for the account`, async () => {
      const login = () =>
        inDatabase(
          async (db) => (await sql`select email, password_hash from accounts`.execute(db)).rows,
        )
      const [before] = (await login()) as { email: string; password_hash: string }[]
      await inDatabase(give)
      const owned = await login()
      rmSync(file)
      const log = await prepare()
      const messages = await Promise.all(
        first.apps
          .filter(({ scope }) => scope.startsWith('catalog:'))
          .map(async (app) => (await requestToken(service.url, app)).status),
      )
      assert.deepEqual(messages, [200, 200])
      assert.match(log, /are not renewed/)
      assert.equal(existsSync(file), false)
      assert.deepEqual(await login(), owned)
      await inDatabase((db) =>
        db
          .updateTable('accounts')
          .set(before ?? {})
          .execute(),
      )
      writeFileSync(file, JSON.stringify(first))
    })

  it('does not change an app that now belongs to another account', async () => {
    const [launcher = assert.fail()] = first.apps
    await inDatabase(async (db) => {
      await sql`
        with other as (
          insert into accounts (email, name, password_hash) values ('other@example.org', 'Other', 'x') returning id
        )
        update apps set account_id = (select id from other) where client_id = ${launcher.client_id}`.execute(
        db,
      )
    })
    rmSync(file)
    await prepare()
    assert.equal((await requestToken(service.url, launcher)).status, 200)
    const { apps } = readDemo(dataDir)
    assert.ok(!apps.some(({ client_id }) => client_id === launcher.client_id))
    await inDatabase(async (db) => {
      await sql`delete from apps where client_id = ${launcher.client_id}`.execute(db)
      await sql`delete from accounts where email = 'other@example.org'`.execute(db)
    })
  })

  it('is not recreated once its account has been deleted', async () => {
    await inDatabase(async (db) => {
      const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
      assert.equal(await deleteAccount(db, id), true)
    })
    rmSync(file)
    const program = start('--demo')
    await program.waitForOutput('mokuroku listens')
    const { output, errors } = await program.end('SIGTERM')
    assert.match(output, /^mokuroku listens on \S+\n$/)
    assert.match(errors, /The demo no longer exists: its account was deleted/)
    assert.equal(existsSync(file), false)
  })
})
