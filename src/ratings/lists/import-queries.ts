import type { WorkKind } from '../../catalog/kinds.ts'
import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { isForeignKeyViolation } from '../../db/constraint-errors.ts'
import { catalogChanged, noSuchAccount } from '../../http/wire/feature-refusals.ts'
import type { RatingChange, RatingFields } from '../fields.ts'
import { changedRecord, FIELD_COLUMNS, fieldColumnsOf, newRecord } from '../own/sql-fragments.ts'
import type { LookupKey } from './list-row.ts'

export type MatchedWork = { workId: number; kind: WorkKind }

/** A record as far as a file can change it. */
export type Recorded = { work_id: number } & RatingFields

/**
 * A source's own record of that id before one that another source calls the same, the first id before the next, and of
 * several works that are called the same the oldest.
 */
const MATCH = `
  with keys as materialized (
    select * from jsonb_to_recordset($1::jsonb)
      as key(row integer, rank integer, kind text, source text, external_id text, work_id bigint)
  ),
  found as (
    select key.row, key.rank, 0 as distance, key.kind, record.entry_id as id
    from keys key
    join source_records record
      on record.source = key.source and record.kind = key.kind and record.external_id = key.external_id
    union all
    select key.row, key.rank, 1, key.kind, record.entry_id
    from keys key
    join source_same_as link
      on link.other_source = key.source and link.kind = key.kind and link.other_external_id = key.external_id
    join source_records record
      on record.source = link.source and record.kind = link.kind and record.external_id = link.external_id
    union all
    select key.row, key.rank, 2, key.kind, key.work_id from keys key where key.work_id is not null
  )
  select distinct on (found.row) found.row, work.id as "workId", work.kind
  from found
  join works work on work.id = found.id and work.kind = found.kind
  order by found.row, found.distance, found.rank, work.id`

/** The works that keys mean, by the place of their row; those of rows that mean none are missing. */
export async function matchWorks(
  db: Database,
  rows: { place: number; keys: LookupKey[] }[],
): Promise<Map<number, MatchedWork>> {
  const keys = rows.flatMap(({ place, keys }) => keys.map((key, rank) => ({ row: place, rank, ...key })))
  const found = await queryRows<MatchedWork & { row: number }>(db, MATCH, [JSON.stringify(keys)])
  return new Map(found.map(({ row, ...work }) => [row, work]))
}

const RECORDED = `
  select rating.work_id, ${fieldColumnsOf('rating')}
  from unnest($2::bigint[]) as wanted(work_id)
  join ratings rating on rating.account_id = $1 and rating.work_id = wanted.work_id`

/** What the reader has recorded of these works, by work. */
export async function findRecorded(
  db: Database,
  accountId: number,
  workIds: number[],
): Promise<Map<number, Recorded>> {
  const found = await queryRows<Recorded>(db, RECORDED, [accountId, workIds])
  return new Map(found.map((recorded) => [recorded.work_id, recorded]))
}

const HOLD_READER = `
  select id from accounts
  where id = $1 and set_config('mokuroku.client_id', $2, true) is not null
  for no key update`

const HOLD_RECORDS = `select id from ratings where account_id = $1 order by id for no key update`

/**
 * Holds off, until the transaction ends, whatever else would change the reader's records: what is planned from them
 * then is what is done. Others are not held off.
 *
 * @param clientId the app that writes, for the history
 */
export async function holdRecords(trx: Database, accountId: number, clientId: string): Promise<void> {
  const [reader] = await queryRows<{ id: number }>(trx, HOLD_READER, [accountId, clientId])
  if (!reader) throw noSuchAccount()
  // In the order in which all who lock several of them do it.
  await queryRows(trx, HOLD_RECORDS, [accountId])
}

const WRITES = `jsonb_to_recordset($2::jsonb) as write(work_id bigint, kind text, change jsonb)`

const CREATE = `
  insert into ratings (account_id, work_id, kind, hidden, ${FIELD_COLUMNS})
  select reader.id, write.work_id, write.kind, reader.banned_at is not null, ${fieldColumnsOf('created')}
  from accounts reader
  cross join ${WRITES}
  cross join ${newRecord('write.change')} created
  where reader.id = $1
  order by write.work_id`

const UPDATE = `
  update ratings rating
  set (${FIELD_COLUMNS}) = (select ${fieldColumnsOf('changed')} from ${changedRecord('write.change')} changed)
  from ${WRITES}
  where rating.account_id = $1 and rating.work_id = write.work_id and rating.kind = write.kind`

export type Write = { work: MatchedWork; change: RatingChange }

/**
 * Creates records of works the reader has none of.
 *
 * @param trx holds the reader's records
 * @throws {ApiError} `COMMON_CONFLICT` when a work was taken away meanwhile
 */
export async function createImported(trx: Database, accountId: number, writes: Write[]): Promise<void> {
  try {
    await queryRows(trx, CREATE, [accountId, toParameter(writes)])
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw catalogChanged(error)
  }
}

/** Lays the changes over what is recorded; other fields stay. @param trx holds the reader's records */
export async function updateImported(trx: Database, accountId: number, writes: Write[]): Promise<void> {
  await queryRows(trx, UPDATE, [accountId, toParameter(writes)])
}

const toParameter = (writes: Write[]) =>
  JSON.stringify(writes.map(({ work, change }) => ({ work_id: work.workId, kind: work.kind, change })))
