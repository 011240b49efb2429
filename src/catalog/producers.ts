import { Type } from 'typebox'
import { Id, Named, NullableDate, NullableText, Ref } from '../http/wire/schemas.ts'
import type { CatalogApp } from './catalog-app.ts'
import { entryRoutes } from './entry-routes.ts'
import { PRODUCER_TYPES } from './enums.ts'
import { TIMES_EXAMPLE } from './example-parts.ts'
import {
  Enum,
  externalLinks,
  labels,
  nullableMedia,
  OpenExternalSourceDto,
  outsideText,
  partOfDate,
  texts,
  times,
} from './schemas.ts'
import {
  externalSourceSql,
  isoDay,
  outsideIds,
  producerLabels,
  producerType,
  timesSql,
  vndbId,
} from './sql-fragments.ts'
import { detailStatement } from './statements.ts'

/** §2.9, decision 0002 */
export const Producer = Named('Producer', {
  id: Id,
  name: Type.String(),
  type: Enum(PRODUCER_TYPES, {
    description: '`COMPANY` includes publishers and labels; `labels` has the exact type under `type`',
  }),
  aliases: texts,
  intro: NullableText,
  trans_intro: NullableText,
  country: Type.String({ description: 'ISO 3166 alpha-2; empty when unknown' }),
  established: NullableDate,
  established_text: partOfDate,
  website: NullableText,
  logo: nullableMedia,
  labels,
  external_links: externalLinks,
  en_intro: NullableText,
  vndb_id: outsideText('VNDB: `p24`'),
  bangumi_id: outsideText('Bangumi'),
  external_source: Ref(OpenExternalSourceDto),
  ...times,
})

/** SQL: fields of a `Producer` response, read from the given table alias and from `producerOutside`. */
export const producerFields = (producer: string) => `
  ${producer}.id,
  ${producer}.name,
  ${producerType(producer)} as type,
  ${producer}.aliases,
  ${producer}.intro,
  ${producer}.trans_intro,
  ${producer}.country,
  ${isoDay(`${producer}.established`)} as established,
  ${producer}.established_text,
  ${producer}.website,
  ${producer}.logo,
  ${producerLabels(producer)} as labels,
  ${producer}.external_links,
  ${producer}.en_intro,
  ${vndbId('producer')} as vndb_id,
  outside.bangumi::text as bangumi_id,
  ${externalSourceSql('producer')},
  ${timesSql(producer)}`

/** SQL: the join that `producerFields` needs. */
export const producerOutside = (producer: string) => outsideIds('producer', producer)

/** Decision 0002 */
export const producerDetail = detailStatement(
  'producer',
  producerFields('producers'),
  producerOutside('producers'),
)

/** An answer of the bundled sample, shortened; a test holds it against it. */
export const PRODUCER_EXAMPLE = {
  id: 9,
  name: 'Key',
  type: 'COMPANY',
  aliases: ['キー'],
  intro: null,
  trans_intro: null,
  country: 'JP',
  established: null,
  established_text: null,
  website: 'http://key.visualarts.gr.jp/',
  logo: null,
  labels: [{ key: 'wikidata', value: 'https://www.wikidata.org/wiki/Q1143528' }],
  external_links: [
    { label: 'Official website', name: 'website', url: 'http://key.visualarts.gr.jp/' },
    { label: 'Wikidata', name: 'wikidata', url: 'https://www.wikidata.org/wiki/Q1143528' },
  ],
  en_intro: null,
  vndb_id: 'p24',
  bangumi_id: null,
  external_source: { vndb: 'p24', bangumi: null },
  ...TIMES_EXAMPLE,
}

/** `producers/**` (§4.1). */
export const producerRoutes = (app: CatalogApp) =>
  entryRoutes(app, 'producer', { schema: Producer, statement: producerDetail, example: PRODUCER_EXAMPLE })
