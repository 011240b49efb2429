import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseKnownVolumeTitle, parseVolumeTitle } from './volume-title.ts'

describe('parseVolumeTitle', () => {
  for (const [title, base, number, label] of [
    ['幻惑の鼓動 (11)', '幻惑の鼓動', 11, ''],
    ['クロガネ (04)', 'クロガネ', 4, ''],
    ['スカルキラー邪鬼王（1）', 'スカルキラー邪鬼王', 1, ''],
    ['GROUNDLESS (5) カゲリザカの戦い', 'GROUNDLESS', 5, ''],
    [
      'ARCANA HEART アルカナハート (1) (角川コミックス・エース 212-1)',
      'ARCANA HEART アルカナハート',
      1,
      '',
    ],
    ['大長編ドラえもん 2 (藤子・F・不二雄大全集)', '大長編ドラえもん', 2, ''],
    ['カテキョ！ 4', 'カテキョ!', 4, ''],
    ['IS 第９巻', 'IS', 9, ''],
    ['俺の青春 ４.5', '俺の青春', 4.5, ''],
    ['俺の青春 (7.5)', '俺の青春', 7.5, ''],
    ['狼と香辛料 Vol.3', '狼と香辛料', 3, ''],
    ['三国志 第二十三巻', '三国志', 23, ''],
    ['三国志 (十)', '三国志', 10, ''],
    ['全集 (1-3)', '全集', null, '1-3'],
    ['全集 1～3', '全集', null, '1~3'],
    ['冬の話（上）', '冬の話', null, '上'],
    ['冬の話 下巻', '冬の話', null, '下'],
  ] as const) {
    it(`parses ${title}`, () => assert.deepEqual(parseVolumeTitle(title), { base, number, label }))
  }

  for (const title of [
    '舞姫 テレプシコーラ 第2部',
    '藤崎竜作品集 1 サイコプラス',
    '山田くんと7人の魔女',
    '天は赤い河のほとり 外伝 続 魔が時代(とき)の黎明',
    'ラグナロクEX THE OUTSIDERS',
    '劇場版総集編 前編 ハイキュー!! “終わりと始まり”',
    'ダーウィン (2045)',
    '短編集 全3巻',
    '1Q84',
  ]) {
    it(`returns undefined for ${title}`, () => assert.equal(parseVolumeTitle(title), undefined))
  }
})

describe('parseKnownVolumeTitle', () => {
  for (const [title, number, label] of [
    ['9', 9, ''],
    ['とある魔術の禁書目録2', 2, ''],
    ['藤崎竜作品集 1 サイコプラス', 1, ''],
    ['フルメタル・パニック！ EX', null, 'EX'],
    ['紅 前編', null, '前編'],
    ['終わりの本', null, ''],
  ] as const) {
    it(`parses ${title}`, () => {
      const { number: found, label: shown } = parseKnownVolumeTitle(title)
      assert.deepEqual([found, shown], [number, label])
    })
  }
})
