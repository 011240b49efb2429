import { Type } from 'typebox'
import { Id } from '../../http/wire/schemas.ts'
import { PRODUCER_TYPES, STORED_PRODUCER_TYPES } from '../enums.ts'
import { Enum } from '../schemas.ts'
import { producerLabelsSql, producerTypeSql, vndbIdSql } from '../sql-fragments.ts'
import type { Fields } from './field.ts'
import { externalSource, externalIdText, TIME_FIELDS } from './shared.ts'
import { VALUES } from './value-types.ts'

/** Fields of a producer (§2.9, decision 0002). */
export const PRODUCER_FIELDS = {
  id: { response: Id, example: 9 },
  name: { ...VALUES.requiredText, example: 'Key' },
  // Shown only in references to a producer (§2.2).
  trans_name: { stated: VALUES.text.stated, fallback: VALUES.text.fallback },
  type: {
    ...VALUES.enumWithDefault(STORED_PRODUCER_TYPES, 'COMPANY'),
    response: Enum(PRODUCER_TYPES, {
      description:
        '`COMPANY` includes publishers and labels; `labels` gives the exact type under `type`',
    }),
    select: producerTypeSql,
    example: 'COMPANY',
  },
  aliases: { ...VALUES.texts, example: ['キー'] },
  intro: { ...VALUES.text, example: null },
  trans_intro: { ...VALUES.text, example: null },
  country: {
    ...VALUES.country,
    response: Type.String({ description: 'ISO 3166 alpha-2; empty if unknown' }),
    fallback: '',
    example: 'JP',
  },
  established: { ...VALUES.day, example: null },
  established_text: { ...VALUES.partialDate, example: null },
  website: { ...VALUES.url, example: 'http://key.visualarts.gr.jp/' },
  logo: { ...VALUES.picture, example: null },
  labels: {
    ...VALUES.labels,
    select: producerLabelsSql,
    example: [{ key: 'wikidata', value: 'https://www.wikidata.org/wiki/Q1143528' }],
  },
  external_links: {
    ...VALUES.links,
    example: [
      { label: 'Official website', name: 'website', url: 'http://key.visualarts.gr.jp/' },
      { label: 'Wikidata', name: 'wikidata', url: 'https://www.wikidata.org/wiki/Q1143528' },
    ],
  },
  en_intro: { ...VALUES.text, example: null },
  vndb_id: { ...externalIdText('VNDB: `p24`', vndbIdSql('producer')), example: 'p24' },
  bangumi_id: { ...externalIdText('Bangumi', 'outside.bangumi::text'), example: null },
  external_source: { ...externalSource('producer'), example: { vndb: 'p24', bangumi: null } },
  ...TIME_FIELDS,
} satisfies Fields
