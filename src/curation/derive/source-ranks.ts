import { sql } from 'kysely'
import type { EntryKind } from '../../catalog/kinds.ts'
import { CHINESE_SOURCE_NAMES } from '../../sources/registry.ts'
import type { RecordFields } from '../../sources/records/record-fields.ts'
import { SOURCE_RANK, type Source } from '../../sources/records/record.ts'

type FieldName = { [Kind in EntryKind]: keyof RecordFields[Kind] }[EntryKind]

const CHINESE: readonly Source[] = ['local', ...CHINESE_SOURCE_NAMES]

/** Fields whose ranking of sources differs from `SOURCE_RANK`. Values set by hand always come first (decision 0022). */
export const FIELD_RANKS: Partial<Record<FieldName, readonly Source[]>> = {
  trans_title: CHINESE,
  name_cn: CHINESE,
  trans_name: CHINESE,
  trans_intro: CHINESE,
  summary_cn: CHINESE,
}

/**
 * Lists that combine items from all sources, with the identity of an item as SQL for `item`. A list set by hand
 * replaces them.
 *
 * All other lists come from the most trusted source that has one: two sources describe the same covers, pictures,
 * prices, editions and platforms differently.
 */
export const MERGED_LISTS = {
  aliases: `replace(fold_name(item #>> '{}'), ' ', '')`,
  other_names: `replace(fold_name(item #>> '{}'), ' ', '')`,
  external_links: `item ->> 'url'`,
  steam_apps: `item ->> 'app_id'`,
  tags: `item ->> 'name'`,
  labels: `item::text`,
  source_scores: `item ->> 'source'`,
} as const satisfies Partial<Record<FieldName, string>>

const BOOK_TITLES = ['name', 'name_cn', 'en_name', 'romaji_name', 'ko_name'] as const

/** Title fields of each kind, and the list of other names that receives the titles that are not shown. */
export const TITLES: Record<
  EntryKind,
  { titles: readonly FieldName[]; others: keyof typeof MERGED_LISTS }
> = {
  galgame: {
    titles: ['origin_title', 'trans_title', 'en_title', 'romaji_title', 'ko_title'],
    others: 'aliases',
  },
  light_novel: { titles: BOOK_TITLES, others: 'other_names' },
  manga: { titles: BOOK_TITLES, others: 'other_names' },
  person: { titles: ['name', 'trans_name'], others: 'aliases' },
  producer: { titles: ['name', 'trans_name'], others: 'aliases' },
  character: { titles: ['name', 'trans_name', 'en_name'], others: 'aliases' },
}

const placeIn = (ranks: readonly Source[], source: string) =>
  `array_position(array[${ranks.map((item) => `'${item}'`).join(', ')}], ${source})`

/** SQL for the rank of a source, 1 for the most trusted. */
export const sourceRank = (source: string) => sql.raw(placeIn(SOURCE_RANK, source))

/** SQL for the rank of a source for a field. */
export const fieldRank = (field: string, source: string) =>
  `case ${Object.entries(FIELD_RANKS)
    .map(([name, ranks]) => `when ${field} = '${name}' then ${placeIn(ranks, source)}`)
    .join(' ')} else ${placeIn(SOURCE_RANK, source)} end`

/** SQL for the identity of a list item. */
export const itemIdentity = (field: string) =>
  `case ${Object.entries(MERGED_LISTS)
    .map(([name, identity]) => `when ${field} = '${name}' then ${identity}`)
    .join(' ')} end`
