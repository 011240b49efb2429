import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { temporaryFolder } from '#test/program.ts'
import { findUnknownSettings } from './unknown-settings.ts'

describe('an unknown setting', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  it('is reported together with the setting it resembles', () => {
    for (const [name, setting] of [
      ['DATABSE_URL', 'DATABASE_URL'],
      ['SECRETKEY', 'SECRET_KEY'],
      ['TRUSTED_PROXIE', 'TRUSTED_PROXIES'],
      ['SECRET_KEY_FIEL', 'SECRET_KEY_FILE'],
      ['LOGLEVEL', 'LOG_LEVEL'],
    ] as const)
      assert.deepEqual(findUnknownSettings({ [name]: 'x' }, path), [
        `${name} is not a setting and has no effect. Did you mean ${setting}?`,
      ])
  })

  it('is ignored in the environment if it belongs to another program', () => {
    for (const name of [
      'APP_URL',
      'HOSTS',
      'IMAGE',
      'HOSTNAME',
      'PATH',
      'PORTS',
      'WORKER',
      'NODE_OPTIONS',
    ])
      assert.deepEqual(findUnknownSettings({ [name]: 'x' }, path), [], name)
    assert.deepEqual(findUnknownSettings({ REDIS_URI: 'x', REDIS_URL: 'redis://host' }, path), [])
  })

  it('is always reported in .env, regardless of its name', () => {
    writeFileSync(
      join(path, '.env'),
      'PORT=1\nFLAVOUR=sweet\nFOO=x\nHOTS=x\nLOG_LEVELS=info\nTZ=UTC\n',
    )
    assert.deepEqual(
      findUnknownSettings(
        { PORT: '1', FLAVOUR: 'sweet', FOO: 'x', HOTS: 'x', LOG_LEVELS: 'info', TZ: 'UTC' },
        path,
      ),
      [
        'FLAVOUR in .env is not a setting and has no effect.',
        'FOO in .env is not a setting and has no effect.',
        'HOTS in .env is not a setting and has no effect. Did you mean HOST?',
        'LOG_LEVELS in .env is not a setting and has no effect. Did you mean LOG_LEVEL?',
      ],
    )
  })
})
