import { Type } from 'typebox'
import { Named, NullableText, Ref } from '../../http/wire/schemas.ts'
import { answersOf } from '../fields/field.ts'
import { LIGHT_NOVEL_FIELDS, LIGHT_NOVEL_VOLUME_FIELDS } from '../fields/light-novel.ts'
import { WORK_ANSWER } from '../fields/shared.ts'
import { Enum, OpenEntityRefDto } from '../schemas.ts'
import { CHARACTER_ROLES } from '../enums.ts'

/** §2.6 */
export const LightNovel = Named('LightNovel', { ...answersOf(LIGHT_NOVEL_FIELDS), ...answersOf(WORK_ANSWER) })

/** §2.6 */
export const LightNovelVolumeEntry = Named('LightNovelVolumeEntry', answersOf(LIGHT_NOVEL_VOLUME_FIELDS))

/** §2.6 */
export const LightNovelPersonEntry = Named('LightNovelPersonEntry', {
  relation: Type.String({ description: '`author`, `illustrator`, `translator`, `editor` …' }),
  note: NullableText,
  person: Ref(OpenEntityRefDto),
})

/** §2.6 */
export const LightNovelProducerEntry = Named('LightNovelProducerEntry', {
  relation: Type.String({ description: '`bunko`, `publisher` …' }),
  note: NullableText,
  producer: Ref(OpenEntityRefDto),
})

/** §2.5 */
export const LightNovelCharacterEntry = Named('LightNovelCharacterEntry', {
  role: Enum(CHARACTER_ROLES),
  character: Ref(OpenEntityRefDto),
})

export const LIGHT_NOVEL_SCHEMAS = [
  LightNovel,
  LightNovelVolumeEntry,
  LightNovelPersonEntry,
  LightNovelProducerEntry,
  LightNovelCharacterEntry,
]
