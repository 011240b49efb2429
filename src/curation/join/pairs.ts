import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { sourceRank } from '../derive/source-ranks.ts'
import { contradictions, pairNames, pairRecords } from './contradictions.ts'

/** Rules that find pairs, strongest first. If two pairs exclude each other, the pair of the stronger rule is joined. */
export const MATCH_RULES = [
  'accepted',
  'link',
  'shared-id',
  'isbn',
  'title-author-date',
  'name-in-work',
  'mention',
  'alias-in-work',
  'same-title',
  'same-name',
] as const
export type MatchRule = (typeof MATCH_RULES)[number]

/** SQL for the rules as an array, strongest first. */
export const ruleRank = sql.raw(
  `array[${MATCH_RULES.map((rule) => `'${rule}'`).join(', ')}]::text[]`,
)

/** Creates the temporary table `pairs`: pairs of records from two sources that are, or may be, the same. */
export async function createPairs(trx: Database): Promise<void> {
  await sql`drop table if exists pairs`.execute(trx)
  await sql`
    create temporary table pairs (
      kind               text not null,
      source             text not null,
      external_id        text not null,
      other_source       text not null,
      other_external_id  text not null,
      rule               text not null,
      -- true to join them, false to list them for review
      certain            boolean not null,
      evidence           jsonb not null,
      nearness           integer,
      primary key (kind, source, external_id, other_source, other_external_id)
    ) on commit drop`.execute(trx)
}

/**
 * Adds pairs. If a pair already exists, the stronger rule is kept. The template selects `(kind, source, external_id,
 * other_source, other_external_id, certain, evidence)`, with the two records in either order.
 */
export const addPairs =
  (trx: Database, rule: MatchRule) =>
  async (...found: Parameters<typeof sql>): Promise<void> => {
    await sql`drop table if exists found_pairs`.execute(trx)
    // A table instead of a CTE: without statistics, the planner expects a single pair.
    await createTemporaryTable(trx, 'found_pairs')`
    select distinct on (kind, source, external_id, other_source, other_external_id) *
    from (
      select
        kind, certain, evidence,
        case when swap then other_source else source end as source,
        case when swap then other_external_id else external_id end as external_id,
        case when swap then source else other_source end as other_source,
        case when swap then external_id else other_external_id end as other_external_id
      from (
        select found.*, ${sourceRank('other_source')} < ${sourceRank('source')} as swap
        from (${sql(...found)}) found
      ) sided
    ) turned
    order by kind, source, external_id, other_source, other_external_id, certain desc, evidence`
    await sql`
    insert into pairs as known
    select
      found.kind, found.source, found.external_id, found.other_source, found.other_external_id, ${rule},
      found.certain and (${rule} = 'accepted' or cardinality(against.facts) = 0),
      found.evidence
        || jsonb_strip_nulls(jsonb_build_object(
          'same_name', one_name.folded = other_name.folded,
          'days_apart', ${daysApart},
          'contradicted_by', case when cardinality(against.facts) > 0 then array_to_string(against.facts, ' ') end
        )),
      case when one_name.folded = other_name.folded then 0 else 100000 end + least(coalesce(${daysApart}, 50000), 50000)
    from found_pairs found
    ${pairRecords('found')}
    ${pairNames}
    cross join lateral (select coalesce(${contradictions}, '{}') as facts) against
    where one.entry_id <> other.entry_id
    on conflict (kind, source, external_id, other_source, other_external_id) do update
      set rule = excluded.rule, certain = excluded.certain, evidence = excluded.evidence || known.evidence
      where excluded.certain and not known.certain`.execute(trx)
  }

const dayOf = (record: string) =>
  sql.raw(
    `coalesce(${record}.fields ->> 'release_date', ${record}.fields ->> 'publication_date')::date`,
  )
const daysApart = sql`abs(${dayOf('one')} - ${dayOf('other')})`

export type CertainPair = {
  place: number
  kind: string
  source: string
  external_id: string
  other_source: string
  other_external_id: string
  rule: MatchRule
  one: number
  other: number
}

/**
 * Orders the certain pairs for joining: strongest rule first, then closest match. Marks them as uncertain in `pairs`,
 * so that pairs that are not joined go to review.
 *
 * @returns the number of ordered pairs
 */
export async function orderCertainPairs(trx: Database): Promise<number> {
  const { rows } = await sql`select from pairs where certain limit 1`.execute(trx)
  if (rows.length === 0) return 0
  await createTemporaryTable(trx, 'ordered_pairs')`
    select
      row_number() over (
        order by
          array_position(${ruleRank}, rule), kind collate "C", nearness,
          length(external_id), external_id collate "C", length(other_external_id), other_external_id collate "C",
          source, other_source
      ) as place,
      pairs.*
    from pairs
    where certain`
  await sql`create index on ordered_pairs (place)`.execute(trx)
  await sql`analyze ordered_pairs`.execute(trx)
  const { rows: taken } = await sql<{ count: number }>`
    with taken as (update pairs set certain = false where certain returning 1)
    select count(*) as count from taken`.execute(trx)
  return taken[0]?.count ?? 0
}

/** Returns a range of the ordered pairs, without pairs whose records already belong to one entry. */
export async function listCertainPairs(
  trx: Database,
  after: number,
  limit: number,
): Promise<CertainPair[]> {
  const { rows } = await sql<CertainPair>`
    select
      pair.place, pair.kind, pair.source, pair.external_id, pair.other_source, pair.other_external_id, pair.rule,
      one.entry_id as one, other.entry_id as other
    from ordered_pairs pair
    ${pairRecords('pair')}
    where pair.place > ${after} and pair.place <= ${after + limit} and one.entry_id <> other.entry_id
    order by pair.place`.execute(trx)
  return rows
}

/**
 * Adds pairs that were not joined to the review list. Pairs that are already on the list keep their state, and open
 * pairs keep their position.
 *
 * @returns the numbers of new pairs by kind
 */
export async function saveForReview(trx: Database): Promise<Map<string, number>> {
  await sql`analyze pairs`.execute(trx)
  const { rows } = await sql<{ kind: string; added: number }>`
    with added as (
      insert into matches as known (kind, source, external_id, other_source, other_external_id, rule, evidence)
      select pair.kind, pair.source, pair.external_id, pair.other_source, pair.other_external_id, pair.rule, pair.evidence
      from pairs pair
      ${pairRecords('pair')}
      where one.entry_id <> other.entry_id
      order by array_position(${ruleRank}, pair.rule), pair.kind collate "C", pair.nearness, pair.external_id, pair.other_external_id
      on conflict (kind, source, external_id, other_source, other_external_id) do update
        set rule = excluded.rule, evidence = excluded.evidence
        where known.state = 'open' and (known.rule, known.evidence) is distinct from (excluded.rule, excluded.evidence)
      returning kind, xmax = 0 as is_new
    )
    select kind, count(*) as added from added where is_new group by kind order by kind`.execute(trx)
  return new Map(rows.map(({ kind, added }) => [kind, added]))
}
