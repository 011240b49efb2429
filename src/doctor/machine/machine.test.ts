import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { codesOf, examineInstallation, findingOf } from '#test/examination.ts'
import { temporaryFolder } from '#test/program.ts'
import { fault } from '../finding.ts'

const { path, remove } = temporaryFolder()
after(remove)

const examineMachine = (options: Partial<Parameters<typeof examineInstallation>[0]> = {}) =>
  examineInstallation({
    database: { databaseUrl: undefined, dataDir: path },
    db: fault('database.cannot_open'),
    ...options,
  })

describe('the check of the settings', () => {
  const codes = async (environment: NodeJS.ProcessEnv) =>
    codesOf(await examineMachine({ environment }), 'settings')
  const PUBLIC = {
    AUTH_URL: 'https://id.invalid',
    TRUSTED_PROXIES: '1',
    SECRET_KEY: 'k'.repeat(40),
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@id.invalid',
  }

  it('finds nothing in a private or a complete public installation', async () => {
    assert.deepEqual(await codes({}), [])
    assert.deepEqual(await codes(PUBLIC), [])
  })

  for (const [name, environment, expected] of [
    ['a missing SECRET_KEY', { ...PUBLIC, SECRET_KEY: '' }, ['error settings.no_secret_key']],
    ['a missing SMTP_URL', { ...PUBLIC, SMTP_URL: '' }, ['warning settings.no_mail_server']],
    ['untrusted proxies', { ...PUBLIC, TRUSTED_PROXIES: '0' }, ['warning settings.no_proxies']],
    [
      'different schemes',
      { ...PUBLIC, API_URL: 'http://api.invalid' },
      ['error settings.mixed_schemes'],
    ],
    ['a local sender', { ...PUBLIC, MAIL_FROM: '' }, ['warning settings.local_sender']],
    [
      'a public URL without encryption',
      { ...PUBLIC, AUTH_URL: 'http://id.invalid' },
      ['error settings.plain_http'],
    ],
    [
      'a public host with a local URL',
      { ...PUBLIC, AUTH_URL: '', HOST: '0.0.0.0' },
      ['error settings.local_url'],
    ],
    ['names that have no effect', { TRUSTED_PROXIED: '1' }, ['warning settings.misspelled']],
  ] as [string, NodeJS.ProcessEnv, string[]][])
    it(`finds ${name}`, async () => assert.deepEqual(await codes(environment), expected))

  it('finds unknown names in .env, and the demo of a public installation', async () => {
    const folder = join(path, 'demo')
    mkdirSync(folder)
    writeFileSync(join(folder, '.env'), 'FLAVOUR=sweet\n', { mode: 0o600 })
    writeFileSync(join(folder, 'demo.json'), '{}', { mode: 0o600 })
    const results = await examineMachine({
      database: { databaseUrl: undefined, dataDir: folder },
      environment: PUBLIC,
    })
    assert.deepEqual(codesOf(results, 'settings'), [
      'warning settings.unknown',
      'warning settings.demo',
    ])
  })
})

describe('the checks of the machine', () => {
  it('find secrets that others can read, and a data directory that others can write', async () => {
    const file = join(path, 'key')
    writeFileSync(file, 'k'.repeat(40))
    const environment = { SECRET_KEY: '', SECRET_KEY_FILE: file }
    const codes = async () => codesOf(await examineMachine({ environment }), 'files')
    chmodSync(path, 0o700)
    chmodSync(file, 0o644)
    assert.deepEqual(await codes(), ['warning files.secret_readable'])
    chmodSync(file, 0o600)
    assert.deepEqual(await codes(), [])
    chmodSync(path, 0o777)
    assert.deepEqual(await codes(), ['warning files.data_dir_writable'])
    chmodSync(path, 0o700)
    const results = await examineMachine({
      database: { databaseUrl: undefined, dataDir: join(file, 'below-a-file') },
    })
    assert.deepEqual(codesOf(results, 'files'), ['error files.data_dir_unusable'])
  })

  it('find a full disk and a low limit of open files', async () => {
    const free = async (freeDiskBytes: [number, number]) =>
      codesOf(await examineMachine({ limits: { freeDiskBytes } }), 'disk')
    assert.deepEqual(await free([0, 0]), [])
    assert.deepEqual(await free([2 ** 60, 0]), ['warning disk.low'])
    assert.deepEqual(await free([2 ** 60, 2 ** 60]), ['error disk.full'])
    const results = await examineMachine({ environment: { MAX_CONNECTIONS: '1000000' } })
    const allowed = findingOf(results, 'process.few_files')?.params?.['allowed']
    assert.ok(allowed === undefined || Number(allowed) < 1_000_000)
  })
})
