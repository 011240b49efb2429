import type { Price } from '../../records/record-fields.ts'
import type { InfoboxItem } from './infobox.ts'
import { splitOutsideBrackets } from './name-list.ts'
import { toHalfWidth } from '../text.ts'

/** Currency signs and words after `toHalfWidth`. A sign that contains another sign comes first. */
const CURRENCIES: [mark: RegExp, currency: string | null][] = [
  [/JP ?¥|JPY|日元|日圆|日圓|円/, 'JPY'],
  [/CN ?¥|CNY|RMB|人民币|人民幣/, 'CNY'],
  [/NT ?\$|NTD|TWD|新?台币|新?台幣/, 'TWD'],
  [/HK ?\$|HKD|港币|港幣|港元/, 'HKD'],
  [/₩|KRW|韩元|韓元|원/, 'KRW'],
  [/€|EUR|欧元|歐元/, 'EUR'],
  [/£|GBP|英镑|英鎊/, 'GBP'],
  [/US ?\$|USD|美元|\$/, 'USD'],
  [/¥/, null],
  // This sign is used in both mainland China and Taiwan, so the currency is unknown.
  [/元|圆|圓/, null],
]

const CURRENCY_PATTERN = CURRENCIES.map(([mark]) => mark.source).join('|')
// Matches only at the start of a number. Otherwise, a long number would be tried from each of its digits.
const AMOUNT = String.raw`(?<!\d|\d[.,])(?<amount>\d[\d,]*(?:\.\d+)?)`
const MARKED = new RegExp(CURRENCY_PATTERN)
const PRICE_SHAPES = [
  new RegExp(String.raw`(?:${CURRENCY_PATTERN}) ?(?:\([^()]*\) ?)?${AMOUNT}(?: ?(?:円|元|圆|圓))?`),
  new RegExp(String.raw`${AMOUNT} ?(?:${CURRENCY_PATTERN})`),
  new RegExp(AMOUNT),
]

const TAX_INCLUDED = /税込|税后|含税|tax included/i
const TAX_EXCLUDED = /\+ ?税|税別|税别|税抜|税前|不含税|税外/
const FREE = /免費|免费|無料|free/i

/**
 * Parses the prices in an infobox value, which may list several (`8,800日元（日版）、99.99美元（美版）`).
 *
 * @returns amounts in major units of the currency, 0 for free. `currency` is null if unknown. `version` is the edition
 * or shop next to the price. `tax_included` is null if not stated.
 */
export function parsePrices({ label, value }: InfoboxItem): Price[] {
  return splitOutsideBrackets(toHalfWidth(value).replace(/\s+/g, ' '), '、;')
    .filter((text, index) => index === 0 || MARKED.test(text) || FREE.test(text))
    .map(parsePrice)
    .filter((price) => price !== undefined)
    .map((price) => ({ ...price, version: label || price.version }))
}

function parsePrice(text: string): Price | undefined {
  const found = PRICE_SHAPES.map((shape) => shape.exec(text)).find((match) => match !== null)
  if (!found) {
    if (!FREE.test(text)) return undefined
    return { version: null, amount: 0, currency: null, tax_included: null }
  }
  const [price] = found
  const behind = text.slice(found.index + price.length)
  return {
    version: versionIn(`${text.slice(0, found.index)} ${behind}`),
    amount: Number(found.groups?.['amount']?.replaceAll(',', '')),
    currency: currencyOf(price, text),
    tax_included: isTaxIncluded(text, behind),
  }
}

/**
 * Distinguishes yen and yuan, which share a sign. Only yuan have decimals. Steam sells in both currencies, so its
 * prices stay ambiguous.
 */
function currencyOf(found: string, text: string): string | null {
  const [mark, currency] = CURRENCIES.find(([mark]) => mark.test(found)) ?? []
  if (mark?.source !== '¥') return currency ?? null
  if (/\.\d/.test(found)) return 'CNY'
  return /steam/i.test(text) ? null : 'JPY'
}

/** In `737円(本体670円+税)`, a second amount without tax means that the first amount includes it. */
function isTaxIncluded(text: string, behind: string): boolean | null {
  if (TAX_INCLUDED.test(text)) return true
  if (/\([^()]*\d/.test(behind) && TAX_EXCLUDED.test(behind)) return true
  return TAX_EXCLUDED.test(text) ? false : null
}

/** Words before a price that only introduce it. */
const PRICE_WORDS = /^ ?(?:定価|定價|定价|価格|价格|價格|售价|售價|本体|[: ])+/

/** Returns the text around a price, without words about tax and without brackets. */
function versionIn(text: string): string | null {
  const version = text
    .replace(/\([^()]*\)/g, (bracket) => (/税|本体/.test(bracket) ? ' ' : bracket))
    .replace(PRICE_WORDS, ' ')
    .replace(/\+? ?税[別别抜込前后]*/g, ' ')
    .replace(/[()[\]:]/g, ' ')
    .replace(/ +/g, ' ')
    .replace(/^[ ~〜]+|(?<![ ~〜])[ ~〜]+$/g, '')
  return version || null
}
