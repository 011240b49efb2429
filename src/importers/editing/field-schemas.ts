import { Type, type TSchema } from 'typebox'
import {
  AUDIENCES,
  COVER_KINDS,
  DEV_STATUSES,
  GENDERS,
  STORED_PRODUCER_TYPES,
  PUBLICATION_STATUSES,
  READING_MODES,
} from '../../catalog/enums.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { RecordFields } from '../record-fields.ts'

type Times = 'created_at' | 'updated_at' | 'revised_at'

const text = Type.String({ minLength: 1, maxLength: 100_000 })
const address = Type.String({
  pattern: '^https?://[^\\s]+$',
  maxLength: 2_000,
  examples: ['https://example.org/'],
})
const day = Type.String({ format: 'date' })
const partOfDate = Type.String({ pattern: '^[0-9]{4}(-(0[1-9]|1[0-2]))?$', examples: ['2004-04'] })
const country = Type.String({ pattern: '^[A-Z]{2}$', examples: ['JP'] })
const currency = Type.String({ pattern: '^[A-Z]{3}$', examples: ['JPY'] })
const texts = Type.Array(text)
const oneOf = (values: readonly string[]) => Type.String({ enum: [...values] })
const count = Type.Integer({ minimum: 0, maximum: 1_000_000 })
const measure = Type.Number({ minimum: 0, maximum: 99_999 })
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
const object = (properties: Record<string, TSchema>) =>
  Type.Object(properties, { additionalProperties: false })

const picture = {
  url: Type.String({
    pattern: '^https://[^\\s]+$',
    maxLength: 2_000,
    examples: ['https://example.org/cover.jpg'],
  }),
  width: orNull(count),
  height: orNull(count),
  sexual: Type.Integer({ minimum: 0, maximum: 2 }),
  violence: Type.Integer({ minimum: 0, maximum: 2 }),
}
const media = object(picture)
const covers = Type.Array(object({ ...picture, votes: count }))
const galgameCovers = Type.Array(
  object({
    ...picture,
    votes: count,
    kind: Type.Optional(orNull(oneOf(COVER_KINDS))),
    language: Type.Optional(orNull(text)),
  }),
)
const links = Type.Array(object({ label: text, name: text, url: address }))
const labels = Type.Array(object({ key: text, value: text }))
const prices = Type.Array(
  object({
    version: orNull(text),
    amount: orNull(Type.Number({ minimum: 0 })),
    currency: orNull(currency),
    tax_included: orNull(Type.Boolean()),
  }),
)

const work = {
  nsfw: Type.Boolean(),
  tags: Type.Array(object({ name: text, likes: count })),
}
const book = {
  ...work,
  name: text,
  name_cn: text,
  other_names: texts,
  covers,
  publication_date: day,
  publication_date_text: partOfDate,
  summary: text,
  summary_cn: text,
  external_links: links,
}
const named = {
  name: text,
  trans_name: text,
  aliases: texts,
  intro: text,
  trans_intro: text,
  labels,
  external_links: links,
}

/** What may be set by hand of each kind, and what it has to be. Times are those of the sources. */
export const FIELD_SCHEMAS: {
  [Kind in EntryKind]: { [Name in Exclude<keyof RecordFields[Kind], Times>]: TSchema }
} = {
  galgame: {
    ...work,
    origin_title: text,
    trans_title: text,
    en_title: text,
    aliases: texts,
    covers: galgameCovers,
    images: Type.Array(media),
    release_date: day,
    release_date_tbd: Type.Boolean(),
    release_date_tbd_note: text,
    origin_intro: text,
    trans_intro: text,
    en_intro: text,
    adv_type: text,
    platforms: texts,
    homepage: address,
    engine: text,
    origin_lang: text,
    dev_status: oneOf(DEV_STATUSES),
    prices,
    external_links: links,
    steam_apps: Type.Array(object({ app_id: Type.Integer({ minimum: 1 }) })),
  },
  light_novel: { ...book, novel_status: oneOf(PUBLICATION_STATUSES), total_volumes: count },
  manga: {
    ...book,
    serial_status: oneOf(PUBLICATION_STATUSES),
    reading_mode: oneOf(READING_MODES),
    origin_country: country,
    audience: oneOf(AUDIENCES),
    latest_chapter_at: day,
    publication_end_date: day,
    publication_end_date_text: partOfDate,
    homepage: address,
    isbn: Type.String({ pattern: '^97[89][0-9]{10}$', examples: ['9784048655187'] }),
    price_amount: Type.Number({ minimum: 0, maximum: 9_999_999 }),
    price_currency: currency,
    pages: Type.Integer({ minimum: 1, maximum: 100_000 }),
    editions: Type.Array(object({ label: text, fields: Type.Record(text, text) })),
  },
  person: { ...named, image: media, gender: oneOf(GENDERS) },
  producer: {
    ...named,
    en_intro: text,
    type: oneOf(STORED_PRODUCER_TYPES),
    country: country,
    established: day,
    established_text: partOfDate,
    website: address,
    logo: media,
  },
  character: {
    ...named,
    en_name: text,
    en_intro: text,
    image: media,
    gender: oneOf(GENDERS),
    blood_type: oneOf(['A', 'B', 'AB', 'O']),
    birthday_month: Type.Integer({ minimum: 1, maximum: 12 }),
    birthday_day: Type.Integer({ minimum: 1, maximum: 31 }),
    height: measure,
    weight: measure,
    bust: measure,
    waist: measure,
    hips: measure,
    cup: text,
    age: count,
  },
}
