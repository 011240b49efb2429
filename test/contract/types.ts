import { Type, type TSchema } from 'typebox'

/** Shared types of the contract (§2.2). Additional fields are allowed everywhere. */

const Nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const OneOf = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))
const text = Type.String()
const nullableText = Nullable(text)
const texts = Type.Array(text)
const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const nullableNumber = Nullable(Type.Number())
const nullableInteger = Nullable(Type.Integer())
const time = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` })
const nullableDay = Nullable(Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT00:00:00\.000Z$` }))
const nullableId = Nullable(id)

const media = {
  // http is this service's own scheme if it has no other URL.
  url: Type.String({ pattern: '^https?://[^/]+/' }),
  width: nullableInteger,
  height: nullableInteger,
  sexual: Type.Integer({ minimum: 0 }),
  violence: Type.Integer({ minimum: 0 }),
}
const Media = Type.Object(media)
const Cover = Type.Object({ ...media, votes: Type.Integer({ minimum: 0 }) })
const GalgameCover = Type.Object({
  ...Cover.properties,
  kind: Nullable(OneOf('DIG', 'PKGFRONT')),
  language: nullableText,
})
const Reference = Type.Object({ id, name: text, trans_name: nullableText, image: Nullable(Media) })
const labels = Type.Array(Type.Object({ key: text, value: text }))
const external_links = Type.Array(
  Type.Object({ label: text, name: text, url: Type.String({ pattern: '^https?://[^/]+/' }) }),
)
const times = { created_at: time, updated_at: time, revised_at: Nullable(time) }
const external_source = Type.Object({
  vndb: Nullable(Type.String({ pattern: '^[vcp][1-9][0-9]*$' })),
  bangumi: Nullable(Type.String({ pattern: '^[1-9][0-9]*$' })),
})
const producerType = OneOf('COMPANY', 'DOUJIN', 'INDIVIDUAL', 'MAGAZINE')
const outsideTexts = { vndb_id: nullableText, bangumi_id: nullableText }

const work = {
  nsfw: Type.Boolean(),
  tags: Type.Array(Type.Object({ name: text, likes: Type.Integer() })),
  rating: Type.Object({
    score: Type.Number(),
    total: Type.Integer(),
    count: Type.Object(
      Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [String(index + 1), Type.Integer()]),
      ),
    ),
  }),
  source_scores: Type.Array(
    Type.Object({
      source: OneOf('vndb', 'bangumi', 'ranobedb'),
      score: Type.Number(),
      votes: Type.Integer(),
      rank: nullableInteger,
    }),
  ),
  ...times,
}
const publicationStatus = OneOf('SERIALIZING', 'FINISHED', 'PAUSED', 'ABANDONED')
const characterRole = OneOf('PRIMARY', 'MAIN', 'SUPPORTING', 'GUEST')

export const CONTRACT_TYPES = {
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
  GalgameCover,
  Reference,
  labels,
  external_links,
  times,
  outsideTexts,
  work,
  publicationStatus,
  characterRole,
  external_source,
  producerType,
}

/** Schemas for `data` in a kind's detail, and for the items in its lists. */
export type ContractOfKind = { detail: TSchema; lists: Record<string, TSchema> }
