import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { SKIPPED_WITHOUT_NEWER_DEBIAN, SKIPPED_WITHOUT_ROOT } from './allowed-skips.ts'

describe('the lists of tests that may be skipped', () => {
  it('contain only names of existing tests', async () => {
    for (const list of [SKIPPED_WITHOUT_NEWER_DEBIAN, SKIPPED_WITHOUT_ROOT])
      for (const [file, names] of Object.entries(list)) {
        const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
        for (const name of names) assert.ok(text.includes(`'${name}'`), `${file}: ${name}`)
      }
  })
})
