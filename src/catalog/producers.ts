import { Type } from 'typebox'
import { Id, Named, NullableDate, NullableText } from '../http/wire/schemas.ts'
import type { CatalogApp } from './catalog-app.ts'
import { entryRoutes } from './entry-routes.ts'
import { PRODUCER_TYPES } from './enums.ts'
import { TIMES_EXAMPLE } from './example-parts.ts'
import { Enum, labels, nullableMedia, texts, times } from './schemas.ts'
import { isoDay, timesSql } from './sql-fragments.ts'
import { detailSql } from './statements.ts'

/** §2.9 */
export const Producer = Named('Producer', {
  id: Id,
  name: Type.String(),
  type: Enum(PRODUCER_TYPES),
  aliases: texts,
  intro: NullableText,
  trans_intro: NullableText,
  country: Type.String({ description: 'ISO 3166 alpha-2; empty when unknown' }),
  established: NullableDate,
  website: NullableText,
  logo: nullableMedia,
  labels,
  ...times,
})

const sql = detailSql(
  'producer',
  `
  producers.id,
  producers.name,
  producers.type,
  producers.aliases,
  producers.intro,
  producers.trans_intro,
  producers.country,
  ${isoDay('producers.established')} as established,
  producers.website,
  producers.logo,
  producers.labels,
  ${timesSql('producers')}`,
)

/** An answer of the bundled sample, shortened; a test holds it against it. */
const example = {
  id: 9,
  name: 'Key',
  type: 'COMPANY',
  aliases: ['キー'],
  intro: null,
  trans_intro: null,
  country: 'JP',
  established: null,
  website: 'http://key.visualarts.gr.jp/',
  logo: null,
  labels: [{ key: 'wikidata', value: 'https://www.wikidata.org/wiki/Q1143528' }],
  ...TIMES_EXAMPLE,
}

/** `producers/**` (§4.1). */
export const producerRoutes = (app: CatalogApp) =>
  entryRoutes(app, 'producer', { schema: Producer, sql, example })
