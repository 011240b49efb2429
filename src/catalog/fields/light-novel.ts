import { Type } from 'typebox'
import { Id, Nullable } from '../../http/wire/schemas.ts'
import { PUBLICATION_STATUSES, VOLUME_TYPES } from '../enums.ts'
import { externalIdSql } from '../sql-fragments.ts'
import { isIntegerInRange } from './column-limits.ts'
import type { Fields } from './field.ts'
import { externalIdNumber, ROMAJI_TITLE } from './shared.ts'
import { StatedCount, StatedText } from './stated-values.ts'
import { nullableText, VALUES } from './value-types.ts'

/** Fields of a light novel (§2.6). */
export const LIGHT_NOVEL_FIELDS = {
  id: { response: Id, example: 138 },
  name: { ...VALUES.requiredText, example: '涼宮ハルヒシリーズ' },
  name_cn: { ...VALUES.text, example: '凉宫春日系列' },
  other_names: { ...VALUES.texts, example: ['Haruhi Suzumiya'] },
  en_name: { ...VALUES.text, example: null },
  romaji_name: { ...ROMAJI_TITLE, example: 'Haruhi Suzumiya' },
  ko_name: { ...VALUES.text, example: null },
  covers: { ...VALUES.covers, example: [] },
  publication_date: { ...VALUES.day, example: null },
  publication_date_text: { ...VALUES.partialDate, example: null },
  novel_status: {
    ...VALUES.enumWithDefault(PUBLICATION_STATUSES, 'SERIALIZING'),
    example: 'SERIALIZING',
  },
  total_volumes: {
    stated: StatedCount,
    response: Type.Integer({ minimum: 0 }),
    fallback: 0,
    canHold: isIntegerInRange(0),
    example: 13,
  },
  summary: { ...VALUES.text, example: null },
  summary_cn: { ...VALUES.text, example: null },
  external_links: { ...VALUES.links, example: [] },
  bangumi_id: { ...externalIdNumber('Bangumi', 'outside.bangumi'), example: 900_000_201 },
  bangumi_book_id: { ...externalIdNumber('Bangumi', 'outside.bangumi'), example: 900_000_201 },
  ranobedb_id: {
    ...externalIdNumber('RanobeDB', (entry) => externalIdSql('light_novel', entry, 'ranobedb')),
    example: null,
  },
} satisfies Fields

/** Fields of a light novel's volume (§2.6). */
export const LIGHT_NOVEL_VOLUME_FIELDS = {
  id: { response: Id, example: 112 },
  volume_type: { ...VALUES.enumWithDefault(VOLUME_TYPES, 'MAIN'), example: 'MAIN' },
  volume_number: {
    ...VALUES.decimal,
    response: Nullable(Type.Number(), { description: 'May be a fraction: 4.5' }),
    example: null,
  },
  volume_label: {
    ...VALUES.text,
    response: nullableText('Printed label, if it is not a plain number'),
    example: null,
  },
  name: { ...VALUES.text, example: '涼宮ハルヒの直観' },
  name_cn: { ...VALUES.text, example: '凉宫春日的直观' },
  covers: { ...VALUES.covers, example: [] },
  publication_date: { ...VALUES.day, example: '2020-11-25T00:00:00.000Z' },
  publication_date_text: { ...VALUES.partialDate, example: null },
  relation: { ...VALUES.textOrEmpty, example: '单行本' },
  isbn: {
    response: nullableText(
      'ISBN-13, digits only: of the printed original if known, otherwise of another edition',
    ),
    select: (volume: string) => `${volume}.isbns ->> 0`,
    example: null,
  },
  isbns: {
    ...VALUES.listOf(
      StatedText,
      Type.String(),
      'ISBN-13 of every known edition, including translations',
    ),
    example: [],
  },
  page_count: { ...VALUES.pageCount, example: null },
  price_amount: { ...VALUES.amount, example: null },
  price_currency: { ...VALUES.currency, example: null },
} satisfies Fields
