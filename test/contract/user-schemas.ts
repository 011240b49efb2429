import { Type, type TProperties, type TSchema } from 'typebox'

/**
 * Schemas that clients rely on, written from the specification and its contract, and never from `src/`. Named fields
 * must exist with their types; additional fields are allowed.
 */

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const array = (properties: TProperties) => Type.Array(Type.Object(properties))
const literals = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))

const id = Type.Integer({ minimum: 1 })
const text = Type.String()
const flag = Type.Boolean()
const count = Type.Integer({ minimum: 0 })
const size = nullable(Type.Integer({ minimum: 1 }))
const grade = Type.Integer({ minimum: 0 })
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })
const https = Type.String({ pattern: '^https?://' })
const score = nullable(Type.Number({ minimum: 1, maximum: 10 }))

/** §2.2 */
const cover = {
  url: https,
  sexual: grade,
  violence: grade,
  votes: count,
  width: size,
  height: size,
}
const media = { id, src: https, width: size, height: size }
const ratedMedia = { ...media, nsfw: flag, sexual: grade, violence: grade }

const meta = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  page_size: Type.Integer({ minimum: 1 }),
  item_count: count,
  total_items: count,
  total_pages: count,
})
const page = (properties: TProperties, more: TProperties = {}) =>
  Type.Object({ items: array(properties), meta, ...more })

const status = nullable(literals('GOING', 'COMPLETED', 'ON_HOLD', 'DROPPED', 'PLAN'))
/** §2.12 */
const record = {
  id,
  created_at: time,
  updated_at: time,
  like_count: count,
  dislike_count: count,
  is_spoiler: flag,
  rate: score,
  rate_content: text,
  status,
  status_private: flag,
}
const novelRecord = {
  ...record,
  rate_character: score,
  rate_illustration: score,
  rate_pacing: score,
  rate_plot: score,
  rate_worldview: score,
  rate_writing: score,
  time_to_finish_minutes: count,
}

const collection = {
  id,
  owner_id: id,
  name: text,
  description: nullable(text),
  is_private: flag,
  is_default: flag,
}
const named = Type.Object({ id, name: text })
const summaryCovers = { nsfw: flag, covers: array({ ...cover, media: Type.Object(ratedMedia) }) }
const book = {
  id,
  name: text,
  name_cn: nullable(text),
  publication_date: nullable(time),
  ...summaryCovers,
}
const serial = literals('SERIALIZING', 'FINISHED', 'PAUSED', 'ABANDONED')
const workTypes = {
  total: count,
  galgame: count,
  light_novel: count,
  manga: count,
  article: count,
  post: count,
}

const statistics = (...dimensions: string[]) =>
  Type.Object({
    average: score,
    rated_count: count,
    content_count: count,
    played_count: count,
    total_count: count,
    distribution: array({ score: Type.Number({ minimum: 1, maximum: 10 }), count }),
    status_counts: Type.Object({
      going: count,
      completed: count,
      on_hold: count,
      dropped: count,
      plan: count,
    }),
    dimension_averages: Type.Object(Object.fromEntries(dimensions.map((name) => [name, score])), {
      additionalProperties: false,
    }),
  })

/** §2.11 */
const app = {
  client_id: text,
  client_name: text,
  scope: nullable(text),
  client_uri: nullable(https),
  logo: nullable(https),
  redirect_uris: Type.Array(text),
  enabled: flag,
  created_at: time,
}

/** Schemas of `data` keyed by response name; for the bare response, of the whole body. */
export const USER_CONTRACT = {
  profile: Type.Object({
    id,
    name: text,
    nickname: nullable(text),
    avatar: nullable(Type.Object(media)),
    bio: nullable(text),
    signature: nullable(text),
    head_cover: nullable(Type.Object(media)),
    mobile_head_cover: nullable(Type.Object(media)),
    role: literals('USER', 'ADMIN', 'SUPER_ADMIN'),
    status: literals('ACTIVE', 'INACTIVE', 'BANNED'),
    follower_count: count,
    following_count: count,
    is_following: flag,
    is_mutual: flag,
    equipped_frame: Type.Null(),
    equipped_badges: Type.Array(Type.Unknown(), { maxItems: 0 }),
  }),
  rates: page({
    id,
    rate_id: id,
    work_type: literals('GALGAME', 'LIGHT_NOVEL', 'MANGA'),
    title: text,
    cover: nullable(Type.Object(ratedMedia)),
    status,
    rate: score,
    rate_content: nullable(text),
    is_spoiler: flag,
    dimensions: array({
      key: Type.String({ pattern: '^(?!rate_)[a-z]+$' }),
      score: Type.Number({ minimum: 1, maximum: 10 }),
    }),
    last_activity_at: time,
  }),
  galgameRecord: Type.Object({
    ...record,
    rate_scenario: score,
    rate_direction: score,
    rate_music: score,
    rate_visual: score,
    rate_character: score,
    rate_system: score,
    time_to_finish_minutes: count,
  }),
  lightNovelRecord: Type.Object(novelRecord),
  mangaRecord: Type.Object(record),
  collections: array({ id, name: text, is_private: flag, is_default: flag, item_count: count }),
  collection: Type.Object(collection),
  favorited: Type.Object({ favorited: Type.Literal(true) }),
  items: page(
    {
      type: literals('galgame', 'light_novel', 'manga'),
      id,
      work_id: id,
      note: text,
      created_at: time,
      galgame: Type.Optional(
        Type.Object({
          id,
          origin_title: text,
          trans_title: nullable(text),
          release_date: nullable(time),
          ...summaryCovers,
          producers: array({
            role: nullable(literals('DEVELOPER', 'PUBLISHER', 'LOCALIZER')),
            note: text,
            producer: named,
          }),
        }),
      ),
      light_novel: Type.Optional(
        Type.Object({
          ...book,
          novel_status: serial,
          author: nullable(named),
          bunko: nullable(named),
          publishers: array({ note: text, producer: named }),
        }),
      ),
      manga: Type.Optional(
        Type.Object({ ...book, serial_status: serial, latest_chapter_at: nullable(time) }),
      ),
    },
    { type_counts: Type.Object(workTypes) },
  ),
  galgameStatistics: statistics('scenario', 'direction', 'music', 'visual', 'character', 'system'),
  lightNovelStatistics: statistics(
    'character',
    'illustration',
    'pacing',
    'plot',
    'worldview',
    'writing',
  ),
  mangaStatistics: statistics(),
  changes: Type.Object({
    items: array({
      id,
      kind: literals('UPSERT', 'DELETE', 'MERGE'),
      resource_type: literals(
        'GALGAME',
        'LIGHT_NOVEL',
        'LIGHT_NOVEL_VOLUME',
        'MANGA',
        'MANGA_VOLUME',
        'PERSON',
        'PRODUCER',
        'CHARACTER',
        'TAG',
      ),
      resource_id: id,
      merged_to_id: nullable(id),
      created_at: time,
    }),
    latest_id: count,
    has_more: flag,
  }),
  app: Type.Object(app),
  apps: array(app),
  appWithSecret: Type.Object({ ...app, client_secret: text }),
  appWithoutSecret: Type.Object({ ...app, client_secret: Type.Null() }),
}
