import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes han-variants.txt from Unicode's Unihan database: `node src/search/text/make-han-variants.ts DIR`, where DIR holds
 * Unihan_Variants.txt and Unihan_OtherMappings.txt (of Unihan.zip; Debian's package `unicode-data` has them, compressed).
 */
const [dir = '.'] = process.argv.slice(2)

/** Fields whose characters are forms of the same one, whatever the text. */
const SAME = new Set([
  'kSimplifiedVariant',
  'kTraditionalVariant',
  'kZVariant',
  'kJinmeiyoKanji',
  'kJoyoKanji',
])

/**
 * Library codes that put the forms of one character at the same place of parallel planes, six planes a layer: the
 * traditional form in the first layer, simplified, Japanese and older ones above. From the tenth layer on they are unrelated.
 */
const LAYERED = ['kEACC', 'kCCCII']
const [FIRST_PLANE, PLANES_A_LAYER, LAYERS] = [0x21, 6, 9]

/** Characters that an old print mixed up with others that are common today. */
const APART = new Set('衟刾讌')

/** Forms that no field of Unihan leads to, or only one that is too loose to be trusted. */
const BY_HAND =
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

/** The characters everybody uses today, in Japan and in China: each of them means something of its own. */
const COMMON = [
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
  if (SAME.has(field))
    for (const [code] of value.matchAll(/U\+[0-9A-F]+/g)) unite(char, parseChar(code))
  // Two dictionaries that agree; one alone often means a single sense, or a loan in old texts.
  if (field === 'kSemanticVariant')
    for (const [code = '', dictionaries = ''] of value
      .split(' ')
      .map((variant) => variant.split('<')))
      if (dictionaries.includes(',')) uniteRare(char, parseChar(code))
}
for (const field of LAYERED)
  for (const forms of layersOf(field))
    for (const form of forms.slice(1)) uniteRare(forms[0] ?? '', form)
for (const pair of BY_HAND.split(' ')) unite(...pair)

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

/** Puts two characters and all that is one with them into one class, for which its first stands. */
function unite(one = '', other = ''): void {
  const [first = '', second = ''] = [rootOf(one), rootOf(other)].toSorted(byUse)
  if (first !== second) parents.set(second, first)
}

/** The same, unless both are common in one country: there a looser source has them for two. */
function uniteRare(one: string, other: string): void {
  if (APART.has(one) || APART.has(other)) return
  if (!COMMON.some((common) => common.has(one) && common.has(other))) unite(one, other)
}

/** What Japan and China commonly use before all else, then the first and largest block, then by number. */
function byUse(one: string, other: string): number {
  return rank(one) - rank(other) || (one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)
}

/** What 16 bits do not hold stands for nothing that they hold: readers of the table count on it. */
function rank(char: string): number {
  const isShort = char.length === 1
  const place = COMMON.findIndex((common) => isShort && common.has(char))
  if (place !== -1) return place
  return char >= '\u4e00' && char <= '\u9fff' ? COMMON.length : COMMON.length + (isShort ? 1 : 2)
}

/** The forms at one place of all planes, from the lowest layer on. */
function layersOf(field: string): string[][] {
  const places = rows
    .filter((row) => row.field === field)
    .flatMap(({ char, value }) =>
      value.split(' ').map((code) => {
        const offset = Number.parseInt(code.slice(0, 2), 16) - FIRST_PLANE
        const place = `${offset % PLANES_A_LAYER} ${code.slice(2)}`
        return { char, place, layer: Math.floor(offset / PLANES_A_LAYER) }
      }),
    )
    .filter(({ layer }) => layer < LAYERS)
    .toSorted((a, b) => a.layer - b.layer)
  return [...Map.groupBy(places, ({ place }) => place).values()].map((forms) => forms.map(charOf))
}
