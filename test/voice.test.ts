import assert from 'node:assert/strict'
import { glob } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { faultOf, passagesOf } from '#test/prose.ts'

const ROOT = new URL('..', import.meta.url)

const FILES = [
  '{src,bin,build,bench,test,examples}/**/*.{ts,js}',
  'src/**/*.css',
  'migrations/*.sql',
  'src/i18n/locales/en/**/*.{json,md}',
  '*.md',
  'docs/**/!(interface).md',
]

/** Files and folders whose text still has to be rewritten. */
const UNREVISED: string[] = [
  'bin/explain-failure.ts',
  'bin/login.test.ts',
  'docs/decisions/0004-what-sources-say.md',
  'docs/operations.md',
  'src/apps/queries.ts',
  'src/apps/two-secrets.test.ts',
  'src/browse/entry-summary-sql.ts',
  'src/browse/lookup/external-keys.ts',
  'src/console/try/try-routes.ts',
  'src/db/row-copier.ts',
  'src/db/upkeep/take-turn.ts',
  'src/desk/log/log-filter.ts',
  'src/operations/take-port.ts',
  'src/operations/workers/primary.ts',
  'src/search/find-hits.test.ts',
  'src/search/hit-summary-queries.ts',
  'src/search/index/rebuild.ts',
]

/** Passages that may use such a phrase: part of the passage, with the reason. */
const ALLOWED: Record<string, string> = {}

describe('English', () => {
  it('uses sentences and the standard terms in comments, test names, pages and docs', async () => {
    const faults: string[] = []
    const used = new Set<string>()
    for await (const file of glob(FILES, { cwd: ROOT })) {
      if (UNREVISED.some((place) => file.startsWith(place))) continue
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
