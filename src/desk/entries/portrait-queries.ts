import { creditedWorksSql, LINKED_KINDS } from '../../browse/back-links/queries.ts'
import { entrySummarySql, type EntrySummary } from '../../browse/summary.ts'
import { ENTRY_KINDS, KINDS, type EntryKind, type WorkKind } from '../../catalog/kinds.ts'
import { workRefSql } from '../../catalog/sql-fragments.ts'
import type { WorkRef } from '../../catalog/work-refs.ts'
import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { SourceName } from '../../sources/registry.ts'

/** Number of works and of other names in a portrait. */
const MAX_SHOWN = 3

export type PortraitKey = { kind: EntryKind; id: number }

/** Facts of an entry by which a person recognizes it. */
export type Portrait = PortraitKey & {
  entry: EntrySummary
  other_names: string[]
  gender: string | null
  /** Month and day, such as `7-21`. */
  birthday: string | null
  /** Newest works that credit the entry. Empty for works. */
  works: { type: WorkKind; work: WorkRef }[]
  /** Records of the entry, without fields that were set by hand. */
  records: { source: SourceName; external_id: string }[]
}

/** Builds a `case` over the kind of the requested entry. Kinds without SQL give the default. */
const perKind = (sqlOf: (kind: EntryKind) => string | undefined, otherwise: string) =>
  `case requested.kind ${ENTRY_KINDS.map((kind) => {
    const text = sqlOf(kind)
    return text === undefined ? '' : `when '${kind}' then (${text})`
  }).join(' ')} else ${otherwise} end`

const fieldSql =
  (field: string, kinds: readonly EntryKind[]) =>
  (kind: EntryKind): string | undefined =>
    kinds.includes(kind)
      ? `select ${field} from ${KINDS[kind].table} entry where entry.id = requested.id`
      : undefined

const namesSql = (kind: EntryKind) =>
  fieldSql(kind === 'light_novel' || kind === 'manga' ? 'entry.other_names' : 'entry.aliases', [
    kind,
  ])(kind)

const worksSql = (kind: EntryKind): string | undefined => {
  const linked = LINKED_KINDS.find((known) => known === kind)
  return linked === undefined
    ? undefined
    : `
    select coalesce(json_agg(json_build_object('type', item.kind, 'work', ${workRefSql('item.id', 'item.kind')})), '[]')
    from (
      select
        work.kind,
        work.id
      from (${creditedWorksSql(linked, 'requested.id')}) credited
      join works work on work.id = credited.work_id
      left join galgames galgame on galgame.id = work.id
      left join light_novels novel on novel.id = work.id
      left join mangas manga on manga.id = work.id
      order by coalesce(galgame.release_date, novel.publication_date, manga.publication_date) desc nulls last, work.id
      limit ${MAX_SHOWN}
    ) item`
}

const SELECT = statement('desk.portraits').returning<
  Omit<Portrait, 'entry'> & { entry: EntrySummary | null }
>(`
  select
    requested.kind,
    requested.id,
    ${entrySummarySql('requested', 'true')} as entry,
    (
      select coalesce(json_agg(name.value order by name.place), '[]')
      from jsonb_array_elements(${perKind(namesSql, `'[]'`)}) with ordinality as name (value, place)
      where name.place <= ${MAX_SHOWN}
    ) as other_names,
    ${perKind(fieldSql('entry.gender', ['person', 'character']), 'null')} as gender,
    ${perKind(fieldSql(`entry.birthday_month || '-' || entry.birthday_day`, ['character']), 'null')} as birthday,
    ${perKind(worksSql, `'[]'`)} as works,
    (
      select coalesce(
        json_agg(
          json_build_object('source', record.source, 'external_id', record.external_id)
          order by record.source, record.external_id
        ),
        '[]'
      )
      from source_records record
      where record.kind = requested.kind and record.entry_id = requested.id and not is_local_edit(record)
    ) as records
  from jsonb_to_recordset($1::jsonb) as requested (kind text, id bigint)`)

export const portraitKey = ({ kind, id }: PortraitKey) => `${kind}/${id}`

/** Finds portraits by their keys (`portraitKey`). Missing entries are omitted. */
export async function findPortraits(
  db: Database,
  keys: PortraitKey[],
): Promise<Map<string, Portrait>> {
  if (keys.length === 0) return new Map()
  const unique = new Map(keys.map(({ kind, id }) => [portraitKey({ kind, id }), { kind, id }]))
  const rows = await queryRows(db, SELECT, [JSON.stringify([...unique.values()])])
  return new Map(
    rows.flatMap(({ entry, ...row }) => (entry ? [[portraitKey(row), { entry, ...row }]] : [])),
  )
}
