import { examplePicture } from '../example-parts.ts'
import { Id } from '../../http/wire/schemas.ts'
import { externalIdTextSql } from '../sql-fragments.ts'
import type { Fields } from './field.ts'
import { externalIdText, TIME_FIELDS } from './shared.ts'
import { VALUES } from './value-types.ts'

/** Fields of a person (§2.8, decision 0002). */
export const PERSON_FIELDS = {
  id: { response: Id, example: 352 },
  name: { ...VALUES.requiredText, example: '水樹奈々' },
  trans_name: { ...VALUES.text, example: '水树奈奈' },
  aliases: { ...VALUES.texts, example: ['Mizuki Nana'] },
  intro: { ...VALUES.textOrEmpty, example: '' },
  trans_intro: { ...VALUES.text, example: '原名 近藤 奈々（こんどう なな），日本女性声优兼歌手。' },
  image: {
    ...VALUES.picture,
    example: examplePicture('https://lain.bgm.tv/pic/crt/l/a6/e8/1_prsn_ZdFfp.jpg?r=1597241889'),
  },
  gender: { ...VALUES.gender, example: 'female' },
  labels: { ...VALUES.labels, example: [{ key: '出身地区', value: '爱媛县 新居滨市' }] },
  external_links: {
    ...VALUES.links,
    example: [
      { label: 'Official website', name: 'website', url: 'https://www.mizukinana.jp/' },
      { label: 'X', name: 'twitter', url: 'https://twitter.com/NM_NANAPARTY' },
    ],
  },
  vndb_id: {
    ...externalIdText('VNDB: `s81`', externalIdTextSql('person', 'people', 'vndb')),
    example: null,
  },
  bangumi_id: {
    ...externalIdText('Bangumi', externalIdTextSql('person', 'people', 'bangumi')),
    example: '1',
  },
  ...TIME_FIELDS,
} satisfies Fields
