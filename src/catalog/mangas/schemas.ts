import { Type } from 'typebox'
import { Named, Ref } from '../../http/wire/schemas.ts'
import { answersOf } from '../fields/field.ts'
import { MANGA_FIELDS, MANGA_VOLUME_FIELDS, OpenMangaEditionDto } from '../fields/manga.ts'
import { WORK_ANSWER } from '../fields/shared.ts'
import { Enum, OpenEntityRefDto } from '../schemas.ts'
import { CHARACTER_ROLES, MANGA_PERSON_ROLES, MANGA_PRODUCER_ROLES } from '../enums.ts'

/** §2.7 */
export const Manga = Named('Manga', { ...answersOf(MANGA_FIELDS), ...answersOf(WORK_ANSWER) })

/** §2.7 */
export const MangaVolumeEntry = Named('MangaVolumeEntry', answersOf(MANGA_VOLUME_FIELDS))

/** §2.7; `note` is never null here. */
export const MangaPersonEntry = Named('MangaPersonEntry', {
  role: Enum(MANGA_PERSON_ROLES),
  note: Type.String(),
  person: Ref(OpenEntityRefDto),
})

/** §2.7; `note` is never null here. */
export const MangaProducerEntry = Named('MangaProducerEntry', {
  role: Enum(MANGA_PRODUCER_ROLES),
  note: Type.String(),
  producer: Ref(OpenEntityRefDto),
})

/** §2.5 */
export const MangaCharacterEntry = Named('MangaCharacterEntry', {
  role: Enum(CHARACTER_ROLES),
  character: Ref(OpenEntityRefDto),
})

export const MANGA_SCHEMAS = [
  OpenMangaEditionDto,
  Manga,
  MangaVolumeEntry,
  MangaPersonEntry,
  MangaProducerEntry,
  MangaCharacterEntry,
]
