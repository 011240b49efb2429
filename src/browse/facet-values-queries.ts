import type { EntryKind } from '../catalog/kinds.ts'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { facetMark, type FacetName } from './facets.ts'

/** What entries of a kind are filtered by, and how many of them have it. */
export type FacetValue = { value: string; amount: number }

/** Marks are two letters of ASCII, and the column is ordered by bytes. */
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

/** The values of one filter that entries of the kind have, of few values: not of tags and ids. In the order of their bytes. */
export const listFacetValues = (
  db: Database,
  kind: EntryKind,
  name: Extract<FacetName, 'year' | 'status' | 'platform' | 'language'>,
  seesNsfw: boolean,
): Promise<FacetValue[]> => queryRows(db, SELECT, [facetMark(kind, name), seesNsfw])
