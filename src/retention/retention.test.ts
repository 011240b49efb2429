import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { pino } from 'pino'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { readConfig } from '../config/config.ts'
import { deleteByAge } from './delete-by-age.ts'
import { describeRetention } from './describe-retention.ts'
import { startHousekeeping } from './housekeeping.ts'
import { FIXED_RULES, WINDOW_RULES } from './rules.ts'
import { findAccount } from '../accounts/queries.ts'

type Case = [stays: string, goes: string, insert: string]

/**
 * For each table, the ages of a row just before and just after it expires, and a statement that inserts a row. `ID` is
 * its account, `NAME` states whether it stays, and `AT` is the time from which its age is counted.
 */
const ROWS: Record<(typeof FIXED_RULES)[number]['table'], Case> = {
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
  personal_tokens: [
    '29 days 23 hours',
    '30 days 1 hour',
    `(account_id, slot, token_hash, name, scopes, created_at, expires_at)
    select ID, case when NAME like 's%' then 1 else 2 end, rpad(NAME, 43, 'x'), NAME, '["status:read"]', AT - interval '1 day', AT`,
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
  rating_changes: [
    '1 hour 59 minutes',
    '2 hours 1 minute',
    `(account_id, work_id, kind, action, fields, changed_at)
    select ID, 1, 'galgame', 'CHANGED', jsonb_build_object('private_note', jsonb_build_object('from', '', 'to', NAME)), AT`,
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
  apps: [
    '29 days 23 hours',
    '30 days 1 hour',
    `(client_id, client_name, client_type, token_endpoint_auth_method, grant_types, redirect_uris, document_host, created_at)
    select 'https://sweep.example.org/' || NAME, NAME, 'public', 'none', '["authorization_code"]',
      '["http://127.0.0.1/"]', 'sweep.example.org', AT`,
  ],
  webhook_deliveries: [
    '6 days 23 hours',
    '7 days 1 hour',
    `(endpoint_id, event, data, next_attempt_at, created_at)
    select id, NAME, '{}', null, AT from webhook_endpoints where client_id = 'sweep'`,
  ],
  audit_events: [
    '29 days 23 hours',
    '30 days 1 hour',
    `(kind, at, user_agent) select 'sign_in_failed', AT, NAME`,
  ],
}

const FOREVER = readConfig({}).retention

/**
 * Statements that insert rows for each rule with a setting, for a window of 100 days. Each row to delete has a newer
 * one of its kind, so that no exception keeps it.
 */
const WINDOW_ROWS: Record<(typeof WINDOW_RULES)[number]['setting'], string[]> = {
  RATING_HISTORY_RETENTION: [
    `insert into rating_changes (account_id, work_id, kind, action, fields, changed_at)
    values (ID, 1, 'galgame', 'CHANGED', '{"is": NAME}', AT), (ID, 1, 'galgame', 'CHANGED', '{}', AT)`,
  ],
  FEED_RETENTION: [
    `insert into catalog_changes (id, resource_type, resource_id, kind, audience, created_at)
    select next, 'person', ID, 'UPSERT', 'everybody', AT
    from (select coalesce(max(id), 0) + 1 as next from catalog_changes) feed`,
    `insert into catalog_changes (id, resource_type, resource_id, kind, audience, created_at)
    select next, 'person', ID, 'UPSERT', 'everybody', now()
    from (select coalesce(max(id), 0) + 1 as next from catalog_changes) feed`,
  ],
  AUDIT_RETENTION: [`insert into audit_events (kind, account_id, at) values ('sign_in', ID, AT)`],
  IMPORT_RUN_RETENTION: [
    `insert into import_runs (source, outcome, began_at, ended_at) values ('ID', 'done', AT, AT)`,
    `insert into import_runs (source, outcome, ended_at) values ('ID', 'done', now())`,
  ],
  REPORT_RETENTION: [
    `insert into reports (account_id, kind, subject, place, reason, note, state, decided_at)
    values (ID, 'REVIEW', '1', '/', 'SPAM', '', 'DISMISSED', AT)`,
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
    await sql`
      insert into webhook_endpoints (client_id, url, events, secret, feed_id)
      values ('sweep', 'https://app.example.org/', '["app.revoked"]', 'x', 0)`.execute(db)
    await deleteByAge(db)
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
    const deleted = await deleteByAge(db)
    assert.deepEqual(deleted, Object.fromEntries(Object.keys(ROWS).map((table) => [table, 1])))
    for (const table of Object.keys(ROWS)) {
      const { rows } = await sql<{ row: string }>`
        select item::text as row from ${sql.table(table)} item`.execute(db)
      assert.ok(!rows.some(({ row }) => row.includes('goes')), table)
    }
    const withdrawn = await db.selectFrom('withdrawals').select('kind').execute()
    assert.deepEqual(withdrawn, [{ kind: 'token' }], 'deleting an expired grant withdraws nothing')
    assert.ok(Object.values(await deleteByAge(db)).every((rows) => rows === 0))
  })

  it('is deleted together with all other expired rows, however many there are', async () => {
    const { db } = database
    await sql`
      insert into attempts (key, tries, last_try_at)
      select 'sweep:' || number, 1, now() - make_interval(hours => number % 2 * 25)
      from generate_series(1, 4200) number`.execute(db)
    await deleteByAge(db)
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
    const task = startHousekeeping(db, pino({ enabled: false }), FOREVER)
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

describe('the table of retention', () => {
  it('is up to date in docs/operations.md (if not, run npm run retention)', async () => {
    const { path, text } = await describeRetention()
    assert.equal(readFileSync(path, 'utf8'), text)
  })
})

describeOnDatabase('data with a window', (engine) => {
  let database: OpenTestDatabase
  let account: number
  before(async () => {
    database = await openTestDatabase(engine, 'empty')
    account = await addAccount(database.db, {
      email: 'window@example.org',
      name: 'W',
      password: 'a long one',
    })
  })
  after(() => database.remove())
  const run = (text: string) => database.db.executeQuery(CompiledQuery.raw(text))
  const countOf = async (table: string) =>
    Number(
      (
        await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(
          database.db,
        )
      ).rows[0]?.rows,
    )

  for (const { setting, table } of WINDOW_RULES)
    it(`is deleted once older than ${setting}, but not earlier or without the setting`, async () => {
      const { db } = database
      await sql`truncate ${sql.table(table)} cascade`.execute(db)
      for (const insert of WINDOW_ROWS[setting])
        await run(
          insert
            .replaceAll('ID', `${account}`)
            .replaceAll('NAME', '1')
            .replaceAll('AT', `(now() - interval '100 days' + interval '30 seconds')`),
        )
      const before = await countOf(table)
      assert.deepEqual(await deleteByAge(db, { [setting]: 100 }).then((rows) => rows[setting]), 0)
      assert.equal((await deleteByAge(db))[setting], undefined)
      for (const column of ['changed_at', 'created_at', 'at', 'ended_at', 'decided_at'])
        await run(`do $$ begin
          update ${table} set ${column} = ${column} - interval '31 seconds' where ${column} < now() - interval '1 day';
        exception when undefined_column then null; end $$`)
      assert.equal((await deleteByAge(db))[setting], undefined)
      assert.equal(await countOf(table), before)
      assert.equal((await deleteByAge(db, { [setting]: 100 }))[setting], 1)
      assert.equal(await countOf(table), before - 1)
    })

  it('keeps the last change of each rating, and of each entry for every audience', async () => {
    const { db } = database
    await sql`truncate rating_changes, catalog_changes`.execute(db)
    await run(`insert into rating_changes (account_id, work_id, kind, action, fields, changed_at)
      select ${account}, work, 'galgame', 'CHANGED', '{}', now() - interval '1 year'
      from (values (1), (2), (2)) changed (work)`)
    await run(`insert into catalog_changes (id, resource_type, resource_id, kind, audience, created_at)
      select id, 'galgame', entry, 'UPSERT', audience, now() - interval '1 year'
      from (values
        (1, 7, 'everybody'), (2, 7, 'full'), (3, 7, 'without_full'), (4, 7, 'full'),
        (5, 8, 'full'), (6, 8, 'everybody')
      ) change (id, entry, audience)`)
    await deleteByAge(db, { RATING_HISTORY_RETENTION: 100, FEED_RETENTION: 100 })
    const { rows } = await sql<{ id: number }>`select id from catalog_changes order by id`.execute(
      db,
    )
    assert.deepEqual(
      rows.map(({ id }) => id),
      [1, 3, 4, 6],
    )
    const works = await db
      .selectFrom('rating_changes')
      .select('work_id')
      .orderBy('work_id')
      .execute()
    assert.deepEqual(
      works.map(({ work_id }) => work_id),
      [1, 2],
    )
  })

  it('keeps the last successful import of a source and the runs after it, and open reports', async () => {
    const { db } = database
    await sql`truncate import_runs, reports`.execute(db)
    await run(`insert into import_runs (source, outcome, ended_at)
      select 'vndb', outcome, now() - interval '1 year' from unnest(array['failed', 'done', 'failed']) outcome`)
    await run(`insert into reports (account_id, kind, subject, place, reason, note, created_at)
      values (${account}, 'REVIEW', '1', '/', 'SPAM', '', now() - interval '9 years')`)
    await deleteByAge(db, { IMPORT_RUN_RETENTION: 30, REPORT_RETENTION: 30 })
    assert.deepEqual([await countOf('import_runs'), await countOf('reports')], [2, 1])
  })

  it('includes old sign-ups that wait for approval, but no declined, approved or younger ones', async () => {
    const { db } = database
    const ids: number[] = []
    for (const [name, age, isDeclined] of [
      ['old', '100 days 1 second', false],
      ['young', '99 days 23 hours 59 minutes', false],
      ['declined', '101 days', true],
    ] as const) {
      const id = await addAccount(db, {
        email: `${name}@example.org`,
        name,
        password: 'a long one',
      })
      await sql`
        update accounts set
          approval_requested_at = now() - ${age}::interval, approval_language = 'en',
          declined_at = case when ${isDeclined} then now() end,
          decline_reason = case when ${isDeclined} then 'unknown' end
        where id = ${id}`.execute(db)
      ids.push(id)
    }
    assert.equal((await deleteByAge(db, { SIGN_UP_RETENTION: 100 }))['SIGN_UP_RETENTION'], 1)
    const left = await Promise.all([account, ...ids].map((id) => findAccount(db, id)))
    assert.deepEqual(left.map(Boolean), [true, false, true, true])
  })
})
