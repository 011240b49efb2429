import { sql } from 'kysely'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import {
  changeEntries,
  mergeIn,
  unmergeIn,
  type AfterChange,
  type EntryPair,
  type MergeOutcome,
} from '../merge/merge-entries.ts'
import { pairRecords } from './contradictions.ts'
import { EntryRefusedError } from '../merge/entry-refusal.ts'
import { MATCH, type Match, type MatchedRecord, type MatchState } from './list-matches.ts'

/** Thrown if someone decided the pair after the operator saw it. */
export class MatchChangedError extends Error {
  override name = 'MatchChangedError'

  constructor(id: number) {
    super(`Match ${id} has already been decided.`)
  }
}

export type AcceptedMatch = { match: Match; merged: MergeOutcome | undefined }

/**
 * Accepts pairs as the same, in one transaction. Their entries are merged immediately, or as soon as both are loaded.
 * The entry with more ratings keeps its id, or else the older entry does.
 *
 * @throws {EntryRefusedError} if one of the pairs cannot be accepted, in which case no pair is accepted
 */
export function acceptMatches(db: Database, ids: number[]): Promise<AcceptedMatch[]> {
  return changeEntries(db, async (trx) => {
    const accepted: AcceptedMatch[] = []
    for (const id of ids) accepted.push(await acceptIn(trx, id))
    return accepted
  })
}

/** Accepts a pair within a transaction of `changeEntries`. */
export async function acceptIn(trx: Database, id: number): Promise<AcceptedMatch> {
  const match = await requireMatch(trx, id)
  await decide(trx, id, 'accepted')
  const [first, second] = [match.one.entry_id, match.other.entry_id]
  if (first === null || second === null || first === second) return { match, merged: undefined }
  const [from, into] = await orderByRatings(trx, match.kind, first, second)
  return { match, merged: await mergeIn(trx, { kind: match.kind, from, into }, 'accepted') }
}

/**
 * Rejects a pair, so that no import joins its records or lists them for review again.
 *
 * @throws {EntryRefusedError} if there is no such pair, or its records belong to one entry
 */
export const rejectMatch = (db: Database, id: number): Promise<Match> =>
  changeEntries(db, async (trx) => {
    const match = await requireMatch(trx, id)
    if (match.one.entry_id !== null && match.one.entry_id === match.other.entry_id)
      throw alreadyJoinedError(id, match.one.entry_id)
    await decide(trx, id, 'rejected')
    return match
  })

/**
 * Reopens a rejected pair.
 *
 * @throws {EntryRefusedError} if there is no such pair
 * @throws {MatchChangedError} if it is not rejected
 */
export function reopenMatch(
  db: Database,
  id: number,
  afterChange: AfterChange<Match>,
): Promise<Match> {
  const reopen = async (trx: Database) => {
    const match = await requireMatch(trx, id, 'rejected')
    await sql`update matches set state = 'open', decided_at = null where id = ${id}`.execute(trx)
    return match
  }
  return changeEntries(db, reopen, afterChange)
}

export type UnacceptedMatch = { match: Match; unmerged: MergeOutcome | undefined }

/**
 * Undoes the acceptance of a pair and, if the acceptance merged its entries, the merge. Other pairs of the two entries
 * stay.
 *
 * @throws {EntryRefusedError} if there is no such pair, if its entries are one for another reason, or if they have been
 * merged further since
 * @throws {MatchChangedError} if the pair is not accepted
 */
export function unacceptMatch(
  db: Database,
  id: number,
  {
    to,
    afterChange,
  }: { to: Exclude<MatchState, 'accepted'>; afterChange?: AfterChange<UnacceptedMatch> },
): Promise<UnacceptedMatch> {
  const unaccept = async (trx: Database): Promise<UnacceptedMatch> => {
    const match = await requireMatch(trx, id, 'accepted')
    await sql`
      update matches set state = ${to}, decided_at = case when ${to}::text = 'rejected' then now() end
      where id = ${id}`.execute(trx)
    const entry = match.one.entry_id
    if (entry === null || entry !== match.other.entry_id) return { match, unmerged: undefined }
    const merge = await findAcceptedMerge(trx, match, entry)
    if (!merge) throw alreadyJoinedError(id, entry)
    const unmerged = await unmergeIn(trx, merge)
    const still = await findAcceptedBetween(trx, merge)
    if (still !== undefined) throw alreadyJoinedError(still, entry)
    return { match, unmerged }
  }
  return changeEntries(db, unaccept, afterChange)
}

export const alreadyJoinedError = (id: number, entry: number) =>
  new EntryRefusedError({ code: 'match.joined', params: { match: id, id: entry } })

/** Returns the merge through an accepted pair that moved exactly one of the two records into the entry. */
async function findAcceptedMerge(
  trx: Database,
  { kind, one, other }: Match,
  into: number,
): Promise<EntryPair | undefined> {
  const moved = ({ source, external_id }: MatchedRecord) =>
    sql`records @> ${JSON.stringify([{ source, external_id }])}::jsonb`
  const { rows } = await sql<{ from: number }>`
    select from_id as "from" from entry_merges
    where kind = ${kind} and into_id = ${into} and rule = 'accepted' and undone_at is null
      and (${moved(one)}) <> (${moved(other)})`.execute(trx)
  return rows[0] && { kind, from: rows[0].from, into }
}

/** Returns an accepted pair with a record of each entry, which the next import would join again. */
async function findAcceptedBetween(
  trx: Database,
  { kind, from, into }: EntryPair,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select matches.id
    from matches
    ${pairRecords('matches')}
    where matches.state = 'accepted' and matches.kind = ${kind}
      and ((one.entry_id = ${from} and other.entry_id = ${into}) or (one.entry_id = ${into} and other.entry_id = ${from}))
    limit 1`.execute(trx)
  return rows[0]?.id
}

async function decide(trx: Database, id: number, state: MatchState): Promise<void> {
  await sql`update matches set state = ${state}, decided_at = now() where id = ${id} and state <> ${state}`.execute(
    trx,
  )
}

async function requireMatch(trx: Database, id: number, seen?: MatchState): Promise<Match> {
  const { rows } = await sql<Match>`select ${MATCH} from matches where id = ${id}`.execute(trx)
  const [match] = rows
  if (!match) throw new EntryRefusedError({ code: 'match.missing', params: { match: id } })
  if (seen !== undefined && match.state !== seen) throw new MatchChangedError(id)
  return match
}

async function orderByRatings(
  trx: Database,
  kind: EntryKind,
  one: number,
  other: number,
): Promise<[from: number, into: number]> {
  const { rows } = await sql<{ id: number }>`
    select entry.id
    from unnest(array[${one}, ${other}]::bigint[]) entry (id)
    left join works work on work.id = entry.id and work.kind = ${kind}
    order by (select count(*) from ratings where ratings.work_id = work.id) desc, entry.id`.execute(
    trx,
  )
  return rows[0]?.id === one ? [other, one] : [one, other]
}
