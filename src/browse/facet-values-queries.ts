import type { EntryKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { facetPrefix, type FacetName } from './facets.ts'

/** A value of a filter and the number of entries that have it. */
export type FacetValue = { value: string; amount: number }

/** Prefixes are two ASCII letters, and the column is sorted bytewise. */
const SELECT = statement('browse.facet_values_select').returning<FacetValue>(`
  select
    substr(facet, 3) as value,
    everybody + case when $2::boolean then nsfw else 0 end as amount
  from listing_facets
  where facet > $1::text collate "C"
    and facet < ($1::text || '~') collate "C"
    and everybody + case when $2::boolean then nsfw else 0 end > 0
  order by facet
  limit 500`)

/**
 * Lists the values of a filter that entries of a kind have, in bytewise order. Use it only for filters with few values.
 */
export const listFacetValues = (
  db: Reads,
  kind: EntryKind,
  name: Extract<FacetName, 'year' | 'status' | 'platform' | 'language'>,
  seesNsfw: boolean,
): Promise<FacetValue[]> => queryRows(db, SELECT, [facetPrefix(kind, name), seesNsfw])
