import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { changeEntries, type AfterChange } from '../merge/merge-entries.ts'
import { isSettled, MATCH, type Match, type MatchState } from './list-matches.ts'
import { acceptIn, alreadyJoinedError, type AcceptedMatch } from './review.ts'

/** A decided pair, as it was before the decision, and the merge of its entries, if any. */
export type DecidedMatch = AcceptedMatch

type Decision = {
  /** State that the operator saw. Pairs in another state have been decided by someone else, and are left alone. */
  seen: MatchState
  to: Exclude<MatchState, 'open'>
  afterChange: AfterChange<DecidedMatch[]>
}

/**
 * Decides several pairs in one transaction.
 *
 * @returns the decided pairs; the others are missing or no longer in the state that was seen
 * @throws {EntryRefusedError} if a pair to reject already is one entry, in which case no pair is decided
 */
export function decideMatches(
  db: Database,
  ids: number[],
  { seen, to, afterChange }: Decision,
): Promise<DecidedMatch[]> {
  const decide = async (trx: Database) => {
    if (to === 'rejected') await refuseSettled(trx, ids, seen)
    const { rows: taken } = await sql<{ id: number }>`
      update matches set state = ${to}, decided_at = now()
      where id = any(${ids}::bigint[]) and state = ${seen}
      returning id`.execute(trx)
    const decided: DecidedMatch[] = []
    const takenIds = taken.map(({ id }) => id).toSorted((a, b) => a - b)
    // Earlier merges may have moved the records, so each pair is read again.
    if (to === 'accepted') for (const id of takenIds) decided.push(await acceptIn(trx, id))
    else
      decided.push(
        ...(await listByIds(trx, takenIds)).map((match) => ({ match, merged: undefined })),
      )
    return decided.map(({ match, merged }) => ({ match: { ...match, state: seen }, merged }))
  }
  return changeEntries(db, decide, afterChange)
}

async function refuseSettled(trx: Database, ids: number[], seen: MatchState): Promise<void> {
  const { rows } = await sql<Match>`
    select ${MATCH} from matches
    where id = any(${ids}::bigint[]) and state = ${seen} and ${isSettled}
    order by id limit 1`.execute(trx)
  const [match] = rows
  if (match && match.one.entry_id !== null) throw alreadyJoinedError(match.id, match.one.entry_id)
}

async function listByIds(trx: Database, ids: number[]): Promise<Match[]> {
  const { rows } = await sql<Match>`
    select ${MATCH} from matches where id = any(${ids}::bigint[]) order by id`.execute(trx)
  return rows
}
