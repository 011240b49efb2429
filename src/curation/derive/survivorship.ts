import { sql } from 'kysely'
import type { EntryKind } from '../../catalog/kinds.ts'
import { CHINESE_SOURCE_NAMES } from '../../sources/registry.ts'
import type { RecordFields } from '../../sources/records/record-fields.ts'
import { SOURCE_RANK, type Source } from '../../sources/records/record.ts'

type FieldName = { [Kind in EntryKind]: keyof RecordFields[Kind] }[EntryKind]

const CHINESE: readonly Source[] = ['local', ...CHINESE_SOURCE_NAMES]

/** Fields for which another order of sources holds than `SOURCE_RANK`; what is set by hand is always first (decision 0022). */
export const FIELD_RANKS: Partial<Record<FieldName, readonly Source[]>> = {
  trans_title: CHINESE,
  name_cn: CHINESE,
  trans_name: CHINESE,
  trans_intro: CHINESE,
  summary_cn: CHINESE,
}

/**
 * Lists that are united from all sources, each with what makes two items one, as SQL of `item`. A list that is set by hand
 * stands alone. Others are of the best source that has one: covers and pictures, prices, editions and platforms of two
 * sources are the same things in other words.
 */
export const UNITED_LISTS = {
  aliases: `replace(fold_name(item #>> '{}'), ' ', '')`,
  other_names: `replace(fold_name(item #>> '{}'), ' ', '')`,
  external_links: `item ->> 'url'`,
  steam_apps: `item ->> 'app_id'`,
  tags: `item ->> 'name'`,
  labels: `item::text`,
} as const satisfies Partial<Record<FieldName, string>>

/** Titles, and the list of other names that takes those which are not shown. */
export const TITLES: Record<
  EntryKind,
  { titles: readonly FieldName[]; others: keyof typeof UNITED_LISTS }
> = {
  galgame: { titles: ['origin_title', 'trans_title', 'en_title'], others: 'aliases' },
  light_novel: { titles: ['name', 'name_cn'], others: 'other_names' },
  manga: { titles: ['name', 'name_cn'], others: 'other_names' },
  person: { titles: ['name', 'trans_name'], others: 'aliases' },
  producer: { titles: ['name', 'trans_name'], others: 'aliases' },
  character: { titles: ['name', 'trans_name', 'en_name'], others: 'aliases' },
}

const placeIn = (ranks: readonly Source[], source: string) =>
  `array_position(array[${ranks.map((one) => `'${one}'`).join(', ')}], ${source})`

/** SQL: rank of a source, 1 for the most trusted. */
export const sourceRank = (source: string) => sql.raw(placeIn(SOURCE_RANK, source))

/** Same for a field. */
export const fieldRank = (field: string, source: string) =>
  `case ${Object.entries(FIELD_RANKS)
    .map(([name, ranks]) => `when ${field} = '${name}' then ${placeIn(ranks, source)}`)
    .join(' ')} else ${placeIn(SOURCE_RANK, source)} end`

/** SQL: what makes two items of a list one. */
export const itemIdentity = (field: string) =>
  `case ${Object.entries(UNITED_LISTS)
    .map(([name, identity]) => `when ${field} = '${name}' then ${identity}`)
    .join(' ')} end`
