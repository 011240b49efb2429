import { examplePicture } from '../example-parts.ts'
import { Id, NullableText, StringEnum } from '../../http/wire/schemas.ts'
import { vndbIdSql } from '../sql-fragments.ts'
import { isIntegerInRange } from './column-limits.ts'
import type { Fields } from './field.ts'
import { externalSource, externalIdText, TIME_FIELDS } from './shared.ts'
import { VALUES } from './value-types.ts'

const centimeters = VALUES.measure('In cm')

/** Fields of a character (§2.10, decision 0002). */
export const CHARACTER_FIELDS = {
  id: { response: Id, example: 139 },
  name: { ...VALUES.requiredText, example: 'ルルーシュ・ランペルージ' },
  trans_name: { ...VALUES.text, example: '鲁路修·兰佩路基' },
  aliases: { ...VALUES.texts, example: ['Zero', 'Lelouch Lamperouge'] },
  intro: { ...VALUES.textOrEmpty, example: '' },
  trans_intro: {
    ...VALUES.text,
    example: '鲁路修·兰佩洛基是日本动画《Code Geass 反叛的鲁路修》中的主角。',
  },
  image: {
    ...VALUES.picture,
    example: examplePicture('https://lain.bgm.tv/pic/crt/l/7b/3a/1_crt_8V556.jpg?r=1603459589'),
  },
  gender: { ...VALUES.gender, example: 'male' },
  blood_type: {
    stated: StringEnum(['A', 'B', 'AB', 'O']),
    response: NullableText,
    fallback: null,
    example: 'A',
  },
  birthday_month: { ...VALUES.integer(1, 12, isIntegerInRange(1, 12)), example: 12 },
  birthday_day: { ...VALUES.integer(1, 31, isIntegerInRange(1, 31)), example: 5 },
  height: { ...centimeters, example: 178 },
  weight: { ...VALUES.measure('In kg'), example: 54 },
  bust: { ...centimeters, example: null },
  waist: { ...centimeters, example: null },
  hips: { ...centimeters, example: null },
  cup: { ...VALUES.text, example: null },
  // Age in years.
  age: { ...VALUES.integer(0, 1_000_000, isIntegerInRange(-(2 ** 31))), example: null },
  labels: { ...VALUES.labels, example: [{ key: '引用来源', value: 'Wikipedia' }] },
  external_links: { ...VALUES.links, example: [] },
  // If missing, English pages show the romanized name.
  en_name: { ...VALUES.text, example: null },
  en_intro: { ...VALUES.text, example: null },
  vndb_id: { ...externalIdText('VNDB: `c17`', vndbIdSql('character')), example: null },
  bangumi_id: { ...externalIdText('Bangumi', 'outside.bangumi::text'), example: '1' },
  external_source: { ...externalSource('character'), example: { vndb: null, bangumi: '1' } },
  ...TIME_FIELDS,
} satisfies Fields
