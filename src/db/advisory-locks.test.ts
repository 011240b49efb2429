import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ADVISORY_LOCKS } from './advisory-locks.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REGISTRY = 'src/db/advisory-locks.ts'

/** Tests that may take locks with their own statements. */
const CALL_LOCKS: Record<string, string> = {
  'src/db/embedded/socket/sessions.test.ts': 'plays a client that leaves a lock behind',
  'src/desk/races.test.ts':
    'takes a lock on a connection without Kysely, by its key in the registry',
  'src/site/pictures/signed-routes.test.ts':
    'stops a function that it defines itself, by a key of its own',
  'src/webhooks/several-services.test.ts':
    'stops a transaction by a trigger that it defines itself, by a key of its own',
  'test/health.test.ts':
    'stops a migration by a trigger that it defines itself, by a key of its own',
}

describe('advisory locks', async () => {
  const texts = new Map<string, string>()
  for await (const file of glob(['{src,bin,build,bench,test}/**/*.ts', 'migrations/*.sql'], {
    cwd: ROOT,
  }))
    texts.set(file, await readFile(`${ROOT}/${file}`, 'utf8'))

  it('have distinct keys', () => {
    const keys = Object.values(ADVISORY_LOCKS)
    assert.equal(new Set<number>(keys).size, keys.length)
  })

  it('are taken only through the registry', () => {
    const files = [...texts].filter(([, text]) => /pg_(try_)?advisory_(?!unlock)\w*lock/.test(text))
    assert.deepEqual(
      files
        .map(([file]) => file)
        .filter((file) => file !== 'src/db/described.ts')
        .toSorted(),
      [REGISTRY, ...Object.keys(CALL_LOCKS)].toSorted(),
    )
  })

  it('have keys that occur in no other file', () => {
    const keys = Object.values(ADVISORY_LOCKS).map(
      (key) => new RegExp(String(key).replace(/^7301/, '7_?301_?')),
    )
    const files = [...texts].filter(([, text]) => keys.some((key) => key.test(text)))
    assert.deepEqual(
      files.map(([file]) => file),
      [REGISTRY],
    )
  })
})
