import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Source } from './record.ts'
import { idTableOf, RECORD_KINDS, type RecordKind } from './record-kinds.ts'

// as: the keys of that very table
const KIND_NAMES = Object.keys(RECORD_KINDS) as RecordKind[]

/** Of a kind that is not listed no id, which `source_records` refuses. */
const NEXT_ID = sql.raw(
  `case kind ${KIND_NAMES.map((kind) => `when '${kind}' then nextval((select pg_get_serial_sequence('${idTableOf(kind)}', 'id')::regclass))`).join(' ')} end`,
)

/**
 * Makes `resolved`, a table of this transaction: of every staged record the id of its entry and whether it is new. The id is the one it had, that of the one record of another source that is known to
 * be the same, or a new one. Where several may be meant it gets a new one, and they are compared when all of them are kept
 * (identity/join-records.ts).
 */
export async function resolve(trx: Database, source: Source) {
  // Ids alone: each update of staged records would write all that they say once more.
  await sql`
    create temporary table resolved on commit drop as
    select
      staged.ordinal, staged.kind, staged.external_id,
      -- One whose id returns belongs to the entry it had, unless somebody has said otherwise meanwhile.
      coalesce(known.entry_id, withdrawn.entry_id) as entry_id,
      known.entry_id is null and withdrawn.entry_id is null as is_new
    from staged
    left join source_records known
      on known.source = ${source} and known.kind = staged.kind and known.external_id = staged.external_id
    left join withdrawn_records withdrawn
      on withdrawn.source = ${source} and withdrawn.kind = staged.kind and withdrawn.external_id = staged.external_id
      and not exists (${rejectedWith(source, 'staged', 'withdrawn.entry_id')})`.execute(trx)
  await sql`alter table resolved add primary key (ordinal)`.execute(trx)
  await sql`analyze resolved`.execute(trx)
  // Of a record that was away its entry may have been merged meanwhile.
  await sql`
    update resolved set entry_id = merged.merged_into
    from merged_entries merged
    where merged.kind = resolved.kind and merged.id = resolved.entry_id`.execute(trx)
  await joinOtherSources(trx, source)
  await sql`
    update resolved set entry_id = drawn.id
    from (
      select ordinal, ${NEXT_ID} as id
      from (select ordinal, kind from resolved where entry_id is null order by ordinal) in_order
    ) drawn
    where drawn.ordinal = resolved.ordinal`.execute(trx)
}

/**
 * Either side may be the one that knows of the other, and either may be loaded first. Only where one record means one other
 * is an entry shared at once; an entry takes one record of each source.
 */
async function joinOtherSources(trx: Database, source: Source) {
  await sql`
    with same as (
      select staged.ordinal, staged.kind, staged.external_id, resolved.entry_id as own_id, other.source, other.external_id as other_id,
        other.entry_id
      from staged
      join resolved on resolved.ordinal = staged.ordinal
      cross join jsonb_to_recordset(staged.same_as) as stated(source text, external_id text)
      join source_records other
        on other.source = stated.source and other.kind = staged.kind and other.external_id = stated.external_id
      where staged.same_as <> '[]' and stated.source <> ${source}
      union
      select resolved.ordinal, resolved.kind, resolved.external_id, resolved.entry_id, other.source, other.external_id, other.entry_id
      from resolved
      join source_same_as stated
        on stated.other_source = ${source}
        and stated.kind = resolved.kind
        and stated.other_external_id = resolved.external_id
      join source_records other
        on other.source = stated.source and other.kind = stated.kind and other.external_id = stated.external_id
    ),
    single as (
      select ordinal, min(entry_id) as entry_id
      from same
      group by ordinal
      having count(distinct entry_id) = 1 and bool_and(own_id is null)
    )
    update resolved set entry_id = single.entry_id
    from single
    where single.ordinal = resolved.ordinal
      and not exists (
        select from same another
        where another.kind = resolved.kind and another.entry_id = single.entry_id and another.ordinal <> single.ordinal
      )
      and not exists (
        select from source_records taken
        where taken.source = ${source} and taken.kind = resolved.kind and taken.entry_id = single.entry_id
      )
      and not exists (${rejectedWith(source, 'resolved', 'single.entry_id')})`.execute(trx)
}

/** SQL: the records of an entry of which somebody said that a record of this source is not the same. */
const rejectedWith = (source: Source, record: string, entry: string) => sql`
  select from matches
  join source_records member
    on member.kind = matches.kind and member.entry_id = ${sql.ref(entry)}
    and (
      (matches.source, matches.external_id, matches.other_source, matches.other_external_id)
        = (${source}, ${sql.ref(`${record}.external_id`)}, member.source, member.external_id)
      or (matches.other_source, matches.other_external_id, matches.source, matches.external_id)
        = (${source}, ${sql.ref(`${record}.external_id`)}, member.source, member.external_id)
    )
  where matches.kind = ${sql.ref(`${record}.kind`)} and matches.state = 'rejected'`
