import { sql } from 'kysely'
import { findAccountByEmail } from '../../src/accounts/queries.ts'
import {
  ENTRY_KINDS,
  isWorkKind,
  KINDS,
  type EntryKind,
  type WorkKind,
} from '../../src/catalog/kinds.ts'
import type { Database } from '../../src/db/database.ts'
import { ALL_SCOPES, CALLBACK, type TestUser } from '#test/authorization.ts'
import { BENCH_USER } from './fill-users.ts'
import { makeApp, type Catalog } from './catalog.ts'
import { pairsOf } from './make-names.ts'

/** Number of entries per kind, large enough that requests never repeat one in a large catalog. */
const DRAWN = 4_000

/** Number of character pairs, frequent and rare. */
const PAIRS = 100

/** Entries, names and users that requests can be about. */
export type Subjects = {
  /** Drawn from the whole catalog; repeated in a small one. */
  ids: Record<EntryKind, number[]>
  /** IDs of Bangumi subjects that are works or volumes. */
  outsideIds: string[]
  tags: string[]
  /** Names of works, whole and as pairs of characters that many or few names have. */
  names: { whole: string[]; common: string[]; rare: string[] }
  collections: number[]
  lastChange: number
  /** The galgame with the fans' reviews, and the reviews that the user likes. */
  hotWork: number
  hotReviews: number[]
  /** The user who signs in, the works of their ratings, and one collection that contains them all. */
  user: TestUser
  records: Record<WorkKind, number[]>
  ownCollection: number
  /** The user's own app, which may have all user scopes. */
  ownApp: Catalog['app']
}

/** Draws subjects from a catalog with users, and creates the two apps that send requests. */
export async function findSubjects(
  db: Database,
): Promise<Subjects & Pick<Catalog, 'works' | 'app'>> {
  const account = await findAccountByEmail(db, BENCH_USER.email)
  if (!account)
    throw new Error(
      'The catalog has ratings that the bench did not create. Use a catalog without ratings, or one that the bench has filled.',
    )
  const rows = async <Row>(text: string) => (await sql.raw<Row>(text).execute(db)).rows
  const column = async <Value>(text: string) =>
    (await rows<{ value: Value }>(text)).map(({ value }) => value)
  const one = async <Value>(text: string) => {
    const [value] = await column<Value>(text)
    if (value === undefined) throw new Error(`Nothing to ask for: ${text}`)
    return value
  }
  await rows('select setseed(0.5)')
  const ids: Partial<Record<EntryKind, number[]>> = {}
  for (const kind of ENTRY_KINDS) ids[kind] = await column<number>(sampledIdsSql(kind))
  const whole = await column<string>(NAMES)
  const recordsOf = (kind: WorkKind) =>
    column<number>(
      `select work_id as value from ratings where account_id = ${account.id} and kind = '${kind}'`,
    )
  const hotWork = await one<number>(
    `select work_id as value from review_votes where voter_id = ${account.id} limit 1`,
  )
  return {
    works: await one<number>('select count(*) as value from works'),
    // as: all kinds are present
    ids: ids as Record<EntryKind, number[]>,
    outsideIds: await column(OUTSIDE_IDS),
    tags: await column('select name as value from tags order by random() limit 200'),
    names: { whole, ...pairsOf(whole, PAIRS) },
    collections: await column(COLLECTIONS),
    lastChange: await one('select max(id) as value from catalog_changes'),
    hotWork,
    hotReviews: await column(
      `select rating_id as value from review_votes where voter_id = ${account.id} and work_id = ${hotWork}`,
    ),
    user: { id: account.id, ...BENCH_USER },
    records: {
      galgame: await recordsOf('galgame'),
      light_novel: await recordsOf('light_novel'),
      manga: await recordsOf('manga'),
    },
    ownCollection: await one(
      `select id as value from collections where account_id = ${account.id} and not is_default order by name limit 1`,
    ),
    app: await makeApp(db, { scopes: ['catalog:full', 'catalog:sync'] }),
    ownApp: await makeApp(db, {
      accountId: account.id,
      scopes: ALL_SCOPES,
      redirectUris: [CALLBACK],
    }),
  }
}

/** SQL for rows at random positions between the first and the last ID of a table. */
const drawnRows = (table: string, columns: string, condition = 'true') => `
  select found.*
  from (select min(id) as first, max(id) as last from ${table}) span
  cross join lateral (
    select first + floor(random() * (last - first + 1))::bigint as place from generate_series(1, ${DRAWN})
  ) lot
  cross join lateral (
    select ${columns} from ${table} entry where id >= lot.place and ${condition} order by id limit 1
  ) found`

/** Works that guests may see. */
const sampledIdsSql = (kind: EntryKind) =>
  drawnRows(
    KINDS[kind].table,
    'id as value',
    isWorkKind(kind) ? '(select not work.nsfw from works work where work.id = entry.id)' : 'true',
  )

const NAMES = drawnRows('mangas', 'name as value')

const OUTSIDE_IDS = `
  select record.external_id as value
  from (${drawnRows('works', 'id, kind')}) work
  join source_records record on record.kind = work.kind and record.entry_id = work.id and record.source = 'bangumi'`

const COLLECTIONS = `
  select collection.id as value
  from (${drawnRows('accounts', 'id')}) account
  join collections collection on collection.account_id = account.id and not is_private and item_count > 0`
