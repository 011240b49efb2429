import { Type } from 'typebox'
import { CONTRACT_TYPES, type ContractOfKind } from './types.ts'

const {
  Nullable,
  OneOf,
  text,
  nullableText,
  texts,
  id,
  nullableNumber,
  nullableInteger,
  nullableDay,
  nullableId,
  Media,
  Cover,
  Reference,
  external_links,
  publicationStatus,
  characterRole,
  work,
} = CONTRACT_TYPES

const book = {
  id,
  name: text,
  name_cn: nullableText,
  other_names: texts,
  covers: Type.Array(Cover),
  publication_date: nullableDay,
  summary: nullableText,
  summary_cn: nullableText,
  bangumi_id: nullableId,
  ranobedb_id: nullableId,
  external_links,
  ...work,
}

const LightNovel = Type.Object({
  ...book,
  bangumi_book_id: nullableId,
  novel_status: publicationStatus,
  total_volumes: Type.Integer({ minimum: 0 }),
})

const Manga = Type.Object({
  ...book,
  bangumi_subject_id: nullableId,
  serial_status: publicationStatus,
  reading_mode: OneOf('PAGED_RTL', 'PAGED_LTR', 'WEBTOON'),
  origin_country: nullableText,
  audience: Nullable(OneOf('SHONEN', 'SEINEN', 'SHOJO', 'JOSEI')),
  latest_chapter_at: nullableDay,
  publication_end_date: nullableDay,
  homepage: nullableText,
  isbn: nullableText,
  price_amount: nullableNumber,
  price_currency: nullableText,
  pages: nullableInteger,
  editions: Type.Array(Type.Object({ label: text, fields: Type.Record(text, text) })),
})

/** §2.6 */
export const LIGHT_NOVELS_CONTRACT: ContractOfKind = {
  detail: LightNovel,
  lists: {
    volumes: Type.Object({
      id,
      volume_type: OneOf('MAIN', 'EXTRA'),
      volume_number: nullableNumber,
      volume_label: nullableText,
      name: nullableText,
      name_cn: nullableText,
      covers: Type.Array(Cover),
      publication_date: nullableDay,
      relation: text,
      isbn: nullableText,
      isbns: Type.Array(text),
      page_count: nullableInteger,
      price_amount: nullableNumber,
      price_currency: nullableText,
    }),
    people: Type.Object({ relation: text, note: nullableText, person: Reference }),
    producers: Type.Object({ relation: text, note: nullableText, producer: Reference }),
    characters: Type.Object({ role: characterRole, character: Reference }),
  },
}

/** §2.7 */
export const MANGAS_CONTRACT: ContractOfKind = {
  detail: Manga,
  lists: {
    volumes: Type.Object({
      id,
      volume_number: nullableNumber,
      name: nullableText,
      name_cn: nullableText,
      cover: Nullable(Media),
      isbn: nullableText,
      publication_date: nullableDay,
      page_count: nullableInteger,
    }),
    people: Type.Object({
      role: OneOf(
        'AUTHOR',
        'ART',
        'ORIGINAL_CREATOR',
        'SCRIPT',
        'ILLUSTRATION',
        'CHARACTER_DESIGN',
      ),
      note: text,
      person: Reference,
    }),
    producers: Type.Object({
      role: OneOf('PUBLISHER', 'MAGAZINE', 'LABEL'),
      note: text,
      producer: Reference,
    }),
    characters: Type.Object({ role: characterRole, character: Reference }),
  },
}
