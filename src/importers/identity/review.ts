import { sql } from 'kysely'
import { KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { NAME_FIELDS } from '../columns.ts'
import { changeEntries, mergeIn, type Also, type MergeOutcome } from '../merging/merge-entries.ts'
import { MergeError } from '../merging/merge-error.ts'

export const MATCH_STATES = ['open', 'accepted', 'rejected'] as const
export type MatchState = (typeof MATCH_STATES)[number]

/** A record on one side of a pair; without an entry it is not loaded now. */
type MatchedRecord = { source: string; external_id: string; name: string | null; entry_id: number | null }

export type Match = {
  id: number
  kind: EntryKind
  rule: string
  state: MatchState
  evidence: Record<string, unknown>
  one: MatchedRecord
  other: MatchedRecord
}

export type MatchFilter = { state: MatchState; kind?: EntryKind | undefined; page: number; pageSize: number }

const recordOf = (source: string, externalId: string) => sql`(
  select jsonb_build_object(
    'source', ${sql.ref(source)},
    'external_id', ${sql.ref(externalId)},
    'name', max(${sql.raw(
      `case record.kind ${Object.keys(KINDS)
        .map((kind) => `when '${kind}' then record.fields ->> '${nameField(kind)}'`)
        .join(' ')} end`,
    )}),
    'entry_id', max(record.entry_id)
  )
  from source_records record
  where record.kind = matches.kind and record.source = ${sql.ref(source)} and record.external_id = ${sql.ref(externalId)}
)`

// as: the keys of the kinds are those of their names
const nameField = (kind: string) => NAME_FIELDS[kind as EntryKind]

const MATCH = sql`
  matches.id, matches.kind, matches.rule, matches.state, matches.evidence,
  ${recordOf('matches.source', 'matches.external_id')} as one,
  ${recordOf('matches.other_source', 'matches.other_external_id')} as other`

/** One page of the pairs that may be the same, those found first first. */
export async function listMatches(
  db: Database,
  { state, kind, page, pageSize }: MatchFilter,
): Promise<{ items: Match[]; total: number }> {
  const which = sql`state = ${state} ${kind ? sql`and kind = ${kind}` : sql``}`
  const { rows: counted } = await sql<{
    total: number
  }>`select count(*) as total from matches where ${which}`.execute(db)
  const { rows } = await sql<Match>`
    select ${MATCH} from matches where ${which}
    order by id offset ${(page - 1) * pageSize} limit ${pageSize}`.execute(db)
  return { items: rows, total: counted[0]?.total ?? 0 }
}

/** Somebody else has decided a pair since whoever decides it now has looked. */
export class DecidedMeanwhile extends Error {
  override name = 'DecidedMeanwhile'

  constructor(id: number) {
    super(`Match ${id} was decided meanwhile.`)
  }
}

/** What whoever decides a pair adds, and in which state they saw it; missing: in whichever it is. */
type Decision<Result> = { also?: Also<Result>; seen?: MatchState }

export type AcceptedMatch = { match: Match; merged: MergeOutcome | undefined }

/**
 * Decides that a pair is the same: its entries become one, now or as soon as both are loaded. The one with more readers
 * keeps its id, else the older one.
 *
 * @throws {MergeError} when there is no such pair
 * @throws {DecidedMeanwhile} when it is not as it was seen
 */
export function acceptMatch(
  db: Database,
  id: number,
  { also, seen }: Decision<AcceptedMatch> = {},
): Promise<AcceptedMatch> {
  const accept = async (trx: Database): Promise<AcceptedMatch> => {
    const match = await requireMatch(trx, id, seen)
    await decide(trx, id, 'accepted')
    const [one, other] = [match.one.entry_id, match.other.entry_id]
    if (one === null || other === null || one === other) return { match, merged: undefined }
    const [from, into] = await withFewerReaders(trx, match.kind, one, other)
    return { match, merged: await mergeIn(trx, { kind: match.kind, from, into }, 'accepted') }
  }
  return changeEntries(db, accept, also)
}

/**
 * Decides that a pair is not the same: no import joins them, and they are not asked about again.
 *
 * @throws {MergeError} when there is no such pair, or they are one entry
 * @throws {DecidedMeanwhile} when it is not as it was seen
 */
export function rejectMatch(db: Database, id: number, { also, seen }: Decision<Match> = {}): Promise<Match> {
  const reject = async (trx: Database) => {
    const match = await requireMatch(trx, id, seen)
    if (match.one.entry_id !== null && match.one.entry_id === match.other.entry_id)
      throw new MergeError(`Match ${id} is one entry already, ${match.one.entry_id}: unmerge it first.`)
    await decide(trx, id, 'rejected')
    return match
  }
  return changeEntries(db, reject, also)
}

/**
 * Takes back that a pair is not the same: it waits for a decision again.
 *
 * @throws {MergeError} when there is no such pair
 * @throws {DecidedMeanwhile} when it is not rejected
 */
export function reopenMatch(db: Database, id: number, also: Also<Match>): Promise<Match> {
  const reopen = async (trx: Database) => {
    const match = await requireMatch(trx, id, 'rejected')
    await sql`update matches set state = 'open', decided_at = null where id = ${id}`.execute(trx)
    return match
  }
  return changeEntries(db, reopen, also)
}

async function decide(trx: Database, id: number, state: MatchState): Promise<void> {
  await sql`update matches set state = ${state}, decided_at = now() where id = ${id} and state <> ${state}`.execute(
    trx,
  )
}

async function requireMatch(trx: Database, id: number, seen: MatchState | undefined): Promise<Match> {
  const { rows } = await sql<Match>`select ${MATCH} from matches where id = ${id}`.execute(trx)
  const [match] = rows
  if (!match) throw new MergeError(`There is no match ${id}.`)
  if (seen !== undefined && match.state !== seen) throw new DecidedMeanwhile(id)
  return match
}

async function withFewerReaders(
  trx: Database,
  kind: EntryKind,
  one: number,
  other: number,
): Promise<[from: number, into: number]> {
  const { rows } = await sql<{ id: number }>`
    select entry.id
    from unnest(array[${one}, ${other}]::bigint[]) entry (id)
    left join works work on work.id = entry.id and work.kind = ${kind}
    order by (select count(*) from ratings where ratings.work_id = work.id) desc, entry.id`.execute(trx)
  return rows[0]?.id === one ? [other, one] : [one, other]
}
