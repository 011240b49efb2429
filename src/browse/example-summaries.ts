import { EXAMPLE_TIME } from '../catalog/example-parts.ts'

/** Summaries of some works in the bundled sample. */

const SHARED = {
  type: 'galgame',
  developer: 'Key',
  cover: null,
  status: 'RELEASED',
  nsfw: false,
  score: null,
  readers: 0,
  changed_at: EXAMPLE_TIME,
}

export const CLANNAD = {
  ...SHARED,
  id: 1,
  title: 'CLANNAD',
  original_title: 'CLANNAD',
  cover: {
    url: 'https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg',
    votes: 0,
    width: null,
    height: null,
    sexual: 0,
    violence: 0,
  },
  release_date: '2004-04-28T00:00:00.000Z',
}

export const PLANETARIAN = {
  ...SHARED,
  id: 5,
  title: 'planetarian',
  original_title: 'planetarian ～ちいさなほしのゆめ～',
  release_date: '2004-11-29T00:00:00.000Z',
}

export const RAGNAROK = {
  ...SHARED,
  type: 'light_novel',
  id: 136,
  title: 'ラグナロクEX THE OUTSIDERS',
  original_title: 'ラグナロクEX THE OUTSIDERS',
  developer: null,
  release_date: '2001-03-29T00:00:00.000Z',
  status: 'FINISHED',
}

export const CHOBITS = {
  ...SHARED,
  type: 'manga',
  id: 103,
  title: '人形电脑天使心',
  original_title: 'ちょびっツ',
  developer: null,
  cover: {
    url: 'https://lain.bgm.tv/pic/cover/l/73/80/497_7mGTv.jpg',
    votes: 0,
    width: null,
    height: null,
    sexual: 0,
    violence: 0,
  },
  release_date: null,
  status: 'FINISHED',
}
