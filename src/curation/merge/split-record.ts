import { sql } from 'kysely'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { idTableOf } from '../../sources/records/record-kinds.ts'
import { changeEntries, rejectBetween, requireEntry } from './merge-entries.ts'
import { EntryRefusedError } from './entry-refusal.ts'
import { queueSplit } from './move-records.ts'
import { rejectedMatches } from '../records/resolve-entries.ts'

export type RecordToSplit = { kind: EntryKind; source: string; externalId: string; from: number }

/** `done` is false if the record has already been split off. `id` is the id of its own entry. */
export type SplitOutcome = RecordToSplit & { id: number; done: boolean }

/**
 * Splits off a record that was never a separate entry, for example because its first import joined it wrongly. The
 * record gets an entry with a new id, and no import joins the two again. User data stays.
 *
 * @throws {EntryRefusedError} if the entry does not have the record or has no other record, or if the record came from a
 * merge
 */
export function splitRecord(db: Database, record: RecordToSplit): Promise<SplitOutcome> {
  return changeEntries(db, async (trx) => {
    const { kind, source, externalId, from } = record
    await requireEntry(trx, kind, from)
    const name = `${source}:${externalId}`
    const now = await findEntryOf(trx, record)
    if (now !== undefined && now !== from && (await isRejected(trx, record)))
      return { ...record, id: now, done: false }
    if (now !== from)
      throw new EntryRefusedError({
        code: 'record.elsewhere',
        params: { kind, id: from, record: name },
      })
    const merged = await findMergeThatBrought(trx, record)
    if (merged !== undefined)
      throw new EntryRefusedError({
        code: 'record.merged',
        params: { record: name, id: from, merged },
      })
    const { rows: others } = await sql`
      select from source_records record
      where kind = ${kind} and entry_id = ${from} and (source, external_id) <> (${source}, ${externalId})
        and not is_local_edit(record)
      limit 1`.execute(trx)
    if (others.length === 0)
      throw new EntryRefusedError({ code: 'record.only', params: { record: name, id: from } })

    const { rows } = await sql<{ id: number }>`
      update source_records
      set entry_id = nextval(pg_get_serial_sequence(${idTableOf(kind)}::text, 'id'))
      where source = ${source} and kind = ${kind} and external_id = ${externalId}
      returning entry_id as id`.execute(trx)
    const id = rows[0]?.id ?? 0
    await rejectBetween(trx, kind, id, from)
    await queueSplit(trx, kind, [id, from], from)
    return { ...record, id, done: true }
  })
}

async function findEntryOf(trx: Database, { kind, source, externalId }: RecordToSplit) {
  const { rows } = await sql<{ entry_id: number }>`
    select entry_id from source_records
    where source = ${source} and kind = ${kind} and external_id = ${externalId}`.execute(trx)
  return rows[0]?.entry_id
}

/** Returns true if the record was rejected as a match for a record of that entry. */
async function isRejected(trx: Database, record: RecordToSplit): Promise<boolean> {
  const { rows } = await sql`${rejectedMatches({ ...record, entry: record.from })} limit 1`.execute(
    trx,
  )
  return rows.length > 0
}

async function findMergeThatBrought(
  trx: Database,
  { kind, source, externalId, from }: RecordToSplit,
) {
  const { rows } = await sql<{ from_id: number }>`
    select merge.from_id
    from entry_merges merge
    cross join jsonb_to_recordset(merge.records) moved (source text, external_id text)
    where merge.kind = ${kind}
      and merge.into_id = ${from}
      and merge.undone_at is null
      and (moved.source, moved.external_id) = (${source}, ${externalId})
    order by merge.id desc
    limit 1`.execute(trx)
  return rows[0]?.from_id
}
