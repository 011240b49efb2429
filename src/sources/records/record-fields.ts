import type { Static } from 'typebox'
import type { StatedIn } from '../../catalog/fields/field.ts'
import type { StatedPrice, StatedSpoilerTag, StatedSteamApp } from '../../catalog/fields/galgame.ts'
import type { StatedEdition } from '../../catalog/fields/manga.ts'
import type { StatedSourceScore, StatedTag } from '../../catalog/fields/shared.ts'
import type {
  StatedCover,
  StatedGalgameCover,
  StatedLabel,
  StatedLink,
  StatedMedia,
} from '../../catalog/fields/stated-values.ts'
import type { FIELDS } from './columns.ts'

/** Fields of each kind. Fields have the same names as their columns and as in the API. */
export type RecordFields = { [Kind in keyof typeof FIELDS]: StatedIn<(typeof FIELDS)[Kind]> }

export type GalgameFields = RecordFields['galgame']
export type MangaFields = RecordFields['manga']
export type PersonFields = RecordFields['person']
export type ProducerFields = RecordFields['producer']
export type CharacterFields = RecordFields['character']

/** `YYYY-MM-DD`. A partial date is stored in the corresponding field `…_text` instead. */
export type DateText = string
/** `YYYY` or `YYYY-MM`. */
export type PartialDateText = string

export type Media = Static<typeof StatedMedia>
export type Cover = Static<typeof StatedCover>
export type GalgameCover = Static<typeof StatedGalgameCover>
export type ExternalLink = Static<typeof StatedLink>
export type SteamApp = Static<typeof StatedSteamApp>
export type Label = Static<typeof StatedLabel>
export type Price = Static<typeof StatedPrice>
export type Edition = Static<typeof StatedEdition>
export type SourceScore = Static<typeof StatedSourceScore>
export type Tag = Static<typeof StatedTag>
export type SpoilerTag = Static<typeof StatedSpoilerTag>
