import type { Static } from 'typebox'
import type { EntrySummary } from '../../browse/summary.ts'
import type {
  Character,
  Galgame,
  LightNovel,
  Manga,
  Person,
} from '../../catalog/entries/entries.ts'
import type { Producer } from '../../catalog/entries/producer.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { GALGAME_LISTS } from '../../catalog/lists/galgame.ts'
import type { LIGHT_NOVEL_LISTS } from '../../catalog/lists/light-novel.ts'
import type { MANGA_LISTS } from '../../catalog/lists/manga.ts'
import type { OpenEntityRefDto } from '../../catalog/schemas.ts'

/** Types of the catalog responses that entry pages use (§2.2 to §2.10). */

export type EntityRef = Static<typeof OpenEntityRefDto>

export type GalgameData = Static<typeof Galgame>
export type LightNovelData = Static<typeof LightNovel>
export type MangaData = Static<typeof Manga>

export type WorkData =
  | { kind: 'galgame'; data: GalgameData }
  | { kind: 'light_novel'; data: LightNovelData }
  | { kind: 'manga'; data: MangaData }

/** Union of two responses. Fields that only one of them has are optional. */
type OneOf<First, Second> = {
  [Name in keyof First & keyof Second]: First[Name] | Second[Name]
} & Partial<Omit<First, keyof Second> & Omit<Second, keyof First>>

/** Data of a person, producer or character. */
export type SubjectData = OneOf<
  OneOf<Static<typeof Person>, Static<typeof Producer>>,
  Static<typeof Character>
>

export type CastEntry = OneOf<
  Static<typeof GALGAME_LISTS.characters.schema>,
  Static<typeof LIGHT_NOVEL_LISTS.characters.schema>
>

/** Credit of a person or producer. The role is in upper case, or worded as in its source. */
export type Credit = { role: string; note: string; target: EntityRef; kind: 'person' | 'producer' }

export type Volume = OneOf<
  Static<typeof LIGHT_NOVEL_LISTS.volumes.schema>,
  Static<typeof MANGA_LISTS.volumes.schema>
>

export type Relation = { detail: string; entry: EntrySummary }

export type Review = {
  id: number
  created_at: string
  user: { id: number; name: string; picture: string | null }
  status: string | null
  rate: number | null
  rate_content: string
  is_spoiler: boolean
  like_count: number
  dislike_count: number
}

export type WorkOf = {
  work: EntrySummary
  roles: {
    role: string | null
    credited_as?: string | null
    note?: string
    character?: EntityRef | null
    actors?: EntityRef[]
  }[]
}

export type PagedWork = { kind: WorkKind; id: number }
