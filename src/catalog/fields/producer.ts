import { Type } from 'typebox'
import { Id } from '../../http/wire/schemas.ts'
import { PRODUCER_TYPES, STORED_PRODUCER_TYPES } from '../enums.ts'
import { Enum } from '../schemas.ts'
import { producerLabels, producerType, vndbId } from '../sql-fragments.ts'
import type { Fields } from './field.ts'
import { externalSource, outsideText, TIME_FIELDS } from './shared.ts'
import { VALUES } from './value-types.ts'

/** §2.9, decision 0002 */
export const PRODUCER_FIELDS = {
  id: { answer: Id, example: 9 },
  name: { ...VALUES.requiredText, example: 'Key' },
  // Shown only in references to a producer (§2.2).
  trans_name: { stated: VALUES.text.stated, fallback: VALUES.text.fallback },
  type: {
    ...VALUES.oneOfOr(STORED_PRODUCER_TYPES, 'COMPANY'),
    answer: Enum(PRODUCER_TYPES, {
      description:
        '`COMPANY` includes publishers and labels; `labels` has the exact type under `type`',
    }),
    select: producerType,
    example: 'COMPANY',
  },
  aliases: { ...VALUES.texts, example: ['キー'] },
  intro: { ...VALUES.text, example: null },
  trans_intro: { ...VALUES.text, example: null },
  country: {
    ...VALUES.country,
    answer: Type.String({ description: 'ISO 3166 alpha-2; empty when unknown' }),
    fallback: '',
    example: 'JP',
  },
  established: { ...VALUES.day, example: null },
  established_text: { ...VALUES.partOfDate, example: null },
  website: { ...VALUES.address, example: 'http://key.visualarts.gr.jp/' },
  logo: { ...VALUES.picture, example: null },
  labels: {
    ...VALUES.labels,
    select: producerLabels,
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
  vndb_id: { ...outsideText('VNDB: `p24`', vndbId('producer')), example: 'p24' },
  bangumi_id: { ...outsideText('Bangumi', 'outside.bangumi::text'), example: null },
  external_source: { ...externalSource('producer'), example: { vndb: 'p24', bangumi: null } },
  ...TIME_FIELDS,
} satisfies Fields
