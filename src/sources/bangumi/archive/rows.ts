import { isJsonObject } from '../../../kernel/is-json-object.ts'
import type { Tag } from '../../records/record-fields.ts'
import { cleanText } from '../text.ts'

/** Rows of the Archive's files in our own names. A missing or mistyped key is empty: older dumps lack some. */

/** `type` 1 book, 2 anime, 3 music, 4 game, 6 real; `date` `YYYY-MM-DD` or `''`; `metaTags` are the wiki's own. */
export type SubjectRow = {
  id: number
  type: number
  platform: number
  name: string
  nameCn: string
  infobox: string
  summary: string
  nsfw: boolean
  tags: Tag[]
  metaTags: string[]
  date: string
  series: boolean
}

/** `type` 1 individual, 2 company, 3 group. */
export type PersonRow = { id: number; type: number; name: string; infobox: string; summary: string }
export type CharacterRow = { id: number; name: string; infobox: string; summary: string }

export type RelationRow = { subject: number; type: number; related: number; order: number }
/** `note` tells the chapters or volumes a person had a part in. */
export type CreditRow = { subject: number; person: number; position: number; note: string }
/** `type` 1 main, 2 supporting, 3 guest, 4 extra, 5 narrator, 6 voice bank. */
export type AppearanceRow = { subject: number; character: number; type: number; order: number }
/** `type` 0 or missing: voice; 4: Japanese voice; others: dubs and live actors. */
export type ActorRow = { subject: number; character: number; person: number; type: number }
/** `path` below the image host's folder; `kind` subject, person or character. */
export type ImageRow = { kind: string; id: number; path: string }

/** Makes a row of a file's parsed JSON object; undefined when the object lacks the ids that make it one. */
export type RowReader<Row> = (json: Record<string, unknown>) => Row | undefined

export const toSubject: RowReader<SubjectRow> = (json) =>
  withIds({
    id: toInteger(json['id']),
    type: toInteger(json['type']),
    platform: toInteger(json['platform']),
    name: toText(json['name']),
    nameCn: toText(json['name_cn']),
    infobox: toText(json['infobox']),
    summary: toText(json['summary']),
    nsfw: json['nsfw'] === true,
    tags: toList(json['tags'])
      .map(toTag)
      .filter((tag) => tag.name !== ''),
    metaTags: toList(json['meta_tags'])
      .map(toText)
      .filter((tag) => tag !== ''),
    date: toText(json['date']),
    series: json['series'] === true,
  })

export const toPerson: RowReader<PersonRow> = (json) =>
  withIds({
    id: toInteger(json['id']),
    type: toInteger(json['type']),
    name: toText(json['name']),
    infobox: toText(json['infobox']),
    summary: toText(json['summary']),
  })

export const toCharacter: RowReader<CharacterRow> = (json) =>
  withIds({
    id: toInteger(json['id']),
    name: toText(json['name']),
    infobox: toText(json['infobox']),
    summary: toText(json['summary']),
  })

export const toRelation: RowReader<RelationRow> = (json) =>
  withIds({
    subject: toInteger(json['subject_id']),
    type: toInteger(json['relation_type']),
    related: toInteger(json['related_subject_id']),
    order: toInteger(json['order']),
  })

export const toCredit: RowReader<CreditRow> = (json) =>
  withIds({
    subject: toInteger(json['subject_id']),
    person: toInteger(json['person_id']),
    position: toInteger(json['position']),
    note: toText(json['appear_eps']),
  })

export const toAppearance: RowReader<AppearanceRow> = (json) =>
  withIds({
    subject: toInteger(json['subject_id']),
    character: toInteger(json['character_id']),
    type: toInteger(json['type']),
    order: toInteger(json['order']),
  })

export const toActor: RowReader<ActorRow> = (json) =>
  withIds({
    subject: toInteger(json['subject_id']),
    character: toInteger(json['character_id']),
    person: toInteger(json['person_id']),
    type: toInteger(json['type']),
  })

export const toImage: RowReader<ImageRow> = (json) =>
  withIds({ kind: toText(json['kind']), id: toInteger(json['id']), path: toText(json['image']) })

const ID_KEYS = new Set(['id', 'subject', 'related', 'person', 'character'])

function withIds<Row extends object>(row: Row): Row | undefined {
  return Object.entries(row).every(([key, value]) => !ID_KEYS.has(key) || value > 0)
    ? row
    : undefined
}

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

function toList(json: unknown): unknown[] {
  return Array.isArray(json) ? json : []
}
