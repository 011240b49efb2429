import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { temporaryFolder } from '#test/program.ts'
import { settingFaults } from '#test/settings.ts'
import { readConfig } from './config.ts'

describe('a secret in a file', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  it('is read from the file named by NAME_FILE, without the trailing line break', () => {
    const file = join(path, 'key')
    const key = 'k'.repeat(40)
    writeFileSync(file, `${key}\n`)
    assert.equal(readConfig({ SECRET_KEY_FILE: file }).secretKey, key)
    writeFileSync(file, 'postgres://user:sesame@host/database\n')
    assert.equal(
      readConfig({ DATABASE_URL_FILE: file }).databaseUrl,
      'postgres://user:sesame@host/database',
    )
  })

  it('is the only kind of setting that is read from a file', () => {
    const file = join(path, 'port')
    writeFileSync(file, '4711')
    assert.equal(readConfig({ PORT_FILE: file }).port, 14_790)
  })

  it('is rejected if it is also set directly, or if the file is unreadable or invalid, and is never printed', () => {
    const file = join(path, 'wrong')
    writeFileSync(file, 'sesame')
    assert.deepEqual(settingFaults({ SECRET_KEY: 'k'.repeat(40), SECRET_KEY_FILE: file }), [
      'SECRET_KEY and SECRET_KEY_FILE are both set. Keep one of them.',
    ])
    const [missing, wrong] = [join(path, 'missing'), settingFaults({ SECRET_KEY_FILE: file })]
    assert.match(
      settingFaults({ SMTP_URL_FILE: missing }).join('\n'),
      /^SMTP_URL_FILE is ".*missing", which cannot be read: ENOENT/,
    )
    assert.match(wrong.join('\n'), /^SECRET_KEY must be at least 32 characters long/)
    assert.doesNotMatch(wrong.join('\n'), /sesame/)
  })
})
