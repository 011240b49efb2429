import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { describeSettings, readConfig } from './config.ts'
import { describeSettingsFiles } from './describe-settings.ts'

describe('the settings documentation', async () => {
  for (const { path, text } of await describeSettingsFiles())
    it(`is up to date in ${fileURLToPath(path).split('/').at(-1)} (else: npm run settings)`, async () => {
      assert.equal(await readFile(path, 'utf8'), text)
    })

  it('keeps every default if .env.example is copied unmodified', async () => {
    const lines = (await readFile(new URL('../../.env.example', import.meta.url), 'utf8')).split(
      '\n',
    )
    assert.deepEqual(
      lines.filter((line) => line !== '' && !line.startsWith('#')),
      [],
    )
  })

  it('shows each setting with a value that parses to its default', async () => {
    const example = await readFile(new URL('../../.env.example', import.meta.url), 'utf8')
    const environment = Object.fromEntries(
      [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    )
    assert.deepEqual(
      Object.keys(environment),
      describeSettings().map(({ name }) => name),
    )
    assert.deepEqual(readConfig(environment), readConfig({}))
  })
})
