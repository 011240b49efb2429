import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const FOLDER = fileURLToPath(new URL('.', import.meta.url))

describe('a patch of the OpenID provider', async () => {
  const files = (await readdir(FOLDER)).filter(
    (file) => file !== 'patch-provider.ts' && !file.endsWith('.test.ts'),
  )
  const list = await readFile(`${FOLDER}patch-provider.ts`, 'utf8')

  for (const file of files)
    it(`names its upstream change and its tests, and is applied: ${file}`, async () => {
      const text = await readFile(`${FOLDER}${file}`, 'utf8')
      assert.match(text, /^ \* Upstream: \S/m)
      const [, line = ''] = /^ \* Tests: (.+)$/m.exec(text) ?? []
      const tests = [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
      assert.ok(tests.length > 0)
      for (const name of tests) assert.ok(existsSync(`${ROOT}${name}`), name)
      const [, patch] = new RegExp(`import \\{ (\\w+) \\} from './${file}'`).exec(list) ?? []
      assert.match(list, new RegExp(`^  ${patch}\\(provider`, 'm'))
    })
})
