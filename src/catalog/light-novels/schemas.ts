import { Type } from 'typebox'
import {
  Id,
  Named,
  NullableDate,
  NullableInteger,
  NullableNumber,
  NullableText,
  Ref,
} from '../../http/wire/schemas.ts'
import {
  Enum,
  covers,
  externalLinks,
  OpenEntityRefDto,
  outsideNumber,
  partOfDate,
  texts,
  workProperties,
} from '../schemas.ts'
import { CHARACTER_ROLES, PUBLICATION_STATUSES, VOLUME_TYPES } from '../enums.ts'

/** §2.6 */
export const LightNovel = Named('LightNovel', {
  id: Id,
  name: Type.String(),
  name_cn: NullableText,
  other_names: texts,
  covers,
  publication_date: NullableDate,
  publication_date_text: partOfDate,
  novel_status: Enum(PUBLICATION_STATUSES),
  total_volumes: Type.Integer({ minimum: 0 }),
  summary: NullableText,
  summary_cn: NullableText,
  external_links: externalLinks,
  bangumi_id: outsideNumber('Bangumi'),
  bangumi_book_id: outsideNumber('Bangumi'),
  ranobedb_id: outsideNumber('RanobeDB'),
  ...workProperties,
})

/** §2.6 */
export const LightNovelVolumeEntry = Named('LightNovelVolumeEntry', {
  id: Id,
  volume_type: Enum(VOLUME_TYPES),
  volume_number: Type.Union([Type.Number(), Type.Null()], { description: 'May be a fraction: 4.5' }),
  volume_label: Type.Union([Type.String(), Type.Null()], {
    description: 'What is printed instead of a plain number',
  }),
  name: NullableText,
  name_cn: NullableText,
  covers,
  publication_date: NullableDate,
  publication_date_text: partOfDate,
  relation: Type.String(),
  isbn: Type.Union([Type.String(), Type.Null()], {
    description: 'ISBN-13, digits only, of the printed original where it is known, else of another edition',
  }),
  isbns: Type.Array(Type.String(), {
    description: 'ISBN-13 of every edition that is known, translations too',
  }),
  page_count: NullableInteger,
  price_amount: NullableNumber,
  price_currency: NullableText,
})

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
