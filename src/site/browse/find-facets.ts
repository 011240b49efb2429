import { listFacetValues } from '../../browse/facet-values-queries.ts'
import { isHiddenTag, tagName } from '../../browse/tags/tag-concepts.ts'
import { listTags } from '../../browse/tags/queries.ts'
import { isLinkedKind, type LinkedKind } from '../../browse/back-links/queries.ts'
import {
  CHARACTER_ROLES,
  DEV_STATUSES,
  GALGAME_PRODUCER_ROLES,
  MANGA_PERSON_ROLES,
  MANGA_PRODUCER_ROLES,
  PUBLICATION_STATUSES,
  STAFF_ROLES,
} from '../../catalog/enums.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { languageName, roleName } from '../entry/labels.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { platformName } from '../../catalog/platform-names.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'

/** Value of a filter and its label. */
export type FacetOption = { value: string; text: string }

export type Facets = {
  /** Values, keyed by filter name, in display order. */
  choices: Partial<Record<'year' | 'status' | 'platform' | 'language' | 'role', FacetOption[]>>
  /** Suggestions for the tag filter. */
  tags: string[]
}

const MAX_TAGS = 100

/** Roles by which lists can be filtered. */
export const ROLES_OF: Record<LinkedKind, readonly string[]> = {
  person: [...new Set([...STAFF_ROLES, 'VOICE', 'AUTHOR', 'ILLUSTRATOR', ...MANGA_PERSON_ROLES])],
  producer: [...new Set([...GALGAME_PRODUCER_ROLES, ...MANGA_PRODUCER_ROLES])],
  character: CHARACTER_ROLES.filter((role) => role !== 'PRIMARY'),
}

/** Finds the available filter values for a kind of entry. */
export async function findFacets(
  db: Reads,
  kind: EntryKind,
  context: PageContext,
): Promise<Facets> {
  const seesNsfw = listsAdultWorks(context)
  const values = (name: 'year' | 'platform' | 'language') =>
    listFacetValues(db, kind, name, seesNsfw)
  const year = async () =>
    (await values('year')).toReversed().map(({ value }) => ({ value, text: value }))
  if (isLinkedKind(kind)) {
    const role = ROLES_OF[kind].map((value) => ({ value, text: roleName(context.messages, value) }))
    const years = kind === 'producer' && { year: await year() }
    return { choices: { ...years, role }, tags: [] }
  }
  const { statuses } = context.messages.browse
  const known = kind === 'galgame' ? DEV_STATUSES : PUBLICATION_STATUSES
  const [years, platforms, languages, tags] = await Promise.all([
    year(),
    kind === 'galgame' ? values('platform') : [],
    kind === 'galgame' ? values('language') : [],
    listTags(db, { q: '', offset: 0, limit: MAX_TAGS, seesNsfw }),
  ])
  return {
    choices: {
      year: years,
      status: known.map((value) => ({ value, text: statuses[value] })),
      ...(kind === 'galgame' && {
        platform: platforms
          .toSorted((a, b) => b.amount - a.amount)
          .map(({ value }) => ({ value, text: platformName(value) })),
        language: languages
          .toSorted((a, b) => b.amount - a.amount)
          .map(({ value }) => ({ value, text: languageName(context.language, value) })),
      }),
    },
    tags: [
      ...new Set(
        tags.tags
          .filter(({ name }) => !isHiddenTag(name))
          .map(({ name }) => tagName(name, context.language)),
      ),
    ],
  }
}
