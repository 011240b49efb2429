import { EXAMPLE_TIME, exampleCover, exampleTitles } from '../catalog/example-parts.ts'
import type { EntryKind } from '../catalog/kinds.ts'

/** Summaries of some entries in the bundled sample. */
export const exampleSummary = (
  type: EntryKind,
  id: number,
  original_title: string,
  more: object = {},
) => ({
  type,
  id,
  title: original_title,
  original_title,
  ...exampleTitles(),
  developer: null,
  developer_trans_name: null,
  developer_romaji_name: null,
  cover: null,
  release_date: null,
  status: null,
  nsfw: false,
  score: null,
  weighted_score: null,
  score_votes: 0,
  readers: 0,
  changed_at: EXAMPLE_TIME,
  ...more,
})

export const CLANNAD = exampleSummary('galgame', 1, 'CLANNAD', {
  en_title: 'CLANNAD',
  weighted_score: 8.62,
  score_votes: 17_541,
  developer: 'Key',
  cover: exampleCover('https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg'),
  release_date: '2004-04-28T00:00:00.000Z',
  status: 'RELEASED',
})

export const PLANETARIAN = exampleSummary('galgame', 5, 'planetarian ～ちいさなほしのゆめ～', {
  title: 'planetarian',
  en_title: 'planetarian ~Dream of Little Star~',
  romaji_title: 'planetarian ~Chiisana Hoshi no Yume~',
  ko_title: 'planetarian ~작은 별의 꿈~',
  weighted_score: 7.9,
  score_votes: 8_200,
  developer: 'Key',
  release_date: '2004-11-29T00:00:00.000Z',
  status: 'RELEASED',
})

export const RAGNAROK = exampleSummary('light_novel', 136, 'ラグナロクEX THE OUTSIDERS', {
  release_date: '2001-03-29T00:00:00.000Z',
  status: 'FINISHED',
})

export const CHOBITS = exampleSummary('manga', 103, 'ちょびっツ', {
  title: '人形电脑天使心',
  en_title: 'Chobits',
  cover: exampleCover('https://lain.bgm.tv/pic/cover/l/73/80/497_7mGTv.jpg'),
  status: 'FINISHED',
})
