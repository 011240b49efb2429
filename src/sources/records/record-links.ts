import type {
  CharacterRole,
  GalgameProducerRole,
  GalgameRelationDetail,
  MangaPersonRole,
  MangaProducerRole,
  StaffRole,
} from '../../catalog/enums.ts'

/** An id at another site that may belong to the same work or to a related one. `label` is the link text. */
export type Mention = { source: string; external_id: string; label: string }

/**
 * Lists of works, in billing order. A `ref` is an external id of the same source; it is ignored if that record is not
 * loaded.
 */

export type GalgameLinks = {
  staff: { ref: string; role: StaffRole | null; credited_as?: string | null }[]
  /** Each character has one item. */
  characters: {
    ref: string
    role: CharacterRole
    actors: { ref: string; credited_as?: string | null }[]
  }[]
  producers: { ref: string; role: GalgameProducerRole; note?: string }[]
  relations: { ref: string; relation: GalgameRelationDetail }[]
  mentions: Mention[]
}

export type LightNovelLinks = {
  volumes: { ref: string }[]
  people: { ref: string; relation: string; note?: string | null }[]
  producers: { ref: string; relation: string; note?: string | null }[]
  characters: { ref: string; role: CharacterRole }[]
  mentions: Mention[]
}

export type MangaLinks = {
  volumes: { ref: string }[]
  people: { ref: string; role: MangaPersonRole; note?: string }[]
  producers: { ref: string; role: MangaProducerRole; note?: string }[]
  characters: { ref: string; role: CharacterRole }[]
}

export type RecordLinks = { galgame: GalgameLinks; light_novel: LightNovelLinks; manga: MangaLinks }
