import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parsePrices } from './prices.ts'
import { realItems } from '#test/bangumi-values.ts'

const pricesOf = (value: string, label = '') => parsePrices({ label, value })

describe('parsePrices', () => {
  it('finds an amount in every real price, and its currency if stated', () => {
    for (const [key, count, silent] of [
      ['价格', 106, ['140元', '229钻石（22.9元）']],
      [
        '售价',
        26,
        [
          '免費',
          '¥ 133(Steam - CLANNAD HD Edition)',
          '基本無料（アイテム課金制）',
          '9,240 (税抜8,800)',
          '免费',
          '無料',
        ],
      ],
    ] as const) {
      const items = realItems(key)
      assert.equal(items.length, count)
      assert.deepEqual(
        items.filter((item) => parsePrices(item).every(({ amount }) => amount === null)),
        [],
      )
      const open = items.filter((item) =>
        parsePrices(item).some(({ currency }) => currency === null),
      )
      assert.deepEqual(
        open.map(({ value }) => value),
        silent,
      )
    }
  })

  for (const [text, version, amount, currency, tax] of [
    ['￥39.90', null, 39.9, 'CNY', null],
    ['￥ 560', null, 560, 'JPY', null],
    ['NTD 330', null, 330, 'TWD', null],
    ['₩16,000', null, 16000, 'KRW', null],
    ['JP¥979', null, 979, 'JPY', null],
    ['$34.99', null, 34.99, 'USD', null],
    ['159HKD', null, 159, 'HKD', null],
    ['140元', null, 140, null, null],
    ['737円（本体670円＋税）', null, 737, 'JPY', true],
    ['648円＋税', null, 648, 'JPY', false],
    ['¥(税込) 1728', null, 1728, 'JPY', true],
    ['期間生産限定盤 ￥4,070', '期間生産限定盤', 4070, 'JPY', null],
    ['7,500円(税別)(PC）', 'PC', 7500, 'JPY', false],
    ['PC DVD/CD ROM版：9240円(税込)', 'PC DVD/CD ROM版', 9240, 'JPY', true],
    ['税前：8,800日元', null, 8800, 'JPY', false],
    ['9,240 (税抜8,800)', null, 9240, null, true],
    ['Standard Edition 18,500円（税抜）', 'Standard Edition', 18500, 'JPY', false],
    ['免費', null, 0, null, null],
    ['基本無料（アイテム課金制）', null, 0, null, null],
    ['¥ 133(Steam - CLANNAD HD Edition)', 'Steam - CLANNAD HD Edition', 133, null, null],
  ] as const) {
    it(`parses ${text}`, () => {
      assert.deepEqual(pricesOf(text), [{ version, amount, currency, tax_included: tax }])
    })
  }

  it('parses two prices in one value', () => {
    const prices = pricesOf('8,800日元（日版）、99.99美元（美版）')
    assert.deepEqual(
      prices.map(({ version, amount, currency }) => [version, amount, currency]),
      [
        ['日版', 8800, 'JPY'],
        ['美版', 99.99, 'USD'],
      ],
    )
  })

  it('uses the label of a price as its version', () => {
    assert.deepEqual(pricesOf('NT$720', 'DOS'), [
      { version: 'DOS', amount: 720, currency: 'TWD', tax_included: null },
    ])
  })

  it('does not parse a quantity after a price as a second price', () => {
    assert.equal(pricesOf('8,800円、特典2枚').length, 1)
    assert.deepEqual(pricesOf('未定'), [])
  })
})
