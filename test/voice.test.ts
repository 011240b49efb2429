import assert from 'node:assert/strict'
import { glob } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { faultOf, passagesOf } from '#test/prose.ts'

const ROOT = new URL('..', import.meta.url)

const FILES = [
  '{src,bin,build,bench,test,examples}/**/*.{ts,js}',
  'src/**/*.css',
  'src/i18n/locales/en/**/*.{json,md}',
  '*.md',
  'openapi.json',
  'docs/**/!(interface).md',
]

/** Passages that may use such a phrase: part of the passage, with the reason. */
const ALLOWED: Record<string, string> = {}

describe('English', () => {
  it('uses sentences and the standard terms in comments, test names, pages and docs', async () => {
    const faults: string[] = []
    const used = new Set<string>()
    for await (const file of glob(FILES, { cwd: ROOT })) {
      for (const passage of await passagesOf(new URL(file, ROOT))) {
        const fault = faultOf(passage)
        if (fault === undefined) continue
        const allowed = Object.keys(ALLOWED).find((piece) => passage.text.includes(piece))
        if (allowed === undefined)
          faults.push(`${file}:${passage.line}: “${fault}”: ${passage.text}`)
        else used.add(allowed)
      }
    }
    assert.deepEqual(faults, [])
    assert.deepEqual(Object.keys(ALLOWED), [...used], 'an unneeded exception')
  })
})
