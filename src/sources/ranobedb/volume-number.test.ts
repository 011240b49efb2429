import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { volumeNumberIn } from './volume-number.ts'

const numbered = [
  ['とある魔術の禁書目録(9)', 'とある魔術の禁書目録', 9],
  ['とある魔術の禁書目録（９）', 'とある魔術の禁書目録', 9],
  ['JK無双 2 終わる世界の救い方', 'JK無双', 2],
  ['Abyss 2 賞金2700億円のVRMMO', 'Abyss', 2],
  ['終わりのセラフ5 一瀬グレン、16歳の破滅', '終わりのセラフ', 5],
  ['私、能力は平均値でって言ったよね! 16巻', '私、能力は平均値でって言ったよね!', 16],
  ['落第騎士の英雄譚<キャバルリィ>6', '落第騎士の英雄譚', 6],
  ['覇剣の皇姫アルティーナVII', '覇剣の皇姫アルティーナ', 7],
  ['覇剣の皇姫アルティーナⅨ', '覇剣の皇姫アルティーナ', 9],
  ['龍の伽羅、Dr.の蓮華 龍&Dr.(30)', '龍&Dr.', 30],
  ['狼と香辛料 第4.5巻', '狼と香辛料', 4.5],
  ['狼と香辛料４.５', '狼と香辛料', 4.5],
  ['狼と香辛料3【電子特典付き】', '狼と香辛料', 3],
  ['Spice and Wolf, Vol. 7', 'Spice and Wolf', 7],
  // The name of the series is slightly different, so only a number at the end of the title counts.
  ['最強付与術師の成長革命 追放元パーティから2', '最強付与術師の成長革命 ~追放元パーティから~', 2],
] as const

const labeled = [
  ['氷菓 上', '氷菓', '上'],
  ['氷菓（下巻）', '氷菓', '下巻'],
  ['俺の話 EX', '俺の話', 'EX'],
  ['俺の話 EX2', '俺の話', 'EX2'],
  ['俺の話 SS', '俺の話', 'SS'],
  ['俺の話 短編集2 夏', '俺の話', '短編集2'],
  ['俺の話 1-3', '俺の話', '1-3'],
  ['俺の話1～3巻', '俺の話', '1~3'],
] as const

const silent = [
  ['ゴジラ-1.0', 'ゴジラ-1.0'],
  ['アルファ 2001年の旅', 'アルファ'],
  ['二周目チートの転生魔導士 ~最強が1000年後に転生したら~', '二周目チートの転生魔導士'],
  ['カゲロウデイズ -in a daze-', 'カゲロウデイズ'],
  ['氷菓 上り坂', '氷菓'],
  ['エクセルの話 EXCEL', 'エクセルの話'],
  ['堕天使堂 よろず建物因縁帳', 'よろず建物因縁帳'],
] as const

describe('volumeNumberIn', () => {
  for (const [title, series, number] of numbered) {
    it(`returns ${number} for ${title}`, () => {
      assert.deepEqual(volumeNumberIn(title, series), { number, label: null })
    })
  }

  for (const [title, series, label] of labeled) {
    it(`returns a label without a number for …`, () => {
      assert.deepEqual(volumeNumberIn(title, series), { number: null, label })
    })
  }

  for (const [title, series] of silent) {
    it(`returns null for ${title}`, () => {
      assert.equal(volumeNumberIn(title, series), null)
    })
  }
})
