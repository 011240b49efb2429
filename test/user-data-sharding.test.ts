/** Checks the rules for user data (decision 0013), which allow it to be sharded by account. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { readDocument } from '#test/openapi.ts'
import { documentedUserPath, signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { banAccount, unbanAccount } from '../src/accounts/ban-queries.ts'
import { deleteAccount } from '../src/accounts/deletion-queries.ts'
import { decideReports, reopenReports } from '../src/moderation/decision-queries.ts'
import { hideSubject, restoreSubject } from '../src/moderation/hide-queries.ts'
import { findReport, listReportQueue, listReportsOf } from '../src/moderation/report-queries.ts'
import { findReviewTexts, findSubject, isHideable } from '../src/moderation/subject-queries.ts'
import {
  accountFaults,
  mentionsOf,
  readKnownNames,
  schemaFaults,
  shapeFaults,
  USER_TABLES,
} from '#test/sharding-rules.ts'
import { ownStatementsOf, statementsOf, type SentStatement } from '#test/statements.ts'
import { statementNameOf } from '../src/db/statement.ts'
import { openDatabase } from '../src/db/database.ts'
import { addMissingReferences } from '../src/db/sharding/missing-references.ts'
import { SHARDED_TABLES } from '../src/db/sharding/sharded-tables.ts'
import { REFERENCE_RULES } from '#test/reference-rules.ts'
import { first, sampleWorks } from '#test/sample-works.ts'

/** Shared tables that refer to accounts: sign-ins and apps. */
const SHARED_TABLES = [
  'apps',
  'audit_events',
  'consents',
  'grants',
  'known_devices',
  'links',
  'passkey_challenges',
  'passkeys',
  'personal_tokens',
  'private_feeds',
  'profile_names',
  'public_profiles',
  'reader_preferences',
  'recovery_codes',
  'sessions',
  'trusted_browsers',
  'uploads',
  'upstream_flows',
  'upstream_identities',
]

/** Names of the statements that name no account. They read and delete only user data. */
const ACROSS_ACCOUNTS = new Set([
  // Totals are applied behind the requests.
  'ratings.take_deltas',
  'ratings.oldest_vote_deltas',
  // Similar works are computed behind the requests.
  'similar.take_likes',
  'similar.list_liked',
  // A review is known by its ID alone, and is found through an index.
  'ratings.locate',
  'moderation.find_review',
  'moderation.select_texts',
  // Moderators read the reports of all users. Other statements then change them account by account.
  'moderation.list_queue',
  'moderation.count_queue',
  'moderation.find_report',
  'moderation.list_reports_of',
  'moderation.list_reporters',
  'moderation.list_decided',
  // Other statements then lock the authors one by one.
  'accounts.list_authors',
])

/** Statements that check whether a queue has rows. */
const QUEUE_POLLS = new Set(
  ['rating_deltas', 'vote_deltas', 'like_notes'].map(
    (queue) => `select min(id) as id from ${queue} where $1::boolean`,
  ),
)

const needsAccount = (text: string) =>
  !ACROSS_ACCOUNTS.has(statementNameOf(text) ?? '') && !QUEUE_POLLS.has(text)

/** Changes to the schema that a distributed database rejects. */
const FAULTY_SCHEMAS: Record<string, string> = {
  'a primary key without the account':
    'alter table list_imports drop constraint list_imports_pkey, add primary key (id)',
  'no primary key': 'alter table rating_deltas drop constraint rating_deltas_pkey',
  'a unique constraint without the account': 'alter table collections add unique (id)',
  'a unique index without the account': 'create unique index on ratings (id)',
  'an exclusion constraint without the account':
    'alter table rating_walks add exclude using btree (id with =)',
  'a key to accounts': 'alter table rating_deltas add foreign key (account_id) references accounts',
  'a key to works': 'alter table vote_deltas add column work_id bigint references works',
  'a key to the catalog':
    'alter table collection_items add foreign key (work_id) references galgames',
  'a key to user data without the account':
    'alter table ratings add unique (account_id, id); alter table vote_deltas add foreign key (rating_id, account_id) references ratings (id, account_id)',
  'a key from a shared table':
    'alter table uploads add column collection_id bigint; alter table uploads add foreign key (account_id, collection_id) references collections',
  'a key that sets the account to null':
    'alter table rating_deltas add foreign key (account_id) references account_refs on delete set null',
  'a trigger on its table': `create trigger sent after insert on ratings for each statement execute function signal_change('ratings')`,
  'a trigger on a reference table': `create trigger sent after insert on work_refs for each statement execute function signal_change('works')`,
  'a trigger of another table that writes to it': `
    create function count_ratings() returns trigger language plpgsql as
      $$ begin delete from rating_walks; return null; end $$;
    create trigger counted after delete on tags for each statement execute function count_ratings()`,
  'a trigger that writes to a reference table': `
    create function add_work_refs() returns trigger language plpgsql as
      $$ begin insert into work_refs (id, kind) values (new.id, new.kind); return new; end $$;
    create trigger added after insert on works for each row execute function add_work_refs()`,
  'a rule': 'create rule kept as on delete to list_imports do instead nothing',
  'an account of another type': 'alter table rating_deltas alter column account_id type integer',
  'a function that names no account': `
    create function all_walks() returns bigint language sql as 'select count(*) from rating_walks'`,
  'a table that inherits': 'create table old_imports () inherits (list_imports)',
}

/** Statements that a distributed database rejects, or that it would send to every machine. */
const FAULTY_STATEMENTS: Record<string, string> = {
  'no account': 'select from ratings where work_id = 3',
  'the account of another table without a key':
    'select from ratings one join ratings other on other.work_id = one.work_id where one.account_id = $1',
  'an insert that does not begin with the account': 'insert into rating_deltas (work_id) select 1',
  'an account in only one part':
    'select from ratings where account_id = $1 and exists (select from collection_items item where item.work_id = ratings.work_id)',
  'a lock across accounts': 'select from review_votes where voter_id = $1 for update',
  'rows found by ctid':
    'delete from list_imports where account_id = $1 and ctid = any(array(select ctid from list_imports where account_id = $1))',
  'a deletion across accounts': 'delete from review_votes where voter_id = $1',
  'a table of the catalog':
    'select from ratings rating join works work on work.id = rating.work_id where rating.account_id = $1',
  'a view of the catalog':
    'select from ratings rating join shown_works work on work.id = rating.work_id where rating.account_id = $1',
  'the table of accounts':
    'insert into ratings (account_id, work_id) select id, 1 from accounts where id = $1',
  'withdrawn works':
    'insert into ratings (account_id, work_id) select $1, 1 where not exists (select from withdrawn_works where id = 1)',
  'several queues':
    'select exists (select from catalog_changes_due), exists (select from list_imports where account_id = $1)',
  'a time in a case':
    'update collections set updated_at = case when name = $2 then updated_at else now() end where account_id = $1',
  'the current time in a case':
    'update collections set updated_at = case when name = $2 then updated_at else current_timestamp end where account_id = $1',
  'a time after a nested case':
    'update collections set updated_at = case when case when name = $2 then true else false end then updated_at else now() end where account_id = $1',
  'a function that only one machine has':
    'select fold_name(name) from collections where account_id = $1',
  'a random value in a case':
    'update list_imports set id = case when id is null then random()::text end where account_id = $1',
  'a function of a row':
    'select rating_counted(rating) from ratings rating where rating.account_id = $1',
  'a function of a row by its table':
    'select rating_fields(ratings) from ratings where account_id = $1',
  'two queues': 'select (select min(id) from rating_deltas), (select min(id) from vote_deltas)',
  'a function in an upsert':
    'insert into list_imports (account_id, id) values ($1, $2) on conflict (account_id) do update set created_at = clock_timestamp()',
  'a time in an upsert':
    'insert into list_imports (account_id, id) values ($1, $2) on conflict (account_id) do update set created_at = current_timestamp',
  'a function in the condition of an upsert':
    'insert into list_imports (account_id, id) values ($1, $2) on conflict (account_id) do update set id = excluded.id where list_imports.expires_at < now()',
  'a function in the upsert of a CTE':
    'with saved as (insert into list_imports as kept (account_id, id) select $1, $2 on conflict (account_id) do update set id = random_id(8) returning id) select id from saved',
  'a subquery in its values':
    'insert into rating_walks (account_id, client_id, filter, work_ids) values ($1, (select client_id from chosen), $2, $3)',
  'a lateral subquery':
    'select from collections collection cross join lateral (select note from collection_items item where item.account_id = $1 and item.collection_id = collection.id limit 4) first where collection.account_id = $1',
  'a subquery that is correlated with a CTE':
    'with own as (select account_id, id from collections where account_id = $1) select (select count(*) from collection_items item where item.account_id = own.account_id and item.account_id = $1) from own',
}

const SOUND_STATEMENTS = [
  'select from ratings rating where rating.account_id = $1',
  'delete from "collections" where "account_id" = $1 and id = $2',
  'select from ratings rating join work_refs work on work.id = rating.work_id where rating.account_id = $1',
  'update collections set updated_at = now() where account_id = $1',
  'insert into list_imports (account_id, id) select id, $2 from account_refs on conflict (account_id) do update set id = excluded.id returning now()',
  'update collections set updated_at = case when name = $2 then updated_at else later_time($3, updated_at) end where account_id = $1',
]

/** Makes a service take the database for a distributed one, without the keys that a distribution drops. */
async function pretendDistribution(database: TestDatabase) {
  const { db, close } = await openDatabase(database)
  for (const text of [
    'create table pg_dist_partition (logicalrelid regclass)',
    `insert into pg_dist_partition values ('ratings')`,
    'alter table account_refs drop constraint account_refs_id_fkey',
    'alter table work_refs drop constraint work_refs_id_kind_fkey',
  ])
    await sql.raw(text).execute(db)
  await close()
}

describeOnDatabase('user data', (engine) => {
  let service: TestService
  const closers: (() => Promise<unknown>)[] = []
  before(async () => {
    const database = await createDatabase(engine, 'sample')
    closers.push(database.remove)
    await pretendDistribution(database)
    service = await startService({ engine, database })
    closers.push(service.close)
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  const rowsOf = async <Row>(text: string) => (await sql.raw<Row>(text).execute(service.db)).rows

  it('is stored in every table that refers to accounts and is not listed as shared', async () => {
    const rows = await rowsOf<{ name: string }>(`
      select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'account_id' order by 1`)
    assert.deepEqual(
      rows.map(({ name }) => name),
      [...USER_TABLES, ...SHARED_TABLES].toSorted(),
    )
  })

  it('has keys, foreign keys and triggers that can be distributed', async () => {
    assert.deepEqual(await schemaFaults(service.db), [])
  })

  it('is distributed with exactly the foreign keys of the schema', async () => {
    const rows = await rowsOf<{ name: string; definition: string }>(`
      select conname as name, lower(pg_get_constraintdef(oid)) as definition
      from pg_constraint
      where contype = 'f' and conrelid::regclass::text in (${USER_TABLES.map((table) => `'${table}'`).join(', ')})`)
    assert.deepEqual(
      rows.map(({ name, definition }) => `${name} ${definition}`).toSorted(),
      Object.values(SHARDED_TABLES)
        .flat()
        .map((key) => key.join(' '))
        .toSorted(),
    )
  })

  for (const [fault, change] of Object.entries(FAULTY_SCHEMAS))
    it(`violates the rules for schemas with ${fault}`, async () => {
      const undone = new Error('undone')
      await service.db
        .transaction()
        .execute(async (trx) => {
          await sql.raw(change).execute(trx)
          assert.equal((await schemaFaults(trx)).length, 1, (await schemaFaults(trx)).join())
          throw undone
        })
        .catch((error: unknown) => assert.equal(error, undone))
    })

  it('can refer to accounts and works that a process of the previous version created', async () => {
    const { db } = service
    const [account] = await rowsOf<{ id: number }>(
      `insert into accounts (email, name, banned_at) values ('earlier@example.org', 'Earlier', now()) returning id`,
    )
    const [work] = await rowsOf<{ id: number }>(
      `insert into works (kind) values ('manga') returning id`,
    )
    await addMissingReferences(db)
    assert.deepEqual(await rowsOf(`select hidden from account_refs where id = ${account?.id}`), [
      { hidden: true },
    ])
    assert.deepEqual(await rowsOf(`select kind, withdrawn from work_refs where id = ${work?.id}`), [
      { kind: 'manga', withdrawn: false },
    ])
    for (const table of ['works', 'work_refs'])
      await sql.raw(`delete from ${table} where id = ${work?.id}`).execute(db)
  })

  it('is queried by account in every statement of the user API', async () => {
    const me = await signIn(service)
    const author = await signIn(service)
    const requested = new Set<string>()
    const statements = await statementsOf(() => requestEverything(me, author, requested))
    const operations = Object.entries(readDocument().paths)
      .filter(([path]) => path.startsWith('/v3/user/me'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    assert.deepEqual(
      [...requested].toSorted(),
      operations.toSorted(),
      'every operation was requested',
    )

    await assertDistributable(statements, [me.user.id, author.user.id], 20)
    await assertReferencesMatch()
  })

  it('is queried by account when users are banned, restored and deleted', async () => {
    const me = await signIn(service)
    const author = await signIn(service)
    const games = (await sampleWorks(service.db)).galgame.slice(0, 2)
    for (const game of games)
      await me.send('PUT', `/v3/user/me/rates/galgames/${game}`, { rate: 7, rate_content: 'Mine.' })
    const path = `/v3/user/me/rates/galgames/${first(games)}`
    const review = await author.send('PUT', path, { rate_content: 'Theirs.' })
    await me.send('PUT', `/v3/user/me/reviews/${review.data.id}/vote`, { vote: 'LIKE' })
    const { data } = await me.send('POST', '/v3/user/me/collections', { name: 'Mine' })
    await me.send('PUT', `/v3/user/me/collections/${data.id}/galgames/${first(games)}`, {})
    const statements = await ownStatementsOf(async () => {
      assert.ok(await banAccount(service.db, me.user.id, 'Spam'))
      await assertReferencesMatch()
      assert.ok(await unbanAccount(service.db, me.user.id))
      await assertReferencesMatch()
      assert.ok(await deleteAccount(service.db, me.user.id))
    })
    await assertDistributable(statements, [me.user.id, author.user.id], 8)
    await assertReferencesMatch()
  })

  it('is queried by account when moderators decide reports, and hide and restore a review', async () => {
    const author = await signIn(service)
    const reporters = [await signIn(service), await signIn(service)]
    const game = first((await sampleWorks(service.db)).galgame)
    const path = `/v3/user/me/rates/galgames/${game}`
    const { data } = await author.send('PUT', path, { rate: 3, rate_content: 'Nasty.' })
    const body = { kind: 'REVIEW', id: data.id, reason: 'SPAM' }
    for (const { send } of reporters)
      assert.equal((await send('POST', '/v3/user/me/reports', body)).status, 201)
    const about = await findSubject(service.db, { kind: 'REVIEW', id: data.id })
    assert.ok(about && isHideable(about))
    const statements = await ownStatementsOf(async () => {
      const { items } = await listReportQueue(service.db, { page: 1, pageSize: 100 })
      const queued = items.find(({ subject }) => subject === about.subject)
      assert.deepEqual([queued?.reports, queued?.owner_name], [2, author.user.name])
      const [last] = await listReportsOf(service.db, about)
      assert.deepEqual(await findReviewTexts(service.db, [data.id]), new Map([[data.id, 'Nasty.']]))
      assert.equal(last?.reporter, reporters[1]?.user.name)
      const seen = { ...about, last: last?.id ?? 0 }
      assert.equal(await decideReports(service.db, seen, 'DISMISSED', 'Fine.', {}), 2)
      const decided = await findReport(service.db, last?.id ?? 0)
      assert.ok(decided)
      assert.equal(await reopenReports(service.db, decided, {}), 2)
      const why = { reason: 'SPAM', note: 'N' } as const
      const { takedown } = await hideSubject(service.db, about, why, {})
      assert.ok(takedown)
      assert.equal(await restoreSubject(service.db, takedown, 'Fine.', {}), 'restored')
    })
    const accounts = [author, ...reporters].map(({ user }) => user.id)
    await assertDistributable(statements, accounts, 3)
  })

  /** Asserts that statements can run on the machines that store the data of the accounts. */
  async function assertDistributable(
    statements: SentStatement[],
    accounts: number[],
    minStatements: number,
  ) {
    const catalog = await readKnownNames(service.db)
    const ofUsers = statements.filter(({ sql: text }) => mentionsOf(text).length > 0)
    const named = ofUsers.filter(({ sql: text }) => needsAccount(text))
    const recorded = new Set(named.map(({ sql: text }) => text)).size
    assert.ok(recorded >= minStatements, `${recorded} statements were recorded`)
    assert.deepEqual(
      [
        ...named.map((statement) => [accountFaults(statement, accounts), statement.sql] as const),
        ...ofUsers.map(({ sql: text }) => [shapeFaults(text, catalog), text] as const),
      ].filter(([faults]) => faults.length > 0),
      [],
    )
  }

  async function assertReferencesMatch() {
    for (const [rule, query] of Object.entries(REFERENCE_RULES)) {
      const { rows } = await query.execute(service.db)
      assert.deepEqual(rows, [{ wrong: 0 }], rule)
    }
  }

  for (const [fault, text] of Object.entries(FAULTY_STATEMENTS))
    it(`violates the rules for statements with ${fault}`, async () => {
      const catalog = await readKnownNames(service.db)
      const shape = shapeFaults(text, catalog)
      const faults = shape.length > 0 ? shape : accountFaults({ sql: text, parameters: [7] }, [7])
      assert.equal(faults.length, 1, faults.join())
    })

  it('may be used by a statement that names its account', async () => {
    const catalog = await readKnownNames(service.db)
    for (const text of SOUND_STATEMENTS) {
      assert.deepEqual(accountFaults({ sql: text, parameters: [7] }, [7]), [], text)
      assert.deepEqual(shapeFaults(text, catalog), [], text)
      assert.equal(
        accountFaults({ sql: text, parameters: [8] }, [7]).length > 0,
        /\$1/.test(text),
        text,
      )
    }
  })

  async function requestEverything(
    me: SignedInUser,
    author: SignedInUser,
    operations: Set<string>,
  ) {
    const works = await sampleWorks(service.db)
    const send = async (method: string, path: string, body?: object) => {
      const {
        status,
        data,
        text,
        body: response,
      } = await me.send(method, `/v3/user/me${path}`, body)
      assert.ok(status < 300, `${method} ${path}: ${text}`)
      operations.add(`${method.toLowerCase()} ${documentedUserPath(`/v3/user/me${path}`)}`)
      return data ?? response
    }
    const [game, novel, manga] = [
      first(works.galgame),
      first(works.light_novel),
      first(works.manga),
    ]
    const records = [
      `/rates/galgames/${game}`,
      `/rates/light-novels/${novel}`,
      `/rates/mangas/${manga}`,
    ]
    for (const path of records) {
      await send('PUT', path, { rate: 8, rate_content: 'Quiet.' })
      await send('GET', path)
      await send('GET', `${path}/history`)
    }
    for (const path of [
      `/progress/galgames/${game}`,
      `/progress/light-novels/${novel}`,
      `/progress/mangas/${manga}`,
    ]) {
      await send('PUT', path, { labels: ['quiet'], private_note: 'Mine.', started_on: '2026-01' })
      await send('PATCH', path, { times_finished: 1 })
      await send('GET', path)
      await send('DELETE', path)
    }
    await send('GET', '/labels')
    await send('GET', '')
    await send('GET', '/rates?status=GOING&work_type=GALGAME&scored=true&page=1')
    await send('GET', '/rates/history')
    const exported = await send('GET', '/rates/export')
    exported.ratings[0].rate = 9
    for (const path of records) await send('DELETE', path)
    for (const options of [
      '',
      '?source=mokuroku&dry_run=false',
      '?source=mokuroku&dry_run=false&overwrite=true',
    ])
      await send('POST', `/rates/import${options || '?source=mokuroku'}`, exported)

    const review = await author.send('PUT', `/v3/user/me/rates/galgames/${game}`, {
      rate_content: 'Theirs.',
    })
    const vote = `/reviews/${review.data.id}/vote`
    await send('PUT', vote, { vote: 'LIKE' })
    await send('GET', vote)
    await send('DELETE', vote)
    await send('POST', '/reports', { kind: 'REVIEW', id: review.data.id, reason: 'SPAM' })
    await send('GET', '/reports?page=1')
    const ownReport = { kind: 'REVIEW', subject: '1', owner_id: me.user.id, place: '/' } as const
    const { takedown } = await hideSubject(
      service.db,
      ownReport,
      { reason: 'OTHER', note: 'N' },
      {},
    )
    await send('GET', '/takedowns')
    await send('POST', `/takedowns/${takedown?.id}/appeal`, { note: 'N' })

    const { id } = await send('POST', '/collections', { name: 'Mine' })
    for (const key of [id, 'default']) {
      await send('GET', `/collections/${key}`)
      await send('PATCH', `/collections/${key}`, { name: 'Another' })
      for (const item of [
        `/collections/${key}/items/galgames/${game}`,
        `/collections/${key}/galgames/${game}`,
      ]) {
        await send('PUT', item, { note: 'N' })
        if (item.includes('/items/')) {
          await send('GET', item)
          await send('PUT', `${item}/position`, { position: 1 })
        }
        await send('GET', `/collections/containing/galgames/${game}`)
        await send('DELETE', item)
        if (item.includes('/items/')) await send('POST', `${item}/restore`)
      }
      await send('GET', `/collections/${key}/items?keyword=a&type=galgame`)
    }
    await send('GET', '/collections?page=1')
    await send('DELETE', `/collections/${id}`)
    await send('POST', `/collections/${id}/restore`)
    await send('GET', '/public-profile')
    await send('PUT', '/public-profile', { is_shown: true, profile_name: 'everything' })
  }
})
