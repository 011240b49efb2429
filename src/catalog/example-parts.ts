/** Example values shared by the kinds, for the OpenAPI document. */

/** Import time used in examples. */
export const EXAMPLE_TIME = '2026-11-21T08:00:00.000Z'

type ExampleTitles = Record<'en_title' | 'romaji_title' | 'ko_title', string | null>

export const exampleTitles = (titles: Partial<ExampleTitles> = {}): ExampleTitles => ({
  en_title: null,
  romaji_title: null,
  ko_title: null,
  ...titles,
})

export const exampleRef = (
  id: number,
  name: string,
  trans_name: string | null = null,
  image: object | null = null,
  titles: Partial<ExampleTitles> = {},
) => ({ id, name, trans_name, image, ...exampleTitles(titles) })

const ungraded = { width: null, height: null, sexual: 0, violence: 0 }

/** A picture from Bangumi, which states no sizes and no grades. */
export const examplePicture = (url: string) => ({ url, ...ungraded })
export const exampleCover = (url: string) => ({ url, votes: 0, ...ungraded })

/** 古河渚, with her portrait from Bangumi. */
export const NAGISA = exampleRef(
  2,
  '古河渚',
  '古河渚',
  examplePicture('https://lain.bgm.tv/pic/crt/l/e9/cf/4_crt_f11eW.jpg?r=1560006952'),
  { en_title: 'Furukawa Nagisa' },
)

/** 中原麻衣, who voices her. */
export const MAI = exampleRef(49, '中原麻衣', null, null, { romaji_title: 'Nakahara Mai' })

export const TOMOYA = exampleRef(1, '岡崎朋也', '冈崎朋也', null, {
  en_title: 'Okazaki Tomoya',
  romaji_title: 'Okazaki Tomoya',
})
