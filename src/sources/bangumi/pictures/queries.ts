import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { RECORD_KINDS, type RecordKind } from '../../records/record-kinds.ts'
import { tableExists } from '../../records/unchanged-records.ts'
import {
  PICTURE_FIELDS,
  PICTURED_KINDS,
  pictureField,
  type PictureSubject,
} from './picture-fields.ts'

export type MissingPicture = { kind: PictureSubject; id: number }

/** Time after which a missing picture is requested again, because a picture may have been added. */
const RETRY_AFTER = '90 days'

/**
 * SQL for entries without a picture from any source whose Bangumi picture was not requested recently, most visible
 * entries first.
 */
const expected: RawBuilder<unknown> = sql`
  select wanted.kind, wanted.id, min(wanted.rank) as rank
  from (${sql.join(
    PICTURED_KINDS.map((kind, rank) => {
      const { of, field, shape } = PICTURE_FIELDS[kind]
      const isEmpty =
        shape === 'covers'
          ? sql`entry.${sql.ref(field)} = '[]'`
          : sql`entry.${sql.ref(field)} is null`
      return sql`
        select ${sql.lit(of)} as kind, record.external_id::bigint as id, ${sql.lit(rank)} as rank
        from source_records record
        join ${sql.table(RECORD_KINDS[kind].table)} entry on entry.id = record.entry_id
        where record.source = 'bangumi'
          and record.kind = ${sql.lit(kind)}
          and record.external_id ~ '^[1-9][0-9]{0,8}$'
          and ${isEmpty}`
    }),
    sql` union all `,
  )}) wanted
  where not exists (
    select from bangumi_pictures asked
    where asked.kind = wanted.kind
      and asked.id = wanted.id
      and (asked.path is not null or asked.asked_at > now() - ${sql.lit(RETRY_AFTER)}::interval)
  )
  group by wanted.kind, wanted.id`

export async function listMissingPictures(db: Database, limit: number): Promise<MissingPicture[]> {
  const { rows } = await sql<MissingPicture>`
    select kind, id from (${expected}) wanted order by rank, id, kind limit ${limit}`.execute(db)
  return rows
}

export async function countMissingPictures(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from (${expected}) wanted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/**
 * Stores the result of a request.
 *
 * @param path null if there is no picture
 */
export async function savePicture(
  db: Database,
  { kind, id }: MissingPicture,
  path: string | null,
): Promise<void> {
  await sql`
    insert into bangumi_pictures (kind, id, path) values (${kind}, ${id}::bigint, ${path})
    on conflict (kind, id) do update set path = excluded.path, asked_at = now()`.execute(db)
}

/** A known picture that a record lacks. Volumes have the grade of their work. */
type ApplicablePicture = {
  kind: RecordKind
  external_id: string
  entry_id: number
  path: string
  nsfw: boolean
}

const kindsOf = (of: PictureSubject) =>
  sql.join(
    PICTURED_KINDS.filter((kind) => PICTURE_FIELDS[kind].of === of).map((kind) => sql.lit(kind)),
  )

const isOfKind = sql`case picture.kind ${sql.join(
  (['subject', 'person', 'character'] as const).map(
    (of) => sql`when ${sql.lit(of)} then record.kind in (${kindsOf(of)})`,
  ),
  sql` `,
)} end`

const hasField = sql`case record.kind ${sql.join(
  PICTURED_KINDS.map(
    (kind) =>
      sql`when ${sql.lit(kind)} then record.fields ? ${sql.lit(PICTURE_FIELDS[kind].field)}`,
  ),
  sql` `,
)} end`

/**
 * Adds known pictures to records. Call it in a transaction of `changeEntries`.
 *
 * @returns the number of changed records, at most `limit`
 */
export async function applyPictures(trx: Database, limit: number): Promise<number> {
  const { rows } = await sql<ApplicablePicture>`
    select record.kind, record.external_id, record.entry_id, picture.path, coalesce(${nsfwOf}, false) as nsfw
    from bangumi_pictures picture
    join source_records record
      on record.source = 'bangumi' and record.external_id = picture.id::text and ${isOfKind}
    ${ownWork}
    where picture.path is not null and not ${hasField}
    order by record.kind, picture.id
    limit ${limit}`.execute(trx)
  const changes = rows.map(({ path, nsfw, ...record }) => ({
    ...record,
    fields: pictureField(record.kind, path, nsfw),
  }))
  await sql`
    with changed as (
      select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as changed (kind text, external_id text, entry_id bigint, fields jsonb)
    ),
    written as (
      update source_records record set fields = record.fields || changed.fields
      from changed
      where record.source = 'bangumi' and record.kind = changed.kind and record.external_id = changed.external_id
    )
    insert into changed_entries select kind, entry_id from changed on conflict do nothing`.execute(
    trx,
  )
  return rows.length
}

const nsfwOf = sql`coalesce((record.fields ->> 'nsfw')::boolean, work.nsfw)`
const ownWork = sql`
  left join light_novel_volumes novel_volume
    on record.kind = 'light_novel_volume' and novel_volume.id = record.entry_id
  left join manga_volumes manga_volume on record.kind = 'manga_volume' and manga_volume.id = record.entry_id
  left join works work on work.id = coalesce(novel_volume.light_novel_id, manga_volume.manga_id)`

export type KnownPicture = { kind: PictureSubject; id: number; path: string; nsfw: boolean }

/** Returns known pictures. `nsfw` of a volume is the value of its current work. */
export async function findKnownPictures(
  trx: Database,
  pictures: MissingPicture[],
): Promise<KnownPicture[]> {
  const { rows } = await sql<KnownPicture>`
    select picture.kind, picture.id, picture.path, coalesce(bool_or(work.nsfw), false) as nsfw
    from jsonb_to_recordset(${JSON.stringify(pictures)}::jsonb) as thing (kind text, id bigint)
    join bangumi_pictures picture on picture.kind = thing.kind and picture.id = thing.id
    left join source_records record
      on record.source = 'bangumi'
      and record.kind in ('light_novel_volume', 'manga_volume')
      and picture.kind = 'subject'
      and record.external_id = picture.id::text
    ${ownWork}
    where picture.path is not null
    group by picture.kind, picture.id, picture.path`.execute(trx)
  return rows
}

/** Returns true if any picture is known. A database without a schema, where dumps are only read, has no pictures. */
export async function hasKnownPictures(trx: Database): Promise<boolean> {
  if (!(await tableExists(trx, 'bangumi_pictures'))) return false
  const { rows } = await sql`select from bangumi_pictures where path is not null limit 1`.execute(
    trx,
  )
  return rows.length > 0
}
