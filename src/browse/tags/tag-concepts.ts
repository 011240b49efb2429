import type { Language } from '../../i18n/languages.ts'
import type { Filter } from '../lists/filters.ts'
import table from './tag-concepts.json' with { type: 'json' }

/** Groups of tags, in the order in which pages list them. */
export const TAG_GROUPS = [
  'genre',
  'setting',
  'theme',
  'mood',
  'character',
  'audience',
  'technical',
] as const
export type TagGroup = (typeof TAG_GROUPS)[number]

/** Common meaning of several tags of the sources, such as `Romance`, `恋愛` and `爱情`. */
export type TagConcept = { group: TagGroup; names: Record<Language, string>; synonyms: string[] }

// as: a test compares the file with the groups and languages
export const TAG_CONCEPTS = table.concepts as readonly TagConcept[]

const keyOf = (name: string) => name.normalize('NFKC').toLowerCase()

const spellingsOf = ({ names, synonyms }: TagConcept): string[] => [
  ...new Set([...Object.values(names), ...synonyms]),
]

const BY_NAME = new Map(
  TAG_CONCEPTS.flatMap((concept) =>
    spellingsOf(concept).map((name) => [keyOf(name), concept] as const),
  ),
)
const HIDDEN: ReadonlySet<string> = new Set(table.hidden)

/**
 * Table of concepts as parameters of a statement: spellings, the English name of each one's concept, and tags that say
 * nothing about the content of a work.
 */
export const CONCEPT_PARAMETERS: readonly [string[], string[], string[]] = [
  [...BY_NAME.keys()],
  [...BY_NAME.values()].map(({ names }) => names.en),
  [...HIDDEN],
]

/** Empty parameters, which keep the tags of the sources separate. */
export const NO_CONCEPTS: typeof CONCEPT_PARAMETERS = [[], [], []]

const KEY_SQL = `lower(normalize(tag.value ->> 'name', NFKC))`

/** Columns and joins of a query over `jsonb_array_elements(…) tag` that joins tags by meaning. */
export const CONCEPT_SQL = {
  name: `coalesce(concept.name, tag.value ->> 'name')`,
  join: `left join unnest($2::text[], $3::text[]) concept (spelling, name) on concept.spelling = ${KEY_SQL}`,
  isShown: `${KEY_SQL} <> all($4::text[])`,
}

/** Returns the concept that a tag of a source expresses, if the table has one. */
export const conceptOf = (tag: string): TagConcept | undefined => BY_NAME.get(keyOf(tag))

/**
 * Returns whether a tag says nothing about the content of a work: kinds, platforms, countries, years, and praise.
 *
 * @param names names that are already on the page, such as those of the work and its staff
 */
export const isHiddenTag = (tag: string, names: ReadonlySet<string> = new Set()) =>
  HIDDEN.has(keyOf(tag)) || names.has(keyOf(tag)) || /^\d{4}$/.test(tag)

/** Returns the set of names that `isHiddenTag` compares with. */
export const hiddenNames = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.map(keyOf))

/** Returns a tag's name in a language: the concept's, or the tag of the source. */
export const tagName = (tag: string, language: Language): string =>
  conceptOf(tag)?.names[language] ?? tag

/** Returns all tags of the sources with the meaning of the given one, which comes first. */
export function synonymsOf(tag: string): string[] {
  const concept = conceptOf(tag)
  if (!concept) return [tag]
  const names = spellingsOf(concept)
  return [...new Set([tag, ...names, ...names.map((name) => name.toLowerCase())])]
}

/** Returns filters that match every tag with the meaning of a given one. */
export const withSynonyms = (filters: Filter[]): Filter[] =>
  filters.map((filter) =>
    filter.name === 'tag' ? { ...filter, values: filter.values.flatMap(synonymsOf) } : filter,
  )

/** Returns the concepts with a name that contains a string, in any language. */
export const conceptsNamed = (part: string): TagConcept[] =>
  TAG_CONCEPTS.filter((concept) =>
    spellingsOf(concept).some((name) => keyOf(name).includes(keyOf(part))),
  )
