import { sql } from 'kysely'
import { ENTRY_KINDS, isWorkKind, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { inLongTransaction } from '../../db/server/long-transaction.ts'
import { createChangedEntries } from '../derive/changed-entries.ts'
import { deriveCatalog } from '../derive/derive-catalog.ts'
import { sourceRank } from '../derive/source-ranks.ts'
import { takeImportLock, takeLockUnlessImporting } from '../runs/import-lock.ts'
import { lockUserData } from './lock-user-data.ts'
import { EntryRefusedError } from './entry-refusal.ts'
import {
  stageMerges,
  moveRecords,
  recordMerges,
  queueSplit,
  tableWithTimes,
} from './move-records.ts'
import { moveUserData } from './move-user-data.ts'
import { restoreUserData } from './restore-user-data.ts'

export type EntryPair = { kind: EntryKind; from: number; into: number }

/** `done` is false if there was nothing left to do. */
export type MergeOutcome = EntryPair & { done: boolean }

/** Additional work in the same transaction, such as writing an audit event. */
export type AfterChange<Result> = (trx: Database, result: Result) => Promise<void>

/**
 * Changes the records of entries in a transaction, and derives the catalog from the changes.
 *
 * @throws {ImportBusyError} if an import is running and `afterChange` is given; without `afterChange`, it waits for the
 * import
 */
export function changeEntries<Result>(
  db: Database,
  work: (trx: Database) => Promise<Result>,
  afterChange?: AfterChange<Result>,
) {
  return inLongTransaction(db, Infinity, async (trx) => {
    await sql`set local timezone = 'UTC'`.execute(trx)
    if (afterChange) await takeLockUnlessImporting(trx)
    else await takeImportLock(trx, undefined)
    await createChangedEntries(trx)
    const result = await work(trx)
    await afterChange?.(trx, result)
    await deriveCatalog(trx)
    return result
  })
}

/**
 * Merges an entry, with its records and user data, into another (decision 0022). Does nothing if they are already
 * merged.
 *
 * @throws {EntryRefusedError} if an entry is missing, both are the same, or one has been merged into a third
 */
export function mergeEntries(
  db: Database,
  pair: EntryPair,
  {
    rule = 'operator',
    afterChange,
  }: { rule?: string; afterChange?: AfterChange<MergeOutcome> } = {},
): Promise<MergeOutcome> {
  return changeEntries(db, (trx) => mergeIn(trx, pair, rule), afterChange)
}

/** Merges entries within a transaction of `changeEntries`. */
export async function mergeIn(trx: Database, pair: EntryPair, rule: string): Promise<MergeOutcome> {
  const { kind, from, into } = pair
  if (from === into)
    throw new EntryRefusedError({ code: 'merge.itself', params: { kind, id: from } })
  const mergedInto = await findMergeTarget(trx, kind, from)
  if (mergedInto === into) return { ...pair, done: false }
  if (mergedInto !== undefined)
    throw new EntryRefusedError({
      code: 'merge.elsewhere',
      params: { kind, id: from, into: mergedInto },
    })
  const target = await findMergeTarget(trx, kind, into)
  if (target !== undefined)
    throw new EntryRefusedError({
      code: target === from ? 'merge.back' : 'merge.onward',
      params: { kind, id: into, into: target },
    })
  for (const id of [from, into]) await requireEntry(trx, kind, id)
  if (isWorkKind(kind)) await lockUserData(trx, [from, into])
  await stageMerges(trx, [{ kind, from, into, rule }])
  await recordMerges(trx)
  const merge = await findMerge(trx, pair)
  if (merge?.undone_at === null && isWorkKind(kind))
    await moveUserData(trx, { id: merge.id, kind, from, into })
  await moveRecords(trx)
  return { ...pair, done: true }
}

/**
 * Undoes a merge: restores the entry `from` with its id, its records and its user data. Later imports do not join the
 * two entries again. Does nothing if the merge has already been undone.
 *
 * @throws {EntryRefusedError} if there was no such merge, or `into` has itself been merged since
 */
export function unmergeEntries(
  db: Database,
  pair: EntryPair,
  afterChange?: AfterChange<MergeOutcome>,
): Promise<MergeOutcome> {
  const unmerge = async (trx: Database): Promise<MergeOutcome> => {
    const outcome = await unmergeIn(trx, pair)
    if (outcome.done) await rejectBetween(trx, pair.kind, pair.from, pair.into)
    return outcome
  }
  return changeEntries(db, unmerge, afterChange)
}

/** Undoes a merge within a transaction of `changeEntries`. Decisions about pairs of records stay. */
export async function unmergeIn(trx: Database, pair: EntryPair): Promise<MergeOutcome> {
  const { kind, from, into } = pair
  const merge = await findMerge(trx, pair)
  if (!merge) throw new EntryRefusedError({ code: 'merge.never', params: { kind, id: from, into } })
  if (merge.undone_at !== null) return { ...pair, done: false }
  const target = await findMergeTarget(trx, kind, into)
  if (target !== undefined)
    throw new EntryRefusedError({ code: 'merge.since', params: { kind, id: into, into: target } })
  if (isWorkKind(kind)) await lockUserData(trx, [into])
  const table = tableWithTimes(kind)
  await sql`
      insert into ${sql.table(table)}
      select (jsonb_populate_record(null::${sql.table(table)}, entry)).* from entry_merges where id = ${merge.id}`.execute(
    trx,
  )
  if (isWorkKind(kind))
    await sql`insert into work_refs (id, kind) values (${from}, ${kind})`.execute(trx)
  await sql`
      with recursive chain as (
        select from_id from entry_merges where kind = ${kind} and into_id = ${from} and undone_at is null
        union
        select earlier.from_id
        from chain
        join entry_merges earlier on earlier.kind = ${kind} and earlier.into_id = chain.from_id and earlier.undone_at is null
      )
      update merged_entries merged set merged_into = ${from}
      where merged.kind = ${kind} and merged.id in (select from_id from chain)`.execute(trx)
  await sql`delete from merged_entries where kind = ${kind} and id = ${from}`.execute(trx)
  await sql`update entry_merges set undone_at = clock_timestamp() where id = ${merge.id}`.execute(
    trx,
  )
  await sql`
      update source_records record set entry_id = ${from}
      from entry_merges merge, jsonb_to_recordset(merge.records) moved (source text, external_id text)
      where merge.id = ${merge.id}
        and record.kind = ${kind}
        and record.entry_id = ${into}
        and (record.source, record.external_id) = (moved.source, moved.external_id)`.execute(trx)
  if (isWorkKind(kind)) await restoreUserData(trx, { id: merge.id, kind, from, into })
  await queueSplit(trx, kind, [from, into], into)
  return { ...pair, done: true }
}

/** Rejects all pairs of records of two entries, so that no import joins the entries. */
export async function rejectBetween(trx: Database, kind: EntryKind, one: number, other: number) {
  await sql`
    insert into matches as known (kind, source, external_id, other_source, other_external_id, rule, state, decided_at)
    select ${kind}, one.source, one.external_id, other.source, other.external_id, 'unmerged', 'rejected', now()
    from source_records one
    join source_records other on other.kind = one.kind and other.source <> one.source
    where one.kind = ${kind}
      and ((one.entry_id = ${one} and other.entry_id = ${other}) or (one.entry_id = ${other} and other.entry_id = ${one}))
      and not is_local_edit(one)
      and not is_local_edit(other)
      and ${sourceRank('one.source')} < ${sourceRank('other.source')}
    on conflict (kind, source, external_id, other_source, other_external_id) do update
      set state = 'rejected', decided_at = now()`.execute(trx)
}

async function findMergeTarget(
  trx: Database,
  kind: EntryKind,
  id: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ merged_into: number }>`
    select merged_into from merged_entries where kind = ${kind} and id = ${id}`.execute(trx)
  return rows[0]?.merged_into
}

/** Returns the merge of a pair that is in effect, or else one that has been undone. */
async function findMerge(trx: Database, { kind, from, into }: EntryPair) {
  const { rows } = await sql<{ id: number; undone_at: Date | null }>`
    select id, undone_at from entry_merges
    where kind = ${kind} and from_id = ${from} and into_id = ${into}
    order by undone_at desc nulls first limit 1`.execute(trx)
  return rows[0]
}

/** @throws {EntryRefusedError} if the entry does not exist; the error names the kind of work that has the id */
export async function requireEntry(trx: Database, kind: EntryKind, id: number): Promise<void> {
  const { rows } = await sql<{ kind: string }>`
    select resource_type as kind from catalog_entries
    where resource_id = ${id} and resource_type in (${sql.join(ENTRY_KINDS.map((item) => sql.lit(item)))})`.execute(
    trx,
  )
  if (rows.some((row) => row.kind === kind)) return
  const other = isWorkKind(kind)
    ? ENTRY_KINDS.find((item) => isWorkKind(item) && rows.some((row) => row.kind === item))
    : undefined
  throw new EntryRefusedError(
    other
      ? { code: 'entry.other_kind', params: { kind, id, otherKind: other } }
      : { code: 'entry.missing', params: { kind, id } },
  )
}
