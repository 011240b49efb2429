import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Generates han-variants.txt from Unicode's Unihan database. Usage: `node src/search/text/make-han-variants.ts
 * DIR`, where DIR contains Unihan_Variants.txt and Unihan_OtherMappings.txt (from Unihan.zip or, compressed,
 * Debian's package `unicode-data`).
 */
const [dir = '.'] = process.argv.slice(2)

/** Fields that link forms of the same character, regardless of context. */
const SAME_CHARACTER_FIELDS = new Set([
  'kSimplifiedVariant',
  'kTraditionalVariant',
  'kZVariant',
  'kJinmeiyoKanji',
  'kJoyoKanji',
])

/**
 * Library codes that place the forms of a character at the same position of parallel planes, six planes to a layer.
 * The first layer contains the traditional form; higher layers contain simplified, Japanese and older forms. From the
 * tenth layer on, positions are unrelated.
 */
const LAYERED_FIELDS = ['kEACC', 'kCCCII']
const [FIRST_PLANE, PLANES_PER_LAYER, LAYERS] = [0x21, 6, 9]

/** Rare characters that old prints confused with common ones. These characters are never merged. */
const NEVER_MERGED = new Set('衟刾讌')

/** Variants that Unihan lacks or lists only in unreliable fields. */
const MANUAL_VARIANTS =
  '姫姬 予豫 弁辨 弁辯 鴎鷗 崎﨑 高髙 吉𠮷 噛嚙 蝋蠟 倶俱 歳歲 瓶甁 閲閱 掻搔 鹸鹼 醤醬 焔焰 楡榆 騨驒 沈沉 弐貳 ' +
  '讚赞 蘇甦 託托 週周 崑昆 姐姊 蠍蝎 劎剑 劒剑 鎗枪 燐磷 痲麻 唸念 妳你'

const rows = ['Unihan_Variants.txt', 'Unihan_OtherMappings.txt'].flatMap((file) =>
  readFileSync(join(dir, file), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [char, field, value] = line.split('\t')
      return char && field && value ? [{ char: parseChar(char), field, value }] : []
    }),
)

/** Characters in common use, in Japan and in China. Each of them has a distinct meaning. */
const COMMON_CHARACTERS = [
  new Set(
    rows
      .filter(({ field, value }) => field === 'kJoyoKanji' && !value.startsWith('U+'))
      .map(charOf),
  ),
  new Set(
    rows
      .filter(({ field, value }) => field === 'kTGH' && Number(/:(\d+)/.exec(value)?.[1]) <= 6500)
      .map(charOf),
  ),
]

const parents = new Map<string, string>()
for (const { char, field, value } of rows) {
  if (SAME_CHARACTER_FIELDS.has(field))
    for (const [code] of value.matchAll(/U\+[0-9A-F]+/g)) mergeClasses(char, parseChar(code))
  // Two dictionaries must agree. A single dictionary may list a variant for one sense only, or a loan character in old
  // texts.
  if (field === 'kSemanticVariant')
    for (const [code = '', dictionaries = ''] of value
      .split(' ')
      .map((variant) => variant.split('<')))
      if (dictionaries.includes(',')) mergeUnlessBothCommon(char, parseChar(code))
}
for (const field of LAYERED_FIELDS)
  for (const forms of layersOf(field))
    for (const form of forms.slice(1)) mergeUnlessBothCommon(forms[0] ?? '', form)
for (const pair of MANUAL_VARIANTS.split(' ')) mergeClasses(...pair)

const classes = Map.groupBy(parents.keys(), rootOf)
const lines = [...classes].map(([root, others]) => root + others.toSorted(byUse).join(''))
writeFileSync(
  join(import.meta.dirname, 'han-variants.txt'),
  `${lines.toSorted((a, b) => byUse(a, b)).join('\n')}\n`,
)

function charOf({ char }: { char: string }): string {
  return char
}

function parseChar(code: string): string {
  return String.fromCodePoint(Number.parseInt(code.slice(2), 16))
}

function rootOf(char: string): string {
  let root = char
  for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up
  return root
}

/** Merges the classes of two characters. The character that is first in order of use represents the class. */
function mergeClasses(one = '', other = ''): void {
  const [first = '', second = ''] = [rootOf(one), rootOf(other)].toSorted(byUse)
  if (first !== second) parents.set(second, first)
}

/** Merges two characters, unless both are common in the same country, where they have different meanings. */
function mergeUnlessBothCommon(a: string, b: string): void {
  if (NEVER_MERGED.has(a) || NEVER_MERGED.has(b)) return
  if (!COMMON_CHARACTERS.some((common) => common.has(a) && common.has(b))) mergeClasses(a, b)
}

/**
 * Orders characters by use: common ones in Japan, then in China, then the first and largest block, then by code point.
 */
function byUse(a: string, b: string): number {
  return rank(a) - rank(b) || (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)
}

/** Ranks characters beyond 16 bits last, because `han-variants.ts` requires a 16-bit representative. */
function rank(char: string): number {
  const isShort = char.length === 1
  const index = COMMON_CHARACTERS.findIndex((common) => isShort && common.has(char))
  if (index !== -1) return index
  return char >= '\u4e00' && char <= '\u9fff'
    ? COMMON_CHARACTERS.length
    : COMMON_CHARACTERS.length + (isShort ? 1 : 2)
}

/** Returns the characters at each position of the planes, lowest layer first. */
function layersOf(field: string): string[][] {
  const places = rows
    .filter((row) => row.field === field)
    .flatMap(({ char, value }) =>
      value.split(' ').map((code) => {
        const offset = Number.parseInt(code.slice(0, 2), 16) - FIRST_PLANE
        const index = `${offset % PLANES_PER_LAYER} ${code.slice(2)}`
        return { char, place: index, layer: Math.floor(offset / PLANES_PER_LAYER) }
      }),
    )
    .filter(({ layer }) => layer < LAYERS)
    .toSorted((a, b) => a.layer - b.layer)
  return [...Map.groupBy(places, ({ place: index }) => index).values()].map((forms) =>
    forms.map(charOf),
  )
}
