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
  EnumOrNull,
  covers,
  externalLinks,
  nullableMedia,
  OpenEntityRefDto,
  outsideNumber,
  partOfDate,
  texts,
  workProperties,
} from '../schemas.ts'
import {
  AUDIENCES,
  CHARACTER_ROLES,
  MANGA_PERSON_ROLES,
  MANGA_PRODUCER_ROLES,
  PUBLICATION_STATUSES,
  READING_MODES,
} from '../enums.ts'

/** §2.2 */
const OpenMangaEditionDto = Named('OpenMangaEditionDto', {
  label: Type.String(),
  fields: Type.Record(Type.String(), Type.String()),
})

/** §2.7 */
export const Manga = Named('Manga', {
  id: Id,
  name: Type.String(),
  name_cn: NullableText,
  other_names: texts,
  covers,
  serial_status: Enum(PUBLICATION_STATUSES),
  reading_mode: Enum(READING_MODES),
  origin_country: Type.Union([Type.String(), Type.Null()], { description: 'ISO 3166 alpha-2' }),
  audience: EnumOrNull(AUDIENCES),
  latest_chapter_at: NullableDate,
  publication_date: NullableDate,
  publication_date_text: partOfDate,
  publication_end_date: NullableDate,
  publication_end_date_text: partOfDate,
  homepage: NullableText,
  isbn: NullableText,
  price_amount: NullableNumber,
  price_currency: Type.Union([Type.String({ pattern: '^[A-Z]{3}$' }), Type.Null()], {
    description: 'ISO 4217',
  }),
  pages: NullableInteger,
  editions: Type.Array(Ref(OpenMangaEditionDto)),
  summary: NullableText,
  summary_cn: NullableText,
  external_links: externalLinks,
  bangumi_id: outsideNumber('Bangumi'),
  bangumi_subject_id: outsideNumber('Bangumi'),
  ranobedb_id: outsideNumber('RanobeDB'),
  ...workProperties,
})

/** §2.7 */
export const MangaVolumeEntry = Named('MangaVolumeEntry', {
  id: Id,
  volume_number: NullableNumber,
  name: NullableText,
  name_cn: NullableText,
  cover: nullableMedia,
  isbn: NullableText,
  publication_date: NullableDate,
  publication_date_text: partOfDate,
  page_count: NullableInteger,
})

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
