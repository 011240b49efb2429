import type { EntryKind, WorkKind } from '../catalog/kinds.ts'

/** What lists are filtered by, as `listings.facets` has it: initials of the kind and of the filter, then the value. */

const KIND_MARKS: Record<EntryKind, string> = {
  galgame: 'g',
  light_novel: 'l',
  manga: 'm',
  person: 'p',
  producer: 'r',
  character: 'c',
}

const FACET_MARKS = {
  year: 'y',
  status: 's',
  platform: 'f',
  language: 'l',
  tag: 't',
  producer: 'r',
  person: 'p',
  character: 'c',
} as const
export type FacetName = keyof typeof FACET_MARKS

/** The facet that every entry of a kind has. */
export const kindFacet = (kind: EntryKind) => KIND_MARKS[kind]

/** How all facets of a filter begin. */
export const facetMark = (kind: EntryKind, name: FacetName) =>
  `${KIND_MARKS[kind]}${FACET_MARKS[name]}`

/** A value longer than this is none that an entry has. */
const MAX_VALUE = 100

/** @param value in the database's words; of a tag, person, producer or character its id */
export const facetOf = (kind: EntryKind, name: FacetName, value: string | number) =>
  `${facetMark(kind, name)}${String(value).slice(0, MAX_VALUE)}`

type FacetSource = {
  name: FacetName
  /** SQL: rows `(id, value)`, of those of `touched` that are of the kind. */
  from: string
}

const linked = (kind: WorkKind, name: FacetName, table: string): FacetSource => ({
  name,
  from: `select link.${kind}_id, link.${name}_id::text from touched join ${kind}_${table} link on link.${kind}_id = touched.id`,
})

const column = (name: FacetName, table: string, value: string): FacetSource => ({
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

/** Where the facets of each kind are read. */
export const FACET_SOURCES: Record<EntryKind, FacetSource[]> = {
  galgame: [
    column('year', 'galgames', yearOf('entry.release_date')),
    column('status', 'galgames', 'entry.dev_status'),
    {
      name: 'platform',
      from: `
        select entry.id, platform
        from touched
        join galgames entry on entry.id = touched.id
        cross join jsonb_array_elements_text(entry.platforms) platform`,
    },
    column('language', 'galgames', 'entry.origin_lang'),
    tags,
    linked('galgame', 'producer', 'producers'),
    linked('galgame', 'person', 'staff'),
    linked('galgame', 'person', 'character_actors'),
    linked('galgame', 'character', 'characters'),
  ],
  light_novel: [
    column('year', 'light_novels', yearOf('entry.publication_date')),
    column('status', 'light_novels', 'entry.novel_status'),
    tags,
    linked('light_novel', 'producer', 'producers'),
    linked('light_novel', 'person', 'people'),
    linked('light_novel', 'character', 'characters'),
  ],
  manga: [
    column('year', 'mangas', yearOf('entry.publication_date')),
    column('status', 'mangas', 'entry.serial_status'),
    tags,
    linked('manga', 'producer', 'producers'),
    linked('manga', 'person', 'people'),
    linked('manga', 'character', 'characters'),
  ],
  person: [],
  producer: [column('year', 'producers', yearOf('entry.established'))],
  character: [],
}
