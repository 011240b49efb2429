import { readFileSync } from 'node:fs'
import type { InfoboxItem } from '../../src/sources/bangumi/infobox/infobox.ts'

/** Every distinct value that real infoboxes have for a key; a labelled one is `label|value`. For tests. */
const real: { values: Record<string, string[]> } = JSON.parse(
  readFileSync(
    new URL('../../src/sources/bangumi/fixtures/field-values.json', import.meta.url),
    'utf8',
  ),
)

/** The real values of a key. */
export function realItems(key: string): InfoboxItem[] {
  return (real.values[key] ?? []).map((text) => {
    const bar = text.indexOf('|')
    return { label: text.slice(0, Math.max(bar, 0)), value: text.slice(bar + 1) }
  })
}

/** The real values of a key out of which a parser can read nothing. */
export function unreadable(key: string, parse: (text: string) => unknown): string[] {
  return realItems(key)
    .map(({ value }) => value)
    .filter((value) => parse(value) === undefined)
}
