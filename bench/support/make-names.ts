import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SeededRandom } from '#test/seeded-random.ts'

const SAMPLE = fileURLToPath(new URL('../../sample/', import.meta.url))

type Chain = Map<string, string[]>
const END = '\n'

/** Maps each sequence of up to `length` characters in the names to the characters that follow it. */
function chainOf(names: string[], length: number): Chain {
  const chain: Chain = new Map()
  for (const name of names) {
    let before = ''
    for (const char of [...name, END]) {
      chain.set(before, [...(chain.get(before) ?? []), char])
      before = [...(before + char)].slice(-length).join('')
    }
  }
  return chain
}

/** Generates names with the character frequencies of the bundled sample. */
export function nameMaker(seed: number) {
  const random = new SeededRandom(seed)
  const names = sampleNames()
  const chains = Object.fromEntries(
    Object.entries(names).map(([script, texts]) => [
      script,
      chainOf(texts, script === 'latin' ? 3 : 1),
    ]),
  )
  return (script: 'japanese' | 'chinese' | 'latin', longest = 40): string => {
    const chain = chains[script] ?? new Map<string, string[]>()
    const length = script === 'latin' ? 3 : 1
    for (;;) {
      let name = ''
      for (let before = ''; [...name].length < longest;) {
        const next = random.pick(chain.get(before) ?? [END])
        if (next === END) break
        name += next
        before = [...(before + next)].slice(-length).join('')
      }
      if ([...name].length >= 2) return name
    }
  }
}

/** Returns pairs of adjacent characters: the most frequent ones, and the least frequent ones. */
export function pairsOf(names: string[], count: number): { common: string[]; rare: string[] } {
  const counts = new Map<string, number>()
  for (const name of names)
    for (const pair of new Set([...name].map((char, at, chars) => char + (chars[at + 1] ?? ''))))
      if (/^[\p{L}\p{N}]{2}$/u.test(pair)) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  const pairs = [...counts].toSorted((a, b) => b[1] - a[1]).map(([pair]) => pair)
  return { common: pairs.slice(0, count), rare: pairs.slice(-count) }
}

function sampleNames() {
  const lines = (file: string) => readFileSync(`${SAMPLE}${file}`, 'utf8').trim().split('\n')
  const japanese: string[] = []
  const chinese: string[] = []
  for (const file of ['subject', 'person', 'character'])
    for (const line of lines(`bangumi-archive/${file}.jsonlines`)) {
      const { name, name_cn } = JSON.parse(line) as { name?: string; name_cn?: string }
      if (name) japanese.push(name)
      if (name_cn) chinese.push(name_cn)
    }
  const columns = [
    'vndb/db/vn_titles',
    'vndb/db/chars_names',
    'vndb/db/staff_alias',
    'ranobedb/book_title.tsv',
    'ranobedb/series_title.tsv',
    'ranobedb/staff_alias.tsv',
  ]
    .flatMap(lines)
    .flatMap((line) => line.split('\t'))
    .filter((text) => text.length > 3 && !/^[vcps]?[\da-f]+$|\d{4}|^[a-z]{2}-[A-Z]/.test(text))
  japanese.push(
    ...columns.filter((text) => /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u.test(text)),
  )
  const latin = columns.filter((text) => /^[\p{sc=Latin}\p{N} '!:~,.-]+$/u.test(text))
  return { japanese, chinese, latin }
}
