/** Checks the rules for user data (decision 0013), which allow it to be sharded by account. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { readDocument } from '#test/openapi.ts'
import { documentedUserPath, signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { hideSubject } from '../src/moderation/hide-queries.ts'
import { statementsOf, type SentStatement } from '#test/statements.ts'
import { first, sampleWorks } from '#test/sample-works.ts'

/** Tables with user data, sharded by account. */
const USER_TABLES = [
  'collection_items',
  'collections',
  'deleted_collections',
  'list_imports',
  'merged_items',
  'merged_ratings',
  'merged_votes',
  'rating_changes',
  'rating_deltas',
  'rating_walks',
  'ratings',
  'removed_items',
  'reports',
  'review_votes',
  'vote_deltas',
]

/** Shared tables that refer to accounts: sign-ins and apps. */
const SHARED_TABLES = [
  'apps',
  'audit_events',
  'consents',
  'grants',
  'known_devices',
  'like_notes',
  'links',
  'passkey_challenges',
  'passkeys',
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

/** Tables that user data may reference without an account. */
const REFERENCES = new Set(['accounts', 'works'])

/** Statements without an account, with the reason. */
const EXCEPTIONS = [
  { sql: /\bfrom (rating|vote)_deltas\b/, reason: 'totals are applied behind the requests' },
  {
    sql: /\b(like_notes|similar_due|work_likes)\b/,
    reason: 'similar works are computed behind the requests',
  },
  {
    sql: /^select account_id as "authorId", work_id as "workId" from ratings where id = \$1$/,
    reason:
      'a review is known by its id alone; where it is, is looked up by an index like any other',
  },
  { sql: /^\s*select\s+'REVIEW' as kind/, reason: 'likewise, to report it' },
  { sql: /insert into takedowns/, reason: 'a moderator decides all reports about one thing' },
]

describeOnDatabase('user data', (engine) => {
  let service: TestService
  before(async () => {
    service = await startService({ engine })
  })
  after(() => service.close())

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

  it('has the account in each primary key and unique index', async () => {
    const rows = await rowsOf<{ table: string; primary: boolean; columns: string[] }>(`
      select
        index.indrelid::regclass::text as table,
        index.indisprimary as primary,
        array(
          select attname::text from pg_attribute
          where attrelid = index.indrelid and attnum = any(index.indkey::smallint[])
        ) as columns
      from pg_index index
      where index.indisunique`)
    const unique = rows.filter(({ table }) => USER_TABLES.includes(table))
    const primary = unique.filter((index) => index.primary)
    assert.deepEqual(primary.map(({ table }) => table).toSorted(), USER_TABLES)
    assert.deepEqual(
      unique.filter(({ columns }) => !columns.includes('account_id')),
      [],
    )
  })

  it('references only accounts, works, and data of the same account', async () => {
    const rows = await rowsOf<{ table: string; target: string; columns: string; targets: string }>(`
      select
        conrelid::regclass::text as table,
        confrelid::regclass::text as target,
        pg_get_constraintdef(oid) as columns
      from pg_constraint
      where contype = 'f'`)
    const wrong = rows.filter(
      ({ table, target, columns }) =>
        (USER_TABLES.includes(table) || USER_TABLES.includes(target)) &&
        !REFERENCES.has(target) &&
        !/^FOREIGN KEY \(account_id, .* REFERENCES \w+\(account_id, /.test(columns),
    )
    assert.deepEqual(wrong, [])
    assert.ok(rows.some(({ table, target }) => table === 'review_votes' && target === 'ratings'))
  })

  it('is written only by statements, never by triggers on its tables or triggers that write to them', async () => {
    const rows = await rowsOf<{ table: string; name: string; body: string }>(`
      select tgrelid::regclass::text as table, tgname as name, pg_get_functiondef(tgfoid) as body
      from pg_trigger
      where not tgisinternal`)
    assert.ok(rows.length > 0)
    const wrong = rows.filter(
      ({ table, body }) =>
        USER_TABLES.includes(table) || new RegExp(`\\b(${USER_TABLES.join('|')})\\b`).test(body),
    )
    assert.deepEqual(wrong, [])
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

    const ofReaders = statements.filter(({ sql: text }) => mentionsOf(text).length > 0)
    const named = ofReaders.filter(
      ({ sql: text }) => !EXCEPTIONS.some((exception) => exception.sql.test(text)),
    )
    assert.ok(new Set(named.map(({ sql: text }) => text)).size > 20, 'statements were recorded')
    const accounts = [me.user.id, author.user.id]
    assert.deepEqual(
      named.flatMap((statement) => faultsOf(statement, accounts)),
      [],
    )
  })

  it('is protected by a test that detects statements that do not name the account', () => {
    const faults = (text: string, ...parameters: unknown[]) =>
      faultsOf({ sql: text, parameters }, [7]).length
    assert.equal(faults('select from ratings rating where rating.account_id = $1', 7), 0)
    assert.equal(faults('select from ratings rating where rating.account_id = $1', 8), 1)
    assert.equal(faults('select from ratings rating where rating.id = $1', 7), 1)
    assert.equal(faults('delete from "collections" where "account_id" = $1 and id = $2', 7, 1), 0)
    assert.equal(faults('delete from "collections" where "id" = $1', 7), 1)
    assert.equal(
      faults(
        'select from ratings a join ratings b on b.work_id = a.work_id where a.account_id = $1',
        7,
      ),
      1,
    )
    assert.equal(faults('insert into rating_deltas (work_id) select 1'), 1)
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

type Mention = { verb: string; table: string; alias: string }

/** Finds the tables with user data in a statement. */
function mentionsOf(text: string): Mention[] {
  const pattern = new RegExp(
    `\\b(from|join|update|into|using|,)\\s+(${USER_TABLES.join('|')})\\b(?:\\s+(?:as\\s+)?(?!${AFTER_TABLE})(\\w+))?`,
    'g',
  )
  return [...plain(text).matchAll(pattern)].map(([, verb = '', table = '', alias]) => ({
    verb,
    table,
    alias: alias ?? table,
  }))
}

/** Words after a table name that are not its alias. */
const AFTER_TABLE =
  '(?:where|set|on|order|cross|join|left|values|returning|group|limit|for|using|offset|select)\\b'

const plain = (text: string) => text.replaceAll(/--[^\n]*/g, '').replaceAll('"', '')

/** Returns mentions without an account, or with an account unrelated to the request. */
function faultsOf({ sql: text, parameters }: SentStatement, accounts: number[]): string[] {
  const mentions = mentionsOf(text)
  const aliases = new Set(mentions.map(({ alias }) => alias))
  return mentions
    .filter(({ verb, table, alias }) => {
      if (verb === 'into')
        return !new RegExp(`into ${table}\\b[^(]*\\(account_id, `).test(plain(text))
      const condition = new RegExp(
        `(?<![\\w.])(?:${alias}\\.)?account_id = (?:\\$(\\d+)|(\\w+)\\.account_id)`,
        'g',
      )
      return ![...plain(text).matchAll(condition)].some(([whole, parameter, other]) => {
        if (!whole.startsWith(`${alias}.`) && alias !== table) return false
        if (parameter === undefined) return aliases.has(other ?? '') && other !== alias
        return accounts.includes(Number(parameters[Number(parameter) - 1]))
      })
    })
    .map(({ verb, table, alias }) => `${verb} ${table} ${alias}: ${text}`)
}
