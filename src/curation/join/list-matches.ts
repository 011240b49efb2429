import { sql } from 'kysely'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import type { SourceName } from '../../sources/registry.ts'
import { ruleRank, type MatchRule } from './pairs.ts'
import { recordName } from './record-names.ts'

export const MATCH_STATES = ['open', 'accepted', 'rejected'] as const
export type MatchState = (typeof MATCH_STATES)[number]

/** A record of a pair. A record without an entry is not currently loaded. */
export type MatchedRecord = {
  source: string
  external_id: string
  name: string | null
  entry_id: number | null
}

export type Match = {
  id: number
  kind: EntryKind
  rule: string
  state: MatchState
  evidence: Record<string, unknown>
  one: MatchedRecord
  other: MatchedRecord
}

export type MatchFilter = {
  state: MatchState
  kind?: EntryKind | undefined
  /** Source of either record. */
  source?: SourceName | undefined
  rule?: MatchRule | undefined
  page: number
  pageSize: number
}

const recordOf = (source: string, externalId: string) => sql`(
  select jsonb_build_object(
    'source', ${sql.ref(source)},
    'external_id', ${sql.ref(externalId)},
    'name', max(${recordName}),
    'entry_id', max(record.entry_id)
  )
  from source_records record
  where record.kind = matches.kind and record.source = ${sql.ref(source)} and record.external_id = ${sql.ref(externalId)}
)`

/** SQL for the columns of a `Match`. */
export const MATCH = sql`
  matches.id, matches.kind, matches.rule, matches.state, matches.evidence,
  ${recordOf('matches.source', 'matches.external_id')} as one,
  ${recordOf('matches.other_source', 'matches.other_external_id')} as other`

/** SQL condition: both records already belong to one entry, so there is nothing to decide. */
export const isSettled = sql`exists (
  select from source_records one
  join source_records other on other.kind = one.kind and other.entry_id = one.entry_id
  where one.kind = matches.kind and one.source = matches.source and one.external_id = matches.external_id
    and other.source = matches.other_source and other.external_id = matches.other_external_id
)`

/**
 * SQL for the order of open pairs, most likely first: pairs that no fact contradicts, then by rule, then those with
 * the same name and close dates.
 */
const byLikelihood = sql`
  evidence ? 'contradicted_by',
  array_position(${ruleRank}, rule),
  evidence -> 'same_name' = 'true' desc nulls last,
  case when jsonb_typeof(evidence -> 'days_apart') = 'number' then (evidence ->> 'days_apart')::numeric end,
  id`

/**
 * Lists one page of the pairs in a state. Open pairs are those that need a decision, most likely first. Other pairs
 * start with the last decision.
 */
export async function listMatches(
  db: Database,
  { state, kind, source, rule, page, pageSize }: MatchFilter,
): Promise<{ items: Match[]; total: number }> {
  const which = sql`
    state = ${state}
    ${kind ? sql`and kind = ${kind}` : sql``}
    ${source ? sql`and ${source} in (source, other_source)` : sql``}
    ${rule ? sql`and rule = ${rule}` : sql``}
    ${state === 'open' ? sql`and not ${isSettled}` : sql``}`
  const { rows: counted } = await sql<{
    total: number
  }>`select count(*) as total from matches where ${which}`.execute(db)
  const { rows } = await sql<Match>`
    select ${MATCH} from matches where ${which}
    order by ${state === 'open' ? byLikelihood : sql`decided_at desc nulls last, id desc`}
    offset ${(page - 1) * pageSize} limit ${pageSize}`.execute(db)
  return { items: rows, total: counted[0]?.total ?? 0 }
}

export async function listOpenMatches(
  db: Database,
  first: number,
  last: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from matches
    where state = 'open' and id between ${first} and ${last} and not ${isSettled}
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}
