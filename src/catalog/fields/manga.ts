import { Type } from 'typebox'
import { Closed, Id, Named, Ref } from '../../http/wire/schemas.ts'
import { AUDIENCES, PUBLICATION_STATUSES, READING_MODES } from '../enums.ts'
import { NullableCurrency } from '../schemas.ts'
import { externalIdSql } from '../sql-fragments.ts'
import type { Fields } from './field.ts'
import { externalIdNumber, ROMAJI_TITLE } from './shared.ts'
import { StatedText } from './stated-values.ts'
import { VALUES } from './value-types.ts'

/** Schema of an edition (§2.2). */
export const OpenMangaEditionDto = Named('OpenMangaEditionDto', {
  label: Type.String(),
  fields: Type.Record(Type.String(), Type.String()),
})
export const StatedEdition = Closed({
  label: StatedText,
  fields: Type.Record(StatedText, StatedText),
})

/** Fields of a manga (§2.7). */
export const MANGA_FIELDS = {
  id: { response: Id, example: 137 },
  name: { ...VALUES.requiredText, example: '鋼の錬金術師' },
  name_cn: { ...VALUES.text, example: '钢之炼金术师' },
  other_names: { ...VALUES.texts, example: ['Fullmetal Alchemist', 'ハガレン'] },
  en_name: { ...VALUES.text, example: null },
  romaji_name: { ...ROMAJI_TITLE, example: 'Fullmetal Alchemist' },
  ko_name: { ...VALUES.text, example: null },
  covers: { ...VALUES.covers, example: [] },
  serial_status: {
    ...VALUES.enumWithDefault(PUBLICATION_STATUSES, 'SERIALIZING'),
    example: 'FINISHED',
  },
  reading_mode: { ...VALUES.enumWithDefault(READING_MODES, 'PAGED_RTL'), example: 'PAGED_RTL' },
  origin_country: { ...VALUES.country, example: 'JP' },
  audience: { ...VALUES.enumOf(AUDIENCES), example: 'SHONEN' },
  latest_chapter_at: { ...VALUES.day, example: null },
  publication_date: { ...VALUES.day, example: '2001-07-12T00:00:00.000Z' },
  publication_date_text: { ...VALUES.partialDate, example: null },
  publication_end_date: { ...VALUES.day, example: '2010-06-11T00:00:00.000Z' },
  publication_end_date_text: { ...VALUES.partialDate, example: null },
  homepage: { ...VALUES.url, example: null },
  isbn: { ...VALUES.isbn, example: null },
  price_amount: { ...VALUES.amount, example: null },
  price_currency: { ...VALUES.currency, response: NullableCurrency, example: null },
  pages: { ...VALUES.pageCount, example: null },
  editions: { ...VALUES.listOf(StatedEdition, Ref(OpenMangaEditionDto)), example: [] },
  summary: { ...VALUES.text, example: null },
  summary_cn: { ...VALUES.text, example: null },
  external_links: { ...VALUES.links, example: [] },
  bangumi_id: { ...externalIdNumber('Bangumi', 'outside.bangumi'), example: 900_000_001 },
  bangumi_subject_id: { ...externalIdNumber('Bangumi', 'outside.bangumi'), example: 900_000_001 },
  ranobedb_id: {
    ...externalIdNumber('RanobeDB', (entry) => externalIdSql('manga', entry, 'ranobedb')),
    example: null,
  },
} satisfies Fields

/** Fields of a manga's volume (§2.7). */
export const MANGA_VOLUME_FIELDS = {
  id: { response: Id, example: 1 },
  volume_number: { ...VALUES.decimal, example: 1 },
  name: { ...VALUES.text, example: '鋼の錬金術師 (1)' },
  name_cn: { ...VALUES.text, example: '钢之炼金术师 1' },
  cover: { ...VALUES.picture, example: null },
  isbn: { ...VALUES.isbn, example: null },
  publication_date: { ...VALUES.day, example: '2002-01-22T00:00:00.000Z' },
  publication_date_text: { ...VALUES.partialDate, example: null },
  page_count: { ...VALUES.pageCount, example: null },
} satisfies Fields
