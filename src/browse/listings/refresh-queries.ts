import { keysOf } from '../../kernel/typed-records.ts'
import { lockWith } from '../../db/advisory-locks.ts'
import { queryRows, queryText } from '../../db/query.ts'
import { statement, type Statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import {
  byKind,
  ENTRY_KINDS,
  isWorkKind,
  KINDS,
  WORK_KINDS,
  type EntryKind,
} from '../../catalog/kinds.ts'
import { firstTitleSql, shownDaySql, shownTitleSql } from '../../catalog/sql-fragments.ts'
import { NAME_ORDERS } from '../name-orders.ts'
import { FACET_SOURCES, facetPrefix, kindFacet } from '../facets.ts'

const NAME_COLUMNS = keysOf(NAME_ORDERS).map((order) => `name_${order}`)

/**
 * SQL for a `from` item `named` with the names by which an entry is ordered, each null if it equals the first one.
 * Folding is slow, so orders with the same title share its result.
 */
function namesOf(kind: EntryKind) {
  const shown = shownTitleSql(kind, 'entry')
  const orders = [
    ...Map.groupBy(keysOf(NAME_ORDERS), (order) =>
      firstTitleSql(kind, 'entry', NAME_ORDERS[order]),
    ),
  ]
  const folded = orders.map(
    ([title], index) =>
      `case when ${title} is distinct from ${shown} then fold_name(${title}) end as other_${index}`,
  )
  const columns = orders.flatMap(([, names], index) =>
    names.map((order) => `nullif(folded.other_${index}, folded.name) as name_${order}`),
  )
  return `(
    select folded.name, ${columns.join(', ')}
    from (select fold_name(${shown}) as name, ${folded.join(', ')} offset 0) folded
  ) named`
}

/** SQL for the votes for a work at all sources, and their mean. */
const SOURCE_VOTES = `(
    select sum(said.votes)::bigint as votes, sum(said.score * said.votes) / sum(said.votes) as score
    from jsonb_to_recordset(work.source_scores) said (score numeric, votes bigint)
  )`

/** SQL for the current rows of a kind's touched entries. Deleted and merged entries have no rows. */
function freshRows(kind: EntryKind) {
  const { table } = KINDS[kind]
  const [timed, joined] = isWorkKind(kind)
    ? ['work', `join works work on work.id = entry.id cross join lateral ${SOURCE_VOTES} voted`]
    : ['entry', '']
  const sources = FACET_SOURCES[kind].map(
    (source) => `select source.id, '${facetPrefix(kind, source.name)}' || left(source.value, 100)
      from (${source.from}) source (id, value) where source.value is not null`,
  )
  return `
  with touched as (select id from touched_entries where kind = '${kind}'),
  facets as (
    select id, array_agg(distinct facet collate "C" order by facet collate "C") as facets
    from (
      ${['select id, null::text as facet from touched', ...sources].join(`
      union all
      `)}
    ) found
    where facet is not null
    group by id
  )
  select
    '${kind}' as kind,
    entry.id,
    ${isWorkKind(kind) ? 'work.nsfw' : 'false'} as nsfw,
    coalesce(${shownDaySql(kind, 'entry')}, '-infinity') as released,
    named.name,
    greatest(${timed}.updated_at, ${timed}.revised_at) as changed_at,
    array['${kindFacet(kind)}'] || coalesce(facets.facets, '{}') as facets,
    ${isWorkKind(kind) ? 'coalesce(voted.score, 0)' : '0'} as source_score,
    ${isWorkKind(kind) ? 'coalesce(voted.votes, 0)' : '0'} as source_votes,
    ${NAME_COLUMNS.map((column) => `named.${column}`).join(', ')}
  from touched
  join ${table} entry on entry.id = touched.id
  ${joined}
  cross join lateral ${namesOf(kind)}
  left join facets on facets.id = touched.id
  where not exists (
    select from merged_entries merged where merged.kind = '${kind}' and merged.id = touched.id
  )`
}

const INSERT_FRESH = byKind((kind) =>
  statement(`browse.make_fresh_${kind}`).sql(`insert into fresh_listings ${freshRows(kind)}`),
)

const DROP_TEMPORARY = statement('browse.drop_temporary').sql(
  'drop table if exists touched_entries, fresh_listings, facet_changes',
)
const CREATE_TOUCHED = statement('browse.create_touched').sql(
  'create temporary table touched_entries (kind text collate "C", id bigint) on commit drop',
)
const ANALYZE_TOUCHED = statement('browse.analyze_touched').sql('analyze touched_entries')
const ANALYZE_FRESH = statement('browse.analyze_fresh').sql('analyze fresh_listings')

const CREATE_FRESH = statement('browse.empty_fresh').sql(`
  create temporary table fresh_listings on commit drop as
  select kind, id, nsfw, released, name, changed_at, facets, source_score, source_votes, ${NAME_COLUMNS.join(', ')}
  from listings where false`)

/** Creates `facet_changes`: the change in the number of entries for each facet. */
const FACET_CHANGES = statement('browse.facet_changes').sql(`
  create temporary table facet_changes on commit drop as
  select facet, sum(everybody) as everybody, sum(nsfw) as nsfw
  from (
    select unnest(facets) as facet, (not nsfw)::integer as everybody, nsfw::integer as nsfw from fresh_listings
    union all
    select unnest(listing.facets), -(not listing.nsfw)::integer, -listing.nsfw::integer
    from listings listing join touched_entries touched on touched.kind = listing.kind and touched.id = listing.id
  ) counted
  group by facet
  having sum(everybody) <> 0 or sum(nsfw) <> 0`)

const TOUCHED_KINDS = statement('browse.touched_kinds').returning<{
  kind: EntryKind
  entries: number
}>(`
  select kind, count(*)::integer as entries from touched_entries group by kind order by kind`)

const COUNT_FACETS = statement('browse.count_facets').sql(`
  merge into listing_facets counted
  using facet_changes change on counted.facet = change.facet
  when matched and counted.everybody + change.everybody = 0 and counted.nsfw + change.nsfw = 0 then delete
  when matched then update
    set everybody = counted.everybody + change.everybody, nsfw = counted.nsfw + change.nsfw
  when not matched then insert (facet, everybody, nsfw) values (change.facet, change.everybody, change.nsfw)`)

const COUNT_TAGS = statement('browse.count_tags').sql(`
  merge into tag_listings counted
  using (
    select tag.id, tag.name, change.everybody, change.nsfw
    from (
      select substr(facet, 3)::bigint as id, sum(everybody) as everybody, sum(nsfw) as nsfw
      from facet_changes
      where substr(facet, 2, 1) = 't'
      group by 1
    ) change
    join tags tag on tag.id = change.id
  ) change on counted.tag_id = change.id
  when matched then update
    set everybody = counted.everybody + change.everybody, nsfw = counted.nsfw + change.nsfw
  when not matched then
    insert (tag_id, name, everybody, nsfw) values (change.id, fold_name(change.name), change.everybody, change.nsfw)`)

/** SQL for the people, producers and characters in the facets of works, as `kind` and `id`. */
export const individualsInFacetsSql = (facets: string) => `
  select
    case substr(facet, 2, 1) when 'p' then 'person' when 'r' then 'producer' when 'c' then 'character' end as kind,
    substr(facet, 3)::bigint as id
  from unnest(${facets}) facet
  where facet ~ '^[glm][prc]'`

/**
 * Enqueues people, producers and characters whose numbers of users and votes must be summed again: new ones, and those whose
 * works changed, including their visibility. Works with neither users nor votes at sources do not affect the sums.
 */
const ENQUEUE_SUMS = statement('browse.note_sums').sql(`
  insert into listing_sums_due (kind, id)
  select distinct individual.kind, individual.id
  from touched_entries touched
  left join listings listing on listing.kind = touched.kind and listing.id = touched.id
  left join fresh_listings fresh on fresh.kind = touched.kind and fresh.id = touched.id
  left join work_totals totals on totals.work_id = touched.id and totals.kind = touched.kind
  cross join lateral (${individualsInFacetsSql('listing.facets || fresh.facets')}) individual
  where (totals.readers > 0 or listing.source_votes > 0 or fresh.source_votes > 0)
    and (listing.nsfw, listing.facets, listing.source_votes) is distinct from (fresh.nsfw, fresh.facets, fresh.source_votes)
  union
  select fresh.kind, fresh.id
  from fresh_listings fresh
  join credited_works credited on credited.kind = fresh.kind and credited.id = fresh.id
  where not exists (select from listings listing where listing.kind = fresh.kind and listing.id = fresh.id)
    and (
      exists (select from work_totals totals where totals.work_id = credited.work_id and totals.readers > 0)
      or exists (select from works work where work.id = credited.work_id and work.source_scores <> '[]')
    )
  on conflict do nothing`)

const DELETE_GONE = statement('browse.delete_gone').sql(`
  delete from listings listing
  using touched_entries touched
  where touched.kind = listing.kind and touched.id = listing.id
    and not exists (select from fresh_listings fresh where fresh.kind = touched.kind and fresh.id = touched.id)`)

const COMPARED = [
  'nsfw',
  'released',
  'name',
  ...NAME_COLUMNS,
  'changed_at',
  'facets',
  'source_score',
]
const columnsOf = (row: string) => COMPARED.map((column) => `${row}.${column}`).join(', ')

/** SQL for the stored votes of a work, or for the sums over the works of any other entry, which are not written here. */
const votesOf = (row: string, column: string) =>
  `case when ${row}.kind in (${WORK_KINDS.map((kind) => `'${kind}'`).join(', ')}) then ${row}.source_votes else listing.${column} end`

/**
 * Upserts listings and skips unchanged rows. The number of users and their scores are set only for new rows; later
 * changes come from the totals.
 */
const SAVE = statement('browse.save_listings').sql(`
  insert into listings as listing (
    kind, id, ${COMPARED.join(', ')}, source_votes, source_votes_full, score, scores, readers, readers_full
  )
  select
    fresh.kind, fresh.id, ${columnsOf('fresh')}, fresh.source_votes, fresh.source_votes,
    coalesce(totals.score, 0), coalesce(totals.scores, 0), coalesce(totals.readers, 0), coalesce(totals.readers, 0)
  from fresh_listings fresh
  left join work_totals totals on totals.work_id = fresh.id and totals.kind = fresh.kind
  order by fresh.kind, fresh.id
  on conflict (kind, id) do update
    set (${COMPARED.join(', ')}, source_votes, source_votes_full) = row (
      ${columnsOf('excluded')}, ${votesOf('excluded', 'source_votes')}, ${votesOf('excluded', 'source_votes_full')}
    )
    where (${columnsOf('listing')}, listing.source_votes)
      is distinct from (${columnsOf('excluded')}, ${votesOf('excluded', 'source_votes')})`)

/**
 * Refreshes the listings of touched entries and deletes those of deleted or merged entries. It runs in the transaction
 * that changed the entries, so that lists always match the catalog. The caller holds the lock.
 *
 * @param touched SQL for rows `(kind, id)`, which may repeat and include other resource types
 * @param parameters parameters of that SQL
 * @returns the number of entries
 */
export async function refreshListings(
  trx: Database,
  touched: string,
  parameters: unknown[],
): Promise<number> {
  const run = (step: Statement<unknown, readonly []>) => queryRows(trx, step, [])
  await run(DROP_TEMPORARY)
  await run(CREATE_TOUCHED)
  await queryText(
    trx,
    `insert into touched_entries select distinct kind, id from (${touched}) touched (kind, id)
     where kind in (${ENTRY_KINDS.map((kind) => `'${kind}'`).join(', ')})`,
    parameters,
  )
  // Without statistics, the joins take hours in a full catalog.
  await run(ANALYZE_TOUCHED)
  await run(CREATE_FRESH)
  const kinds = await queryRows(trx, TOUCHED_KINDS, [])
  for (const { kind } of kinds) await run(INSERT_FRESH[kind])
  await run(ANALYZE_FRESH)
  for (const step of [FACET_CHANGES, COUNT_FACETS, COUNT_TAGS, ENQUEUE_SUMS, DELETE_GONE, SAVE])
    await run(step)
  return kinds.reduce((sum, { entries }) => sum + entries, 0)
}

/**
 * Waits for other writers of listings. The long pending list merges index entries in large batches, which takes a
 * tenth of the time.
 */
const LOCK_FOR_MANY = statement('browse.lock_for_many').sql(
  lockWith('listings', { gin_pending_list_limit: '128MB' }),
)

/**
 * Minimum number of entries for which statistics and the facet index are updated immediately. Smaller changes are left
 * to autovacuum.
 */
const MIN_ENTRIES_FOR_ANALYZE = 1_000

const FLUSH_PENDING = statement('browse.sort_in').sql(
  `select gin_clean_pending_list('listings_by_facet')`,
)
const ANALYZE_LISTINGS = statement('browse.analyze_listings').sql(
  'analyze listings, listing_facets, tag_listings',
)

/**
 * Refreshes the listings of all entries changed so far by the transaction, as recorded by the catalog's triggers,
 * and updates the statistics.
 */
export const refreshTransaction = (trx: Database): Promise<void> =>
  refreshMany(
    trx,
    'select resource_type, resource_id from catalog_changes_due where transaction_id = pg_current_xact_id()',
  )

/** Refreshes the listings of all entries. */
export const refreshAllListings = (trx: Database): Promise<void> =>
  refreshMany(trx, 'select resource_type, resource_id from catalog_entries')

async function refreshMany(trx: Database, touched: string): Promise<void> {
  await queryRows(trx, LOCK_FOR_MANY, [])
  const entries = await refreshListings(trx, touched, [])
  if (entries < MIN_ENTRIES_FOR_ANALYZE) return
  await queryRows(trx, FLUSH_PENDING, [])
  await queryRows(trx, ANALYZE_LISTINGS, [])
}
