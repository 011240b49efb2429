import { isJsonObject } from '../../../kernel/is-json-object.ts'
import type { Tag } from '../../records/record-fields.ts'
import { cleanText } from '../text.ts'

// Rows of the Archive's files. Keys that are missing or have a different type are empty, because some keys are
// missing from older dumps.

/** Converts the JSON object in a line. Returns `undefined` if it lacks one of its ids. */
export type RowReader<Row> = (json: Record<string, unknown>) => Row | undefined
type RowOf<Reader> = Reader extends RowReader<infer Row> ? Row : never

type Parse = (json: Record<string, unknown>) => unknown

const ID_FIELDS = new Set(['id', 'subject', 'related', 'person', 'character'])

const rowReader =
  <Shape extends Record<string, Parse>>(
    shape: Shape,
  ): RowReader<{ [Name in keyof Shape]: ReturnType<Shape[Name]> }> =>
  (json) => {
    const row: Record<string, unknown> = {}
    for (const [name, parse] of Object.entries(shape)) {
      row[name] = parse(json)
      if (ID_FIELDS.has(name) && !(Number(row[name]) > 0)) return undefined
    }
    // as: one value for each name
    return row as { [Name in keyof Shape]: ReturnType<Shape[Name]> }
  }

const text = (key: string) => (json: Record<string, unknown>) => toText(json[key])
const integer = (key: string) => (json: Record<string, unknown>) => toInteger(json[key])
const flag = (key: string) => (json: Record<string, unknown>) => json[key] === true
const list =
  <Item>(key: string, toItem: (json: unknown) => Item) =>
  (json: Record<string, unknown>): Item[] => {
    const items: unknown = json[key]
    return Array.isArray(items) ? items.map(toItem) : []
  }

/** Sums the counts in an object. */
const sum = (key: string) => (json: Record<string, unknown>) => {
  const counts: unknown = json[key]
  return isJsonObject(counts)
    ? Object.values(counts).reduce<number>((all, count) => all + Math.max(0, toInteger(count)), 0)
    : 0
}
const decimal = (key: string) => (json: Record<string, unknown>) => {
  const value: unknown = json[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

const tags = list('tags', toTag)
const metaTags = list('meta_tags', toText)

/**
 * `type`: 1 book, 2 anime, 3 music, 4 game, 6 real. `date`: `YYYY-MM-DD` or `''`. `metaTags`: set by editors. `votes`:
 * number of scores of which `score` is the mean. `rank`: 0 without a rank.
 */
export const toSubject = rowReader({
  id: integer('id'),
  type: integer('type'),
  platform: integer('platform'),
  name: text('name'),
  nameCn: text('name_cn'),
  infobox: text('infobox'),
  summary: text('summary'),
  nsfw: flag('nsfw'),
  tags: (json) => tags(json).filter(({ name }) => name !== ''),
  metaTags: (json) => metaTags(json).filter((tag) => tag !== ''),
  date: text('date'),
  series: flag('series'),
  score: decimal('score'),
  votes: sum('score_details'),
  rank: integer('rank'),
})
export type SubjectRow = RowOf<typeof toSubject>

/** `type`: 1 individual, 2 company, 3 group. */
export const toPerson = rowReader({
  id: integer('id'),
  type: integer('type'),
  name: text('name'),
  infobox: text('infobox'),
  summary: text('summary'),
})
export type PersonRow = RowOf<typeof toPerson>

export const toCharacter = rowReader({
  id: integer('id'),
  name: text('name'),
  infobox: text('infobox'),
  summary: text('summary'),
})
export type CharacterRow = RowOf<typeof toCharacter>

export const toRelation = rowReader({
  subject: integer('subject_id'),
  type: integer('relation_type'),
  related: integer('related_subject_id'),
  order: integer('order'),
})
export type RelationRow = RowOf<typeof toRelation>

/** `note`: the chapters or volumes that the person contributed to. */
export const toCredit = rowReader({
  subject: integer('subject_id'),
  person: integer('person_id'),
  position: integer('position'),
  note: text('appear_eps'),
})
export type CreditRow = RowOf<typeof toCredit>

/** `type`: 1 main, 2 supporting, 3 guest, 4 extra, 5 narrator, 6 voice bank. */
export const toAppearance = rowReader({
  subject: integer('subject_id'),
  character: integer('character_id'),
  type: integer('type'),
  order: integer('order'),
})
export type AppearanceRow = RowOf<typeof toAppearance>

/** `type`: 0 or missing for a voice, 4 for a Japanese voice, others for dubs and live actors. */
export const toActor = rowReader({
  subject: integer('subject_id'),
  character: integer('character_id'),
  person: integer('person_id'),
  type: integer('type'),
})
export type ActorRow = RowOf<typeof toActor>

/** Image path. `kind` is subject, person or character; `path` is relative to the folder of the image host. */
export const toImage = rowReader({ kind: text('kind'), id: integer('id'), path: text('image') })

function toTag(json: unknown): Tag {
  if (!isJsonObject(json)) return { name: '', likes: 0 }
  return { name: toText(json['name']), likes: toInteger(json['count']) }
}

function toText(json: unknown): string {
  return typeof json === 'string' ? cleanText(json) : ''
}

function toInteger(json: unknown): number {
  return typeof json === 'number' && Number.isSafeInteger(json) ? json : 0
}
