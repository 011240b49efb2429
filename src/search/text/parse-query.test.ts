import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { arbitraryText, fc } from '#test/arbitrary-text.ts'
import { idPrefix, isSiteId, pageUrlOf } from '../../sources/external-ids.ts'
import { EXTERNAL_SITES, SITE_NAMES } from '../../sources/registry.ts'
import { formsOfName } from './forms.ts'
import { parseQuery } from './parse-query.ts'

const WORKS = ['galgame', 'light_novel', 'manga', 'light_novel_volume', 'manga_volume']

/** Returns the words that remain of a folder name, or '' if the query is treated as a title. */
const titleIn = (q: string) => parseQuery(q).stripped[0]?.words.join(' ') ?? ''

describe('forms of a query', () => {
  it('are equal to the forms of a name with the same text', () => {
    for (const name of ['CLANNAD', 'シュタインズ・ゲート', '乙女の剣', 'Rance Ⅱ'])
      assert.deepEqual(parseQuery(name).forms, formsOfName(name, { chinese: false }))
    assert.deepEqual(parseQuery(' \u202e\u0000\ud800 '), {
      forms: [],
      externalId: undefined,
      stripped: [],
    })
  })

  it('are the same for a query and its normalized form, so that every name finds itself', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryText(20), fc.string()), (q) => {
        const { forms } = parseQuery(q)
        assert.deepEqual(parseQuery(forms[0]?.words.join(' ') ?? '').forms, forms)
        const texts = formsOfName(q, { chinese: true }).map(({ text }) => text)
        assert.equal(texts.length === 0, forms.length === 0)
        for (const { text } of forms) assert.ok(texts.some((whole) => whole.includes(text)))
      }),
      { numRuns: 400 },
    )
  })

  it('ignore all text beyond the maximum query length, whatever the query contains', () => {
    const hostile = [
      '[',
      '[]',
      '[(',
      '.zip',
      ' ',
      'a ',
      '4-',
      '9',
      'ー',
      '\ufdfa',
      '😀',
      '\u202e',
      'v1.',
      '第',
      '版',
      "'",
      'ヴ',
      '\u0301',
    ]
    for (const part of hostile)
      assert.deepEqual(
        parseQuery(part.repeat(100_000)),
        parseQuery(part.repeat(400)),
        JSON.stringify(part),
      )
  })
})

describe('an external id in a query', () => {
  const idIn = (q: string) => parseQuery(q).externalId

  it('is recognized as a VNDB id by its letter, its prefix or its URL', () => {
    const v17 = { source: 'vndb', external_id: 'v17', kinds: ['galgame'] }
    for (const q of [
      'v17',
      'V17',
      ' ｖ１７ ',
      'vndb:v17',
      'VNDB v17',
      'vndb:17',
      'https://vndb.org/v17',
      'vndb.org/v17#main',
      'see http://www.vndb.org/v17/chars',
    ])
      assert.deepEqual(idIn(q), v17, q)
    for (const q of ['vndb:c5', 'id:c5', 'ID : C5'])
      assert.deepEqual(idIn(q), { source: 'vndb', external_id: 'c5', kinds: ['character'] }, q)
    assert.deepEqual(parseQuery('[181130] https://vndb.org/v17').stripped, [])
    assert.deepEqual(idIn('https://vndb.org/p24'), {
      source: 'vndb',
      external_id: 'p24',
      kinds: ['producer'],
    })
    assert.deepEqual(idIn('https://vndb.org/s81'), {
      source: 'vndb',
      external_id: 's81',
      kinds: ['person'],
    })
  })

  it('is recognized in every form of Bangumi URL', () => {
    const subject = { source: 'bangumi', external_id: '13', kinds: WORKS }
    for (const q of [
      'bgm:13',
      'Bangumi: 13',
      'bgm:subject/13',
      'https://bgm.tv/subject/13',
      'http://bangumi.tv/subject/13/comments',
      'chii.in/subject/13',
    ])
      assert.deepEqual(idIn(q), subject, q)
    assert.deepEqual(idIn('https://bgm.tv/character/36'), {
      source: 'bangumi',
      external_id: '36',
      kinds: ['character'],
    })
    assert.deepEqual(idIn('https://bgm.tv/person/3'), {
      source: 'bangumi',
      external_id: '3',
      kinds: ['person', 'producer'],
    })
  })

  it('is recognized if it is from RanobeDB', () => {
    assert.deepEqual(idIn('https://ranobedb.org/series/14'), {
      source: 'ranobedb',
      external_id: '14',
      kinds: ['light_novel'],
    })
    assert.deepEqual(idIn('ranobedb.org/book/14'), {
      source: 'ranobedb',
      external_id: '14',
      kinds: ['light_novel_volume'],
    })
  })

  it('is recognized in every page URL of every site', () => {
    for (const site of SITE_NAMES)
      for (const kind of Object.values(EXTERNAL_SITES[site].pages).flat()) {
        const id = `${idPrefix(site, kind)}14`
        assert.ok(isSiteId(site, kind, id))
        const found = idIn(pageUrlOf(site, kind, id))
        assert.ok(found && 'source' in found, pageUrlOf(site, kind, id))
        assert.deepEqual([found.source, found.external_id], [site, id])
        assert.ok(found.kinds.includes(kind), pageUrlOf(site, kind, id))
      }
  })

  it('may be an ISBN of 10 or 13 digits with a valid check digit', () => {
    for (const q of [
      '9784758030847',
      '978-4-7580-3084-7',
      'ISBN 978 4 7580 3084 7',
      '4758030847',
      '4-7580-3084-7',
      'isbn-10: 4758030847',
      'ISBN13 9784758030847',
      '９７８４７５８０３０８４７',
      '978‐4‐7580‐3084‐7',
    ])
      assert.deepEqual(idIn(q), { isbn: '9784758030847' }, q)
    assert.deepEqual(idIn('080442957x'), { isbn: '9780804429573' })
    for (const q of [
      '9784758030848',
      '4758030848',
      '1234567890123',
      '20181130',
      'JAN 9784758030847',
      '9784758030847 v2',
    ])
      assert.deepEqual(idIn(q), undefined, q)
  })

  it('is not recognized in text that only resembles one', () => {
    for (const q of [
      'v',
      'c17',
      'v17 trial',
      'Ever17',
      'vndb',
      'vndb:constructor/1',
      'bgm:toString/1',
      'https://vndb.org/subject/1',
      'https://bgm.tv/v1',
      'https://notbgm.tv/subject/13',
      'https://example.com/subject/1',
      'https://vndb.org/v17abc',
    ])
      assert.deepEqual(idIn(q), undefined, q)
  })
})

describe('the title extracted from a folder name', () => {
  it('excludes brackets, dates, versions and edition words', () => {
    for (const q of [
      '[181130][ensemble] 乙女の剣と秘めごとコンチェルト v1.02 DL版',
      '【181130】【ensemble】乙女の剣と秘めごとコンチェルト【DL版】',
      '(18禁ゲーム) [20181130] [ensemble] 乙女の剣と秘めごとコンチェルト 初回限定版 (iso+mds+rr3).rar',
      '乙女の剣と秘めごとコンチェルト体験版',
      '2018-11-30 乙女の剣と秘めごとコンチェルト ver.1.1 Disc 2',
      '2018年11月30日_乙女の剣と秘めごとコンチェルト_汉化版_Steam版.part1.rar',
      '［汉化］乙女の剣と秘めごとコンチェルト　全年齢版　R18',
      '[乙女の剣と秘めごとコンチェルト][ensemble][181130]',
      '[ensemble][乙女の剣と秘めごとコンチェルト][181130]',
      '乙女の剣と秘めごとコンチェルト豪華限定版',
      '乙女の剣と秘めごとコンチェルトSteam版',
    ])
      assert.equal(titleIn(q), '乙女の剣と秘めごとこんちぇると', q)
    assert.equal(titleIn('[ ab ][abc] 181130'), 'abc')
    assert.equal(titleIn('Ever17 Deluxe Edition (Steam)'), 'ever17')
    assert.equal(titleIn('428 DL版'), '428')
    assert.equal(titleIn('undefined [181130]'), 'undefined')
    assert.equal(titleIn('鋼の錬金術師 第27巻'), titleIn('(一般コミック) [荒川弘] 鋼の錬金術師'))
  })

  it('excludes dates, versions and parts only if they are whole words', () => {
    const excluded =
      '181130 181005 180920 20181130 2018-1 2018-11 2018-1-30 2018-11-5 2018.11.20 2018-11-20 2018/11/05 2018年11月 2018年1月5日 2018年11月30日 ' +
      'v1 v12 v1.02 v1.0.2 v1.02a ver.1.0 1.0 10.2 1.02 1.0.2 1.0a disc2 disc12 vol.3 4巻 第4巻 第12巻'
    for (const word of excluded.split(' '))
      assert.equal(titleIn(`CLANNAD ${word}`), 'clannad', word)
    const included =
      'x181130 181130x 181330 181132 x2018-11-30 2018-11-30x 2018-13 v1.0-x xv1 x1.0 1.0-x a-disc2 disc2x 外伝4巻 第4巻外伝'
    for (const word of included.split(' ')) assert.equal(titleIn(`CLANNAD ${word}`), '', word)
    for (const part of ['Disc_ 2', 'Disc 12']) assert.equal(titleIn(`CLANNAD ${part}`), 'clannad')
    for (const part of ['x2', '2x'])
      assert.equal(titleIn(`CLANNAD Disc ${part}`), `clannad ${part}`)
  })

  it('excludes the legal form of a company', () => {
    for (const q of [
      '株式会社 CLANNAD',
      'CLANNAD 株式会社',
      '株式会社CLANNAD',
      'CLANNAD株式会社',
      '㈱CLANNAD',
      'CLANNAD Co., Ltd.',
    ])
      assert.equal(titleIn(q), 'clannad', q)
  })

  it('includes text in quotation marks', () => {
    assert.equal(titleIn('[061208] チキン「ドロップ」前夜の物語'), 'ちきん どろっぷ 前夜の物語')
  })

  it('is empty if nothing is left or nothing was removed', () => {
    for (const q of [
      'CLANNAD',
      'Trial',
      '株式会社',
      'DL版',
      '[DL版]',
      '2018-11-30',
      'STEINS;GATE 0',
      '1/2 summer',
      'Nitro+',
      'Darwin',
      'BIN',
      'a]b[c',
      '',
      '[',
      '龍&Dr.',
    ])
      assert.equal(titleIn(q), '', q)
  })

  it('is found despite unpaired or overlapping brackets', () => {
    assert.equal(titleIn('181130 [ensemble (DL] CLANNAD)'), 'ensemble dl clannad')
    assert.equal(titleIn('CLANNAD 181130 [a (b] c)'), 'clannad a b c')
    assert.equal(titleIn('(C100 [abc) CLANNAD'), 'clannad')
    for (const q of ['CLANNAD]DL', 'CLANNAD[DL']) assert.equal(titleIn(q), 'clannad', q)
  })

  it('is searched for in addition to the full name', () => {
    assert.equal(parseQuery('Fate/stay night[Réalta Nua]').forms[0]?.text, 'fatestaynightrealtanua')
    assert.equal(titleIn('Fate/stay night[Réalta Nua]'), 'fate stay night')
  })
})
