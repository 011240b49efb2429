import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { conformanceTable, PLANS } from './modules.ts'

const FILES = [
  'basic.test.ts',
  'basic-requests.test.ts',
  'config.test.ts',
  'rp-initiated-logout.test.ts',
]

/** Extracts the module names of the tests in a file. A name with `${…}` becomes a pattern. */
const namesIn = (file: string) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return [...text.matchAll(/\bit\(\s*['`](oidcc-[^:]+):/g)].map(([, name = '']) => ({
    file: `test/oidc/${file}`,
    name: new RegExp(`^${name.replace(/\$\{\w+\}/g, '[a-z-]+')}$`),
  }))
}

describe('conformance modules', () => {
  const tests = FILES.flatMap(namesIn)
  const modules = PLANS.flatMap((plan) => Object.keys(plan.modules))
  // An exact name takes precedence over a pattern.
  const testOf = (module: string) =>
    tests.find(({ name }) => name.source === `^${module}$`) ??
    tests.find(({ name }) => name.test(module))

  it('each have a test, and each test belongs to a module', () => {
    for (const module of modules) assert.ok(testOf(module), `no test of ${module}`)
    for (const { name } of tests)
      assert.ok(
        modules.some((module) => name.test(module)),
        `${name} is no module`,
      )
  })

  it('are listed in docs/conformance.md', () => {
    const documented = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8')
    assert.equal(
      documented,
      conformanceTable((module) => testOf(module)?.file ?? ''),
      'docs/conformance.md should be this',
    )
  })
})
