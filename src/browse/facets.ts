import { KINDS, type EntryKind, type WorkKind } from '../catalog/kinds.ts'

/**
 * Facets by which lists are filtered, as stored in `listings.facets`: a letter for the kind, a letter for the filter,
 * then the value.
 */

const KIND_INITIALS: Record<EntryKind, string> = {
  galgame: 'g',
  light_novel: 'l',
  manga: 'm',
  person: 'p',
  producer: 'r',
  character: 'c',
}

const FACET_INITIALS = {
  year: 'y',
  status: 's',
  platform: 'f',
  language: 'l',
  tag: 't',
  producer: 'r',
  person: 'p',
  character: 'c',
} as const
export type FacetName = keyof typeof FACET_INITIALS

/** Returns the facet shared by all entries of a kind. */
export const kindFacet = (kind: EntryKind) => KIND_INITIALS[kind]

/** Returns the common prefix of a filter's facets. */
export const facetPrefix = (kind: EntryKind, name: FacetName) =>
  `${KIND_INITIALS[kind]}${FACET_INITIALS[name]}`

/** Maximum length of a value. Values of entries are never longer. */
const MAX_VALUE_LENGTH = 100

/** @param value as stored in the database: an id for a tag, person, producer or character */
export const facetOf = (kind: EntryKind, name: FacetName, value: string | number) =>
  `${facetPrefix(kind, name)}${String(value).slice(0, MAX_VALUE_LENGTH)}`

type FacetSource = {
  name: FacetName
  /** SQL for rows `(id, value)` of the entries in `touched`, which are all of this kind. */
  from: string
}

const linkedFacet = (kind: WorkKind, name: FacetName, table: string): FacetSource => ({
  name,
  from: `select link.${kind}_id, link.${name}_id::text from touched join ${kind}_${table} link on link.${kind}_id = touched.id`,
})

const columnFacet = (name: FacetName, table: string, value: string): FacetSource => ({
  name,
  from: `select entry.id, ${value} from touched join ${table} entry on entry.id = touched.id`,
})

const yearOf = (date: string) => `extract(year from ${date})::text`

const tags: FacetSource = {
  name: 'tag',
  from: `
    select entry.id, tag.id::text
    from touched
    join works entry on entry.id = touched.id
    cross join tag_names(entry.tags) named (name)
    join tags tag on tag.name = named.name`,
}

function bookFacets(kind: 'light_novel' | 'manga'): FacetSource[] {
  const { table, shown } = KINDS[kind]
  return [
    columnFacet('year', table, yearOf(`entry.${shown.day}`)),
    columnFacet('status', table, `entry.${shown.status}`),
    tags,
    linkedFacet(kind, 'producer', 'producers'),
    linkedFacet(kind, 'person', 'people'),
    linkedFacet(kind, 'character', 'characters'),
  ]
}

/** Facets of each kind, with the SQL that reads them. */
export const FACET_SOURCES: Record<EntryKind, FacetSource[]> = {
  galgame: [
    columnFacet('year', 'galgames', yearOf('entry.release_date')),
    columnFacet('status', 'galgames', 'entry.dev_status'),
    {
      name: 'platform',
      from: `
        select entry.id, platform
        from touched
        join galgames entry on entry.id = touched.id
        cross join jsonb_array_elements_text(entry.platforms) platform`,
    },
    columnFacet('language', 'galgames', 'entry.origin_lang'),
    tags,
    linkedFacet('galgame', 'producer', 'producers'),
    linkedFacet('galgame', 'person', 'staff'),
    linkedFacet('galgame', 'person', 'character_actors'),
    linkedFacet('galgame', 'character', 'characters'),
  ],
  light_novel: bookFacets('light_novel'),
  manga: bookFacets('manga'),
  person: [],
  producer: [columnFacet('year', 'producers', yearOf('entry.established'))],
  character: [],
}
