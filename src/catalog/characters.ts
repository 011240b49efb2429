import { Type } from 'typebox'
import { Named, NullableInteger, NullableText, Ref } from '../http/wire/schemas.ts'
import type { CatalogApp } from './catalog-app.ts'
import { entryRoutes } from './entry-routes.ts'
import { TIMES_EXAMPLE } from './example-parts.ts'
import {
  externalLinks,
  individualProperties,
  labels,
  OpenExternalSourceDto,
  outsideText,
  times,
} from './schemas.ts'
import { externalSourceSql, outsideIds, timesSql, vndbId } from './sql-fragments.ts'
import { detailStatement } from './statements.ts'

const measure = (unit: string) => Type.Union([Type.Number(), Type.Null()], { description: unit })

/** §2.10, decision 0002 */
export const Character = Named('Character', {
  ...individualProperties,
  blood_type: NullableText,
  birthday_month: NullableInteger,
  birthday_day: NullableInteger,
  height: measure('In cm'),
  weight: measure('In kg'),
  bust: measure('In cm'),
  waist: measure('In cm'),
  hips: measure('In cm'),
  cup: NullableText,
  age: NullableInteger,
  labels,
  external_links: externalLinks,
  en_name: NullableText,
  en_intro: NullableText,
  vndb_id: outsideText('VNDB: `c17`'),
  bangumi_id: outsideText('Bangumi'),
  external_source: Ref(OpenExternalSourceDto),
  ...times,
})

/** Decision 0002 */
export const characterDetail = detailStatement(
  'character',
  `
  characters.id,
  characters.name,
  characters.trans_name,
  characters.aliases,
  characters.intro,
  characters.trans_intro,
  characters.image,
  characters.gender,
  characters.blood_type,
  characters.birthday_month,
  characters.birthday_day,
  trim_scale(characters.height) as height,
  trim_scale(characters.weight) as weight,
  trim_scale(characters.bust) as bust,
  trim_scale(characters.waist) as waist,
  trim_scale(characters.hips) as hips,
  characters.cup,
  characters.age,
  characters.labels,
  characters.external_links,
  characters.en_name,
  characters.en_intro,
  ${vndbId('character')} as vndb_id,
  outside.bangumi::text as bangumi_id,
  ${externalSourceSql('character')},
  ${timesSql('characters')}`,
  outsideIds('character', 'characters'),
)

/** An answer of the bundled sample, shortened; a test holds it against it. */
const example = {
  id: 139,
  name: 'ルルーシュ・ランペルージ',
  trans_name: '鲁路修·兰佩路基',
  aliases: ['Zero', 'Lelouch Lamperouge'],
  intro: '',
  trans_intro: '鲁路修·兰佩洛基是日本动画《Code Geass 反叛的鲁路修》中的主角。',
  image: {
    url: 'https://lain.bgm.tv/pic/crt/l/7b/3a/1_crt_8V556.jpg?r=1603459589',
    width: null,
    height: null,
    sexual: 0,
    violence: 0,
  },
  gender: 'male',
  blood_type: 'A',
  birthday_month: 12,
  birthday_day: 5,
  height: 178,
  weight: 54,
  bust: null,
  waist: null,
  hips: null,
  cup: null,
  age: null,
  labels: [{ key: '引用来源', value: 'Wikipedia' }],
  external_links: [],
  en_name: null,
  en_intro: null,
  vndb_id: null,
  bangumi_id: '1',
  external_source: { vndb: null, bangumi: '1' },
  ...TIMES_EXAMPLE,
}

/** `characters/**` (§4.1). */
export const characterRoutes = (app: CatalogApp) =>
  entryRoutes(app, 'character', { schema: Character, statement: characterDetail, example })
