import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { pino } from 'pino'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { startHousekeeping, sweep } from './housekeeping.ts'
import { findAccount } from './queries.ts'

type DeletedCounts = Awaited<ReturnType<typeof sweep>>

/**
 * For each table, the ages of a row just before and just after it is swept, and a statement that inserts a row. `ID`
 * is its account, `NAME` states whether it stays, and `AT` is the time from which its age is counted.
 */
const ROWS: Record<keyof DeletedCounts, [stays: string, goes: string, insert: string]> = {
  links: [
    '-1 minute',
    '1 minute',
    `(token_hash, purpose, email, account_id, expires_at)
    select NAME, 'reset_password', NAME || '@example.org', ID, AT`,
  ],
  passkey_challenges: [
    '-1 minute',
    '1 minute',
    `(challenge_hash, purpose, account_id, expires_at) select NAME, 'sign_in', ID, AT`,
  ],
  upstream_flows: [
    '-1 minute',
    '1 minute',
    `(token_hash, provider, browser_hash, expires_at) select NAME || ID, 'google', 'x', AT`,
  ],
  attempts: [
    '23 hours 59 minutes',
    '24 hours 1 minute',
    `(key, tries, last_try_at) select NAME || ID, 1, AT`,
  ],
  trusted_browsers: [
    '-1 minute',
    '1 minute',
    `(token_hash, account_id, expires_at) select rpad(NAME, 43, 'x'), ID, AT`,
  ],
  uploads: [
    '59 minutes',
    '61 minutes',
    `(account_id, hash, bytes, created_at) select ID, rpad(NAME, 43, 'x'), 'x', AT`,
  ],
  withdrawals: [
    '-1 minute',
    '1 minute',
    `(kind, subject, expires_at) select 'token', NAME || ID, AT`,
  ],
  form_drafts: [
    '-1 minute',
    '1 minute',
    `(token_hash, sender, path, fields, expires_at) select rpad(NAME || ID, 43, 'x'), 'x', '/', '{}', AT`,
  ],
  sessions: [
    '-1 minute',
    '1 minute',
    `(id_hash, uid, account_id, payload, expires_at) select NAME, NAME, ID, '{}', AT`,
  ],
  oidc_records: [
    '-1 minute',
    '1 minute',
    `(model, id_hash, payload, expires_at) select 'A', NAME || ID, '', AT`,
  ],
  grants: [
    '64 minutes',
    '66 minutes',
    `(id, account_id, client_id, payload, expires_at) select NAME, ID, 'sweep', '', AT`,
  ],
  mails: [
    '2 days 23 hours',
    '3 days 1 hour',
    `(kind, email, language, created_at) select 'x', NAME || ID, 'en', AT`,
  ],
  list_imports: [
    '-1 minute',
    '1 minute',
    `(account_id, id, source, file, expires_at) select ID, NAME, 'vndb', '', AT`,
  ],
  known_devices: [
    '399 days',
    '401 days',
    `(account_id, device_hash, last_used_at) select ID, NAME, AT`,
  ],
  deleted_collections: [
    '59 minutes',
    '61 minutes',
    `(account_id, id, collection, items, deleted_at) select ID, 1, jsonb_build_array(NAME), '[]', AT`,
  ],
  rating_walks: [
    '59 minutes',
    '61 minutes',
    `(account_id, client_id, filter, work_ids, started_at) select ID, 'app', NAME, '{}', AT`,
  ],
  removed_items: [
    '59 minutes',
    '61 minutes',
    `(account_id, collection_id, work_id, item, removed_at)
    select account_id, id, 1, jsonb_build_array(NAME), AT from collections where account_id = ID`,
  ],
  app_usage: ['91 days', '92 days', `(client_id, day) select 'sweep', AT::date`],
  app_endpoint_usage: [
    '91 days',
    '92 days',
    `(client_id, day, endpoint, status_class, requests)
    select 'sweep', AT::date, 'GET /' || NAME, 2, 1`,
  ],
  refused_requests: [
    '6 days 23 hours',
    '7 days 1 hour',
    `(client_id, at, request_id, endpoint, status, code, reason, sent)
    select 'sweep', AT, NAME, 'GET /', 403, 'a', 'b', '{}'`,
  ],
  audit_events: [
    '29 days 23 hours',
    '30 days 1 hour',
    `(kind, at, user_agent) select 'sign_in_failed', AT, NAME`,
  ],
}

describeOnDatabase('an expired row', (engine) => {
  let database: OpenTestDatabase
  let accounts = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  const makeAccount = async () => {
    accounts += 1
    return addAccount(database.db, {
      email: `sweep-${accounts}@example.org`,
      name: 'S',
      password: 'a long one',
    })
  }

  it('is deleted from each table when it expires, and no earlier', async () => {
    const { db } = database
    const [young, old] = [await makeAccount(), await makeAccount()]
    await sql`
      insert into apps (client_id, client_name, secret_hash)
      values ('sweep', 'Sweep', ${'x'.repeat(43)})`.execute(db)
    await sql`
      insert into consents (account_id, client_id, scopes)
      select id, 'sweep', '[]' from accounts where id in (${young}, ${old})`.execute(db)
    await sweep(db)
    for (const [table, [keptRow, deletedRow, insert]] of Object.entries(ROWS))
      for (const [account, name, age] of [
        [young, 'stays', keptRow],
        [old, 'goes', deletedRow],
      ] as const) {
        const values = insert
          .replaceAll('ID', `${account}`)
          .replaceAll('NAME', `'${name}'::text`)
          .replaceAll('AT', `(now() - interval '${age}')`)
        await db.executeQuery(CompiledQuery.raw(`insert into ${table} ${values}`))
      }
    // Only failed sign-ins without an account are deleted.
    await sql`
      insert into audit_events (kind, at, account_id)
      values ('sign_in_failed', now() - interval '31 days', ${old}), ('banned', now() - interval '31 days', null)`.execute(
      db,
    )
    const deleted = await sweep(db)
    assert.deepEqual(deleted, Object.fromEntries(Object.keys(ROWS).map((table) => [table, 1])))
    for (const table of Object.keys(ROWS)) {
      const { rows } = await sql<{ row: string }>`
        select item::text as row from ${sql.table(table)} item`.execute(db)
      assert.ok(!rows.some(({ row }) => row.includes('goes')), table)
    }
    const withdrawn = await db.selectFrom('withdrawals').select('kind').execute()
    assert.deepEqual(withdrawn, [{ kind: 'token' }], 'to sweep a grant is not to withdraw it')
    assert.ok(Object.values(await sweep(db)).every((rows) => rows === 0))
  })

  it('is deleted together with all other expired rows, however many there are', async () => {
    const { db } = database
    await sql`
      insert into attempts (key, tries, last_try_at)
      select 'sweep:' || number, 1, now() - make_interval(hours => number % 2 * 25)
      from generate_series(1, 4200) number`.execute(db)
    await sweep(db)
    const left = await db
      .selectFrom('attempts')
      .select('key')
      .where('key', 'like', 'sweep:%')
      .execute()
    assert.equal(left.length, 2_100)
  })

  it('is deleted by a periodic task, which also deletes accounts a week after their owners request it', async () => {
    const { db } = database
    const [due, early] = [await makeAccount(), await makeAccount()]
    for (const [id, age] of [
      [due, '7 days 1 minute'],
      [early, '6 days 23 hours'],
    ] as const)
      await sql`
        update accounts set deletion_requested_at = now() - ${age}::interval where id = ${id}`.execute(
        db,
      )
    await sql`
      insert into attempts (key, tries, last_try_at) values ('x', 1, now() - interval '25 hours')`.execute(
      db,
    )
    const task = startHousekeeping(db, pino({ enabled: false }))
    task.wake()
    // Waits for the run in progress.
    await new Promise((resolve) => setImmediate(resolve))
    await task.stop()
    assert.equal(await findAccount(db, due), undefined)
    assert.ok(await findAccount(db, early))
    assert.deepEqual(
      await db.selectFrom('attempts').select('key').where('key', '=', 'x').execute(),
      [],
    )
  })
})
