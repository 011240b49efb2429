import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { ImportReport, Source } from './record.ts'
import { idTableOf, RECORD_KINDS, type RecordKind } from './record-kinds.ts'

// as: the keys of that very table
const KIND_NAMES = Object.keys(RECORD_KINDS) as RecordKind[]

/** Of a kind that is not listed no id, which `source_records` refuses. */
const NEXT_ID = sql.raw(
  `case kind ${KIND_NAMES.map((kind) => `when '${kind}' then nextval((select pg_get_serial_sequence('${idTableOf(kind)}', 'id')::regclass))`).join(' ')} end`,
)

/**
 * Gives every staged record the id of its entry: the one it had, the one another source's record of the same thing has,
 * or a new one.
 */
export async function resolve(trx: Database, source: Source, report: ImportReport) {
  await sql`
    update staged set entry_id = known.entry_id
    from source_records known
    where known.source = ${source} and known.kind = staged.kind and known.external_id = staged.external_id`.execute(
    trx,
  )
  // One whose id returns belongs to the entry it had.
  await sql`
    update staged set entry_id = withdrawn.entry_id
    from withdrawn_records withdrawn
    where withdrawn.source = ${source}
      and withdrawn.kind = staged.kind
      and withdrawn.external_id = staged.external_id
      and staged.entry_id is null`.execute(trx)
  await sql`update staged set is_new = true where entry_id is null`.execute(trx)
  await joinOtherSources(trx, source, report)
  await sql`
    update staged set entry_id = fresh.id
    from (
      select ordinal, ${NEXT_ID} as id
      from (select ordinal, kind from staged where entry_id is null order by ordinal) nameless
    ) fresh
    where fresh.ordinal = staged.ordinal`.execute(trx)
}

/**
 * Either side may be the one that knows of the other, and either may be loaded first. An entry takes one record of each
 * source, the first that names it: what a source keeps apart stays apart, in whatever order the sources are loaded.
 */
async function joinOtherSources(trx: Database, source: Source, report: ImportReport) {
  await sql`
    create temporary table same_entries on commit drop as
    select staged.ordinal, other.entry_id
    from staged
    cross join jsonb_to_recordset(staged.same_as) as stated(source text, external_id text)
    join source_records other
      on other.source = stated.source and other.kind = staged.kind and other.external_id = stated.external_id
    union
    select staged.ordinal, other.entry_id
    from staged
    join source_same_as stated
      on stated.other_source = ${source}
      and stated.kind = staged.kind
      and stated.other_external_id = staged.external_id
    join source_records other
      on other.source = stated.source and other.kind = stated.kind and other.external_id = stated.external_id`.execute(
    trx,
  )
  const { rows: known } = await sql<{ external_id: string }>`
    select staged.external_id
    from staged join same_entries same on same.ordinal = staged.ordinal
    where staged.entry_id <> same.entry_id
    order by staged.ordinal`.execute(trx)
  for (const { external_id } of known)
    report.note('known to be the same as another entry, but both exist already: left apart', external_id)

  const { rows: late } = await sql<{ external_id: string }>`
    with free as (
      select same.ordinal, min(same.entry_id) as entry_id
      from same_entries same
      join staged on staged.ordinal = same.ordinal
      where staged.entry_id is null
        and not exists (
          select from source_records taken
          where taken.source = ${source} and taken.kind = staged.kind and taken.entry_id = same.entry_id
        )
      group by same.ordinal
    ),
    first as (
      select min(free.ordinal) as ordinal, free.entry_id
      from free join staged on staged.ordinal = free.ordinal
      group by staged.kind, free.entry_id
    ),
    joined as (
      update staged set entry_id = first.entry_id from first where first.ordinal = staged.ordinal
    )
    select staged.external_id
    from staged
    where staged.entry_id is null
      and exists (select from same_entries same where same.ordinal = staged.ordinal)
      and not exists (select from first where first.ordinal = staged.ordinal)
    order by staged.ordinal`.execute(trx)
  for (const { external_id } of late)
    report.note(
      'known to be the same as an entry that is another one of this source: left apart',
      external_id,
    )
}
