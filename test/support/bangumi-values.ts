import { readFileSync } from 'node:fs'
import type { InfoboxItem } from '../../src/sources/bangumi/infobox/infobox.ts'

/** All distinct values of each key in real infoboxes. A labeled value is `label|value`. */
const real: { values: Record<string, string[]> } = JSON.parse(
  readFileSync(
    new URL('../../src/sources/bangumi/fixtures/field-values.json', import.meta.url),
    'utf8',
  ),
)

/** Returns the real values of a key. */
export function realItems(key: string): InfoboxItem[] {
  return (real.values[key] ?? []).map((text) => {
    const bar = text.indexOf('|')
    return { label: text.slice(0, Math.max(bar, 0)), value: text.slice(bar + 1) }
  })
}

/** Returns the real values of a key that a parser cannot interpret. */
export function unreadable(key: string, parse: (text: string) => unknown): string[] {
  return realItems(key)
    .map(({ value }) => value)
    .filter((value) => parse(value) === undefined)
}
