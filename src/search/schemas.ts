import { Type, type Static } from 'typebox'
import type { EntryKind } from '../catalog/kinds.ts'
import { LOCALIZED_TITLES, OpenCoverDto } from '../catalog/schemas.ts'
import { PageQuery, Paged } from '../http/wire/requests/paging.ts'
import { Closed, Id, Named, Nullable, Ref, StringEnum } from '../http/wire/schemas.ts'

/** Kinds in search requests and responses, in the order in which responses list their groups. */
export const SEARCH_TYPES = [
  'galgame',
  'light_novel',
  'manga',
  'character',
  'person',
  'producer',
] as const satisfies readonly EntryKind[]
export type SearchType = (typeof SEARCH_TYPES)[number]

const SearchHit = Named('SearchHit', {
  type: StringEnum(SEARCH_TYPES, { title: 'SearchType' }),
  id: Id,
  title: Type.String({
    description: 'Translated title or name, or the original if it has no translation',
  }),
  ...LOCALIZED_TITLES,
  subtitle: Nullable(Type.String(), {
    description:
      'Galgame: year. Light novel and manga: status and year. Character: most popular work. Producer: type.',
  }),
  developer: Nullable(Type.String(), { description: 'Name of the first developer, for a galgame' }),
  cover: Nullable(Ref(OpenCoverDto)),
})

export const SearchPage = Paged(Ref(SearchHit))

const SearchGroup = Named('SearchGroup', {
  type: StringEnum(SEARCH_TYPES, { title: 'SearchType' }),
  items: Type.Array(Ref(SearchHit), { maxItems: 3 }),
})
export const InstantResult = Closed({
  groups: Type.Array(Ref(SearchGroup), { description: 'One group per kind with hits' }),
})

const Suggestion = Named('SearchSuggestion', { keyword: Type.String() })
export const Suggestions = Closed({ items: Type.Array(Ref(Suggestion), { maxItems: 10 }) })

export const SEARCH_SCHEMAS = [SearchHit, SearchGroup, Suggestion]

const q = Type.String({
  description:
    'A name or part of a name in any script, a folder name, an id or URL at VNDB, Bangumi, RanobeDB, Steam, MyAnimeList or AniList, or an ISBN. ' +
    'Truncated to 300 characters.',
})
const types = Type.Optional(
  Type.Unsafe<string | string[]>({
    anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
    description: `Kinds to search: ${SEARCH_TYPES.map((type) => `\`${type}\``).join(', ')}; comma-separated or repeated. Unknown kinds are ignored if a known one is given, and rejected otherwise. If omitted, all kinds are searched.`,
  }),
)

export const SearchQuery = Type.Object({ q, types, ...PageQuery.properties })
export type SearchQuery = Static<typeof SearchQuery>
export const InstantQuery = Type.Object({ q, types })
export type InstantQuery = Static<typeof InstantQuery>
export const SuggestionsQuery = Type.Object({ q })
export type SuggestionsQuery = Static<typeof SuggestionsQuery>
