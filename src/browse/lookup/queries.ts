import { ENTRY_KINDS, WORK_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { entriesByExternalIdSql } from '../../catalog/sql-fragments.ts'
import type { Database } from '../../db/database.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { IdKind } from '../../sources/registry.ts'
import { summaryOf } from '../listed-entry.ts'

/** An id that is looked up; `place`: of the id of the request that it comes from. */
export type AskedKey = { place: number; kind: IdKind; externalId: string }

/** An entry that has an id; `volume_id`: the id is of this volume of it. */
export type FoundEntry = {
  place: number
  type: EntryKind
  volume_id: number | null
  entry: Record<string, unknown>
}

/** What may be found under each name, as `{place, kind, id}` of `asked`. */
const FINDERS = {
  /** Ids at the site `$4`, from its own records or named by other imported sources. */
  site: `
    select asked.place, asked.kind, named.entry_id as id
    from asked
    cross join lateral (${entriesByExternalIdSql('$4::text', 'asked.kind', 'asked.external_id')}) named`,
  steam: `
    select asked.place, asked.kind, galgame.id
    from asked
    cross join lateral (
      select galgames.id
      from galgames
      where galgames.steam_apps @> jsonb_build_array(jsonb_build_object('app_id', asked.external_id::bigint))
      order by galgames.id
      limit 10
    ) galgame
    where $4::text is not null`,
  isbn: `
    select asked.place, asked.kind, book.id
    from asked
    cross join lateral (
      select manga.id from mangas manga where asked.kind = 'manga' and manga.isbn = asked.external_id
      union all
      select volume.id
      from manga_volumes volume
      where asked.kind = 'manga_volume' and volume.isbn = asked.external_id
      union all
      select volume.id
      from light_novel_volumes volume
      where asked.kind = 'light_novel_volume' and volume.isbns @> jsonb_build_array(asked.external_id)
      union all
      -- a novel of one volume has no row of it
      select record.entry_id
      from source_same_as stated
      join source_records record
        on record.source = stated.source and record.kind = stated.kind and record.external_id = stated.external_id
      where asked.kind = 'light_novel'
        and stated.kind = 'light_novel'
        and stated.other_source = 'isbn'
        and stated.other_external_id = asked.external_id
    ) book (id)
    where $4::text is not null`,
} as const
export type Finder = keyof typeof FINDERS

const listOf = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(', ')

/** Merges are followed as far as this: whoever goes on has gone in a circle. */
const MAX_MERGES = 10

/**
 * The entries of the ids `$1` (places), `$2` (kinds) and `$3`, by place; nsfw works with `$5` alone. An id of a volume
 * stands for its work, one of an entry that was merged for what it was merged into. An entry that an id has in two ways
 * is there once: as the volume, where the id may be of either (an ISBN), else as itself.
 */
const lookup = (finder: Finder) =>
  statement(`browse.lookup_by_${finder}`).returning<FoundEntry>(`
  with recursive asked as (
    select * from unnest($1::integer[], $2::text[], $3::text[]) as asked (place, kind, external_id)
  ),
  named as (
    select
      hit.place,
      case hit.kind
        when 'light_novel_volume' then 'light_novel'
        when 'manga_volume' then 'manga'
        else hit.kind
      end as kind,
      case hit.kind
        when 'light_novel_volume' then (select light_novel_id from light_novel_volumes where id = hit.id)
        when 'manga_volume' then (select manga_id from manga_volumes where id = hit.id)
        else hit.id
      end as id,
      case when hit.kind in ('light_novel_volume', 'manga_volume') then hit.id end as volume_id,
      0 as merges
    from (${FINDERS[finder]}) hit
    union all
    select named.place, named.kind, merged.merged_into, named.volume_id, named.merges + 1
    from named
    join merged_entries merged on merged.kind = named.kind and merged.id = named.id
    where named.merges < ${MAX_MERGES}
  ),
  found as (
    select distinct on (named.place, named.kind, named.id) named.place, named.kind, named.id, named.volume_id
    from named
    where not exists (
      select from merged_entries merged where merged.kind = named.kind and merged.id = named.id
    )
    order by named.place, named.kind, named.id, named.volume_id nulls ${finder === 'isbn' ? 'last' : 'first'}
  )
  select place, kind as type, volume_id, entry
  from (
    select found.*, ${summaryOf('found', '$5::boolean')} as entry
    from found
    left join works work on work.id = found.id and found.kind in (${listOf(WORK_KINDS)})
    where $5::boolean or work.nsfw is not true
  ) shown
  where entry is not null
  order by place, array_position(array[${listOf(ENTRY_KINDS)}], kind), id`)

const LOOKUPS = { site: lookup('site'), steam: lookup('steam'), isbn: lookup('isbn') }

/**
 * The entries behind ids of elsewhere, in the order of their places.
 *
 * @param source of the ids; of an ISBN it says nothing
 */
export function findByOutsideIds(
  db: Database,
  finder: Finder,
  source: string,
  asked: AskedKey[],
  seesNsfw: boolean,
): Promise<FoundEntry[]> {
  return queryRows(db, LOOKUPS[finder], [
    asked.map(({ place }) => place),
    asked.map(({ kind }) => kind),
    asked.map(({ externalId }) => externalId),
    source,
    seesNsfw,
  ])
}
