import { ENTRY_KINDS, WORK_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { entriesByExternalIdSql } from '../../catalog/sql-fragments.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { IdKind } from '../../sources/registry.ts'
import { forAnyValue } from '../../db/generic-plan.ts'
import { entrySummarySql } from '../summary.ts'

/** An id to look up. `place` is the index of the requested id it belongs to. */
export type RequestedKey = { place: number; kind: IdKind; externalId: string }

/** An entry with a requested id. `volume_id` is set if the id belongs to one of its volumes. */
export type FoundEntry = {
  place: number
  type: EntryKind
  volume_id: number | null
  entry: Record<string, unknown>
}

/** SQL for each lookup method: rows `{place, kind, id}` for the rows of `requested`. */
const FINDERS = {
  /** Finds ids of the site `$4`, from its own records or stated by other imported sources. */
  site: `
    select requested.place, requested.kind, named.entry_id as id
    from requested
    cross join lateral (${entriesByExternalIdSql('$4::text', 'requested.kind', 'requested.external_id')}) named`,
  steam: `
    select requested.place, requested.kind, galgame.id
    from requested
    cross join lateral (
      select galgames.id
      from galgames
      where galgames.steam_apps @> jsonb_build_array(jsonb_build_object('app_id', requested.external_id::bigint))
      order by galgames.id
      limit 10
    ) galgame
    where $4::text is not null`,
  isbn: `
    select requested.place, requested.kind, book.id
    from requested
    cross join lateral (
      select manga.id from mangas manga where requested.kind = 'manga' and manga.isbn = requested.external_id
      union all
      select volume.id
      from manga_volumes volume
      where requested.kind = 'manga_volume' and volume.isbn = requested.external_id
      union all
      select volume.id
      from light_novel_volumes volume
      where requested.kind = 'light_novel_volume' and volume.isbns @> jsonb_build_array(requested.external_id)
      union all
      -- a novel with a single volume has no volume row
      select record.entry_id
      from source_same_as stated
      join source_records record
        on record.source = stated.source and record.kind = stated.kind and record.external_id = stated.external_id
      where requested.kind = 'light_novel'
        and stated.kind = 'light_novel'
        and stated.other_source = 'isbn'
        and stated.other_external_id = requested.external_id
    ) book (id)
    where $4::text is not null`,
} as const
export type Finder = keyof typeof FINDERS

const listOf = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(', ')

/** Maximum number of merges followed, as a guard against cycles. */
const MAX_MERGES = 10

/**
 * Finds the entries with the ids `$1` (places), `$2` (kinds) and `$3`, keyed by place. Nsfw works require `$5`.
 *
 * The id of a volume finds its work, and the id of a merged entry finds the target. If an id matches an entry in two
 * ways, the entry is returned once: as the volume for an ISBN, otherwise as the entry itself.
 */
const lookup = (finder: Finder) =>
  statement(`browse.lookup_by_${finder}`).returning<FoundEntry>(`
  with recursive requested as (
    select * from unnest(
      ${forAnyValue('$1::integer[]')}, ${forAnyValue('$2::text[]')}, ${forAnyValue('$3::text[]')}
    ) as requested (place, kind, external_id)
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
    select found.*, ${entrySummarySql('found', forAnyValue('$5::boolean'))} as entry
    from found
    left join works work on work.id = found.id and found.kind in (${listOf(WORK_KINDS)})
    where $5::boolean or work.nsfw is not true
  ) shown
  where entry is not null
  order by place, array_position(array[${listOf(ENTRY_KINDS)}], kind), id`)

const LOOKUPS = { site: lookup('site'), steam: lookup('steam'), isbn: lookup('isbn') }

/**
 * Returns the entries with the given external ids, keyed by place.
 *
 * @param source source of the ids; ignored for ISBNs
 */
export const lookUpEntries = (
  db: Reads,
  finder: Finder,
  source: string,
  requested: RequestedKey[],
  seesNsfw: boolean,
) =>
  queryRows(db, LOOKUPS[finder], [
    requested.map(({ place }) => place),
    requested.map(({ kind }) => kind),
    requested.map(({ externalId }) => externalId),
    source,
    seesNsfw,
  ])
