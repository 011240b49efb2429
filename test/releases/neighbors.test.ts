import assert from 'node:assert/strict'
import { NEXT_MIGRATION } from '#test/next-migration.ts'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnEachDatabase, type TestDatabase } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { freePort } from '#test/free-port.ts'
import { mokuroku, startMokuroku, startProgram, type Program } from '#test/program.ts'
import { sendApiRequest } from '#test/user-api.ts'
import type { Fixture } from './fixture.ts'
import {
  createReleasedDatabase,
  makeNextProgram,
  readLatestFixture,
  settingsOf,
  sumReleased,
} from './released-database.ts'

/** Migrations that take long enough to be killed in the middle. */
const SLOW = {
  '9001_first': `
    alter table ratings add column first text default 'none';
    update ratings set first = 'some';
    select pg_sleep(0.3)`,
  '9002_second': `
    create table second as select * from accounts;
    select pg_sleep(0.3);
    alter table second add primary key (id)`,
  '9003_third': `
    alter table works add column third text;
    update works set third = kind;
    select pg_sleep(0.3);
    create index works_third on works (third)`,
}
const NAMES = Object.keys(SLOW)

/** Times, in milliseconds after a migration has begun, at which the process is killed. */
const MOMENTS_MS = [0, 150]

/** Kills a program, which may also end before. */
async function killAt(program: Program, migration: string, milliseconds: number) {
  await Promise.race([program.waitForOutput(`"migration":"${migration}"`), program.ended])
  await sleep(milliseconds)
  return program.end('SIGKILL')
}

describeOnEachDatabase('an upgrade that is killed', (engine) => {
  let fixture: Fixture
  let database: TestDatabase
  const next = makeNextProgram(SLOW)
  before(async () => {
    fixture = await readLatestFixture()
    database = await createReleasedDatabase(engine, fixture)
  })
  after(async () => {
    next.remove()
    await database.remove()
  })

  const findApplied = () =>
    withTestDatabase(database, async (db) => {
      const rows = await db
        .selectFrom('migrations')
        .select('name')
        .where('name', '>', '9')
        .orderBy('name')
        .execute()
      return rows.map(({ name }) => name)
    })

  it('applies each migration completely or not at all, keeps all rows, and can be repeated', async () => {
    const environment = { ...settingsOf(database, fixture), BACKUP_EVERY: 'off' }
    const migrate = () => startProgram([...next.command, 'migrate', '--json'], { environment })
    const current = await mokuroku(['migrate'], { environment })
    assert.equal(current.status, 0, current.errors)
    const released = await sumReleased(database, fixture)
    let killed = 0
    for (const name of NAMES)
      for (const moment of MOMENTS_MS) {
        const { signal } = await killAt(migrate(), name, moment)
        if (signal === 'SIGKILL') killed += 1
        const applied = await findApplied()
        assert.deepEqual(applied, NAMES.slice(0, applied.length))
        assert.ok(applied.length >= NAMES.indexOf(name), `${name} began after ${applied.join()}`)
        assert.deepEqual(await sumReleased(database, fixture), released)
      }
    assert.ok(killed >= NAMES.length, `${killed} processes were killed`)
    const { status, errors } = await migrate().ended
    assert.equal(status, 0, errors)
    assert.deepEqual(await findApplied(), NAMES)
    assert.deepEqual(await sumReleased(database, fixture), released)
  })
})

describe('services of this version and the next on one database', () => {
  let fixture: Fixture
  let database: TestDatabase
  let older: { url: string; program: Program }
  let newer: { url: string; program: Program }
  const next = makeNextProgram({ '9001_next': NEXT_MIGRATION })
  before(async () => {
    fixture = await readLatestFixture()
    database = await createReleasedDatabase('server', fixture)
    older = await serve((args, options) => startMokuroku(args, options))
    newer = await serve((args, options) => startProgram([...next.command, ...args], options))
  })
  after(async () => {
    for (const { program } of [older, newer]) await program.end('SIGKILL')
    next.remove()
    await database.remove()
  })

  async function serve(start: typeof startMokuroku) {
    const port = await freePort()
    const program = start(['serve', '--no-demo'], {
      environment: {
        ...settingsOf(database, fixture),
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_POOL_SIZE: '4',
      },
    })
    await program.waitForOutput('mokuroku listens on')
    return { url: `http://127.0.0.1:${port}`, program }
  }

  it('read what the other writes, and accept the same tokens', async () => {
    const { access_token: token, rated } = fixture.access
    const path = `/v3/user/me/rates/${rated.path}`
    for (const [round, [writer, reader]] of [
      [older, newer],
      [newer, older],
    ].entries()) {
      const rate_content = `Round ${round}`
      const body = { rate_content }
      const written = await sendApiRequest(writer?.url ?? '', { token, method: 'PUT', path, body })
      assert.equal(written.status, 200, written.text)
      const read = await sendApiRequest(reader?.url ?? '', { token, path })
      assert.equal(read.data.rate_content, rate_content)
    }
  })

  for (const page of ['/', '/galgames', '/search?q=a', '/health/ready'])
    it(`respond identically to ${page}`, async () => {
      const [before, after] = await Promise.all(
        [older, newer].map(
          async ({ url }) => (await fetch(url + page, { headers: { accept: 'text/html' } })).status,
        ),
      )
      assert.deepEqual([before, after], [200, 200])
    })

  for (const args of [['migrate'], ['serve'], ['account', 'list']])
    it(`do not let this version start again: mokuroku ${args.join(' ')} fails with a one-line error`, async () => {
      const environment = {
        ...settingsOf(database, fixture),
        PORT: String(await freePort()),
        LOG_LEVEL: 'error',
      }
      assert.deepEqual(await mokuroku(args, { environment }), {
        status: 1,
        signal: null,
        output: '',
        errors:
          'The database is newer than this program: it contains the unknown migration 9001_next. Update mokuroku.\n',
      })
    })

  it('stop without errors', async () => {
    for (const { program } of [older, newer]) {
      const { status, errors } = await program.end('SIGTERM')
      assert.equal(status, 0, errors)
      assert.doesNotMatch(errors, /"level":"error"/)
    }
  })
})
