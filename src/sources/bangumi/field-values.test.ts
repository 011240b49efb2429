import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertLinear } from '#test/assert-linear.ts'
import { findImported, importFiles } from '#test/bangumi-imports.ts'
import { GAME, NOVEL, relation, release } from '#test/bangumi-rows.ts'
import { parseDate } from './infobox/dates.ts'
import { InfoboxReader } from './infobox/infobox-reader.ts'
import * as measures from './infobox/measures.ts'
import { parsePrices } from './infobox/prices.ts'
import { parseKnownVolumeTitle, parseVolumeTitle } from './books/volume-title.ts'

const figure = (text: string) => {
  const { bust, waist, hips } = measures.parseBodyMeasures(text) ?? {}
  return bust === undefined ? undefined : [bust, waist, hips].join('/')
}
const price = (value: string) =>
  parsePrices({ label: '', value }).map((item) =>
    [item.version, item.amount, item.currency, item.tax_included].join(),
  )
const site = (value: string) =>
  new InfoboxReader(`{{Infobox Crt\n|HP= ${value}\n}}`).officialSite('HP')
const volume = (series: string) => (title: string) => {
  const { number, label } = parseKnownVolumeTitle(title, series)
  return number ?? label
}

const CASES: [name: string, parse: (text: string) => unknown, values: Record<string, unknown>][] = [
  [
    'height',
    measures.parseHeight,
    {
      '5\' 10" (1.78 m)': 178,
      '5\' 10" (1.8 m)': 180,
      '6\' 0"': 183,
      '5′ 4″': 163,
      '5 ft 10 in (178 cm)': 178,
      '雄 全高:约105cm　雌 全高:约105cm': 105,
      '174cm': 174,
      '1.6m': 160,
    },
  ],
  [
    'weight',
    measures.parseWeight,
    { '175 lbs (80 kg)': 80, '175 lbs': 79, '16-25吨': 16000, '46 kg': 46 },
  ],
  [
    'blood type',
    measures.parseBloodType,
    {
      'O 型': 'O',
      'AB 型': 'AB',
      AB型Rh阴性: 'AB',
      'AB（RH阴性）': 'AB',
      'B（Rh阴）': 'B',
      'A型(自称)': undefined,
      '不明（感觉像人类的O型）': undefined,
      草食种: undefined,
    },
  ],
  [
    'figure',
    figure,
    {
      '长7.02米/宽2.88米/高2.68米': undefined,
      '雄 全长:约229cm 脚的大小:约7cm 雌 全长:约208cm 脚的大小:约7cm': undefined,
      '全長263.0m 全幅38.9m 喫水10.4m': undefined,
      '胸围88 腰围58 臀围85 身高1.6m': '88/58/85',
      'B85 W56 H82': '85/56/82',
    },
  ],
  [
    'date',
    parseDate,
    {
      平成16年4月28日: '2004-04-28',
      昭和元年12月: '1926-12',
      令和2年: '2020',
      '2004年(平成16年)4月28日': '2004-04-28',
      '2004−04−28': '2004-04-28',
      '2004年4月下旬': '2004-04',
    },
  ],
  [
    'price',
    price,
    {
      港幣90元: [',90,HKD,'],
      人民币45元: [',45,CNY,'],
      '新台币 250 元': [',250,TWD,'],
      '定価：本体590円（税別）': [',590,JPY,false'],
      '1,980円～': [',1980,JPY,'],
      'US $9.99': [',9.99,USD,'],
      '￥39.90': [',39.9,CNY,'],
      'NT $720': [',720,TWD,'],
    },
  ],
  [
    'site',
    site,
    {
      'www.nitroplus.co.jp': 'http://www.nitroplus.co.jp',
      'frontwing.jp/top': 'http://frontwing.jp/top',
      'PC: www.example.com（終了）': 'http://www.example.com',
      'https://example.com/a': 'https://example.com/a',
      無し: undefined,
      'Ver. 1.2': undefined,
      'me@www.example.com': undefined,
    },
  ],
  [
    'volume of とある魔術の禁書目録',
    volume('とある魔術の禁書目録'),
    {
      とある魔術の禁書目録: '',
      'とある魔術の禁書目録(2)': 2,
      'とある魔術の禁書目録10 ある副題': 10,
      'とある魔術の禁書目録 SS': 'SS',
      'とある魔術の禁書目録 SS 2': 'SS2',
      とある魔術の禁書目録短編集2: '短編集2',
      'とある魔術の禁書目録 (前)': '前',
      'とある魔術の禁書目録（後）': '後',
      'とある魔術の禁書目録 上': '上',
    },
  ],
  [
    'volume of a series with digits',
    volume('86'),
    { '86': '', '86 2': 2, '86－エイティシックス－': '' },
  ],
  ['volume of 7SEEDS', volume('7SEEDS'), { '7SEEDS(35)': 35, '7SEEDS 外伝': '外伝' }],
  [
    'volume of another title',
    volume('涼宮ハルヒシリーズ'),
    { '涼宮ハルヒの驚愕 (前)': '前', '短編集 2': '短編集2' },
  ],
]

for (const [name, parse, values] of CASES)
  describe(name, () => {
    for (const [text, expected] of Object.entries(values))
      it(`is parsed from ${text}`, () => assert.deepEqual(parse(text), expected))
  })

describe('text of any kind', () => {
  const parseAll = (text: string) => {
    for (const [, parse] of CASES) parse(text)
    parseVolumeTitle(text)
  }
  for (const piece of [
    '1',
    ' ',
    '(',
    '1,',
    '1.',
    '¥(',
    '円 ',
    '(税',
    '第 ',
    'a.',
    'RH',
    '短編集',
    '平成',
  ])
    it(`is parsed in linear time: ${JSON.stringify(piece)}`, () =>
      assertLinear((size) => parseAll(`${piece.repeat(size / piece.length)}x`), 20_000))
})

describe('volumes of a series', () => {
  it('start with the book that has the series title and no number', async () => {
    const dump = await importFiles({
      subject: [
        { ...NOVEL, id: 1, name: '禁書', series: true },
        { ...NOVEL, id: 2, name: '禁書(2)' },
        { ...NOVEL, id: 3, name: '禁書' },
        { ...NOVEL, id: 4, name: '禁書22 副題' },
        { ...NOVEL, id: 5, name: '禁書 SS 2' },
      ],
      'subject-relations': [2, 3, 4, 5].map((id) => relation(1, 1003, id)),
    })
    assert.deepEqual(
      findImported(dump, 'light_novel', 1).links?.volumes?.map(({ ref }) => ref),
      ['3', '2', '4', '5'],
    )
    const fieldsOf = (id: number) => findImported(dump, 'light_novel_volume', id).fields
    assert.deepEqual(
      [3, 2, 4, 5].map((id) => [fieldsOf(id).volume_number, fieldsOf(id).volume_label]),
      [
        [1, undefined],
        [2, undefined],
        [22, undefined],
        [undefined, 'SS2'],
      ],
    )
  })
})

describe('a book with the title of its series and no number', () => {
  /** Returns the volume numbers of books with these titles in the series 禁書. */
  const numbersOf = async (...titles: string[]) => {
    const dump = await importFiles({
      subject: [
        { ...NOVEL, id: 1, name: '禁書', series: true },
        ...titles.map((name, index) => ({ ...NOVEL, id: index + 2, name })),
      ],
      'subject-relations': titles.map((_, index) => relation(1, 1003, index + 2)),
    })
    return titles.map(
      (_, index) => findImported(dump, 'light_novel_volume', index + 2).fields.volume_number,
    )
  }

  it('is volume 1 only if there is a volume 2', async () => {
    assert.deepEqual(await numbersOf('禁書', '禁書(2)'), [1, 2])
    assert.deepEqual(await numbersOf('禁書', '禁書(3)'), [undefined, 3])
  })

  it('has no number if volume 1 exists or another book has that title', async () => {
    assert.deepEqual(await numbersOf('禁書', '禁書(1)', '禁書(2)'), [undefined, 1, 2])
    assert.deepEqual(await numbersOf('禁書', '禁書', '禁書(2)'), [undefined, undefined, 2])
  })
})

describe('a galgame with a partial release date', () => {
  it('is released once the month or year has passed', async () => {
    const dates = ['2004', '2004-04', '2004-12', '2999', '2998-03', '発売中止']
    const dump = await importFiles({
      subject: dates.map((date, index) => ({
        ...GAME,
        id: index + 1,
        name: 'a',
        infobox: release(date),
      })),
    })
    assert.deepEqual(
      dates.map((_, index) => {
        const { fields } = findImported(dump, 'galgame', index + 1)
        return [
          fields.release_date,
          fields.release_date_tbd,
          fields.release_date_tbd_note,
          fields.dev_status,
        ]
      }),
      [
        [undefined, true, '2004', 'RELEASED'],
        [undefined, true, '2004-04', 'RELEASED'],
        [undefined, true, '2004-12', 'RELEASED'],
        [undefined, true, '2999', undefined],
        [undefined, true, '2998-03', undefined],
        [undefined, true, '発売中止', undefined],
      ],
    )
  })
})
