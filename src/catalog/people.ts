import { Named } from '../http/wire/schemas.ts'
import type { CatalogApp } from './catalog-app.ts'
import { entryRoutes } from './entry-routes.ts'
import { TIMES_EXAMPLE } from './example-parts.ts'
import { externalLinks, individualProperties, labels, outsideText, times } from './schemas.ts'
import { outsideIdText, timesSql } from './sql-fragments.ts'
import { detailStatement } from './statements.ts'

/** §2.8, decision 0002 */
export const Person = Named('Person', {
  ...individualProperties,
  labels,
  external_links: externalLinks,
  vndb_id: outsideText('VNDB: `s81`'),
  bangumi_id: outsideText('Bangumi'),
  ...times,
})

/** Decision 0002 */
export const personDetail = detailStatement(
  'person',
  `
  people.id,
  people.name,
  people.trans_name,
  people.aliases,
  people.intro,
  people.trans_intro,
  people.image,
  people.gender,
  people.labels,
  people.external_links,
  ${outsideIdText('person', 'people', 'vndb')} as vndb_id,
  ${outsideIdText('person', 'people', 'bangumi')} as bangumi_id,
  ${timesSql('people')}`,
)

/** An answer of the bundled sample, shortened; a test holds it against it. */
const example = {
  id: 352,
  name: '水樹奈々',
  trans_name: '水树奈奈',
  aliases: ['Mizuki Nana'],
  intro: '',
  trans_intro: '原名 近藤 奈々（こんどう なな），日本女性声优兼歌手。',
  image: {
    url: 'https://lain.bgm.tv/pic/crt/l/a6/e8/1_prsn_ZdFfp.jpg?r=1597241889',
    width: null,
    height: null,
    sexual: 0,
    violence: 0,
  },
  gender: 'female',
  labels: [{ key: '出身地区', value: '爱媛县 新居滨市' }],
  external_links: [
    { label: 'Official website', name: 'website', url: 'https://www.mizukinana.jp/' },
    { label: 'X', name: 'twitter', url: 'https://twitter.com/NM_NANAPARTY' },
  ],
  vndb_id: null,
  bangumi_id: '1',
  ...TIMES_EXAMPLE,
}

/** `people/**` (§4.1). */
export const personRoutes = (app: CatalogApp) =>
  entryRoutes(app, 'person', { schema: Person, statement: personDetail, example })
