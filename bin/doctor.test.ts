import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startMailServer } from '#test/mail-server.ts'
import { mokuroku, startProgram, temporaryFolder } from '#test/program.ts'
import { runCommand } from '#test/run-command.ts'
import { startService, type TestService } from '#test/service.ts'

type CheckJson = {
  id: string
  status: string
  findings: { code: string; problem: string; advice: string; detail?: string }[]
}
// as: the command prints this
const parse = (output: string) => JSON.parse(output) as CheckJson[]
const codesIn = (output: string) =>
  parse(output).flatMap(({ findings }) => findings.map(({ code }) => code))

describe('mokuroku doctor', () => {
  let service: TestService
  const { path, remove } = temporaryFolder()
  before(async () => (service = await startService({ content: 'empty' })))
  after(async () => {
    await service.close()
    remove()
  })

  const environment = (): NodeJS.ProcessEnv => ({
    HOST: '127.0.0.1',
    PORT: String(service.config.port),
    DATA_DIR: path,
    DATABASE_URL: service.config.databaseUrl,
    MAX_CONNECTIONS: '100',
  })
  const doctor = (more: NodeJS.ProcessEnv = {}, ...args: string[]) =>
    runCommand(['doctor', ...args], { environment: { ...environment(), ...more } })

  it('finds nothing wrong with a healthy installation, and exits with status 0', async () => {
    const { status, output, errors } = await doctor()
    assert.deepEqual([status, errors], [0, ''])
    assert.ok(output.split('\n').length > 15)
    for (const line of output.trimEnd().split('\n')) assert.match(line, /^✓ [A-Z]/)
  })

  it('exits with status 1 after warnings, and 2 after errors', async () => {
    const warned = await doctor({ DATABASE_POOL_SIZE: '100', WORKERS: '9' }, '--json')
    assert.deepEqual([warned.status, warned.errors], [1, '0 errors, 1 warning.\n'])
    assert.deepEqual(codesIn(warned.output), ['server.few_connections'])
    const failed = await doctor({ REDIS_URL: 'redis://127.0.0.1:1' })
    assert.deepEqual([failed.status, failed.errors], [2, '1 error, 0 warnings.\n'])
    assert.match(
      failed.output,
      /^✗ Redis server\n {4}✗ The Redis server in REDIS_URL cannot be used: nothing listens there\..*\n {6}Start Redis, or correct REDIS_URL\.\n/m,
    )
  })

  it('reports invalid settings as findings', async () => {
    const { status, output } = await doctor({ PORT: 'x', SECRET_KEY: 'x' }, '--json')
    assert.equal(status, 2)
    assert.deepEqual(codesIn(output), ['settings.invalid', 'settings.invalid'])
    assert.match(output, /PORT must be a whole number from 0 to 65535, not \\"x\\"\./)
  })

  it('works without the database, and prints no password', async () => {
    const { status, output } = await doctor({
      DATABASE_URL: 'postgres://user:sesame@127.0.0.1:1/d',
    })
    assert.equal(status, 2)
    assert.match(output, /^✓ Settings$/m)
    assert.match(output, /^✗ Database$/m)
    assert.match(output, /^– Signing keys: skipped because of the problem above$/m)
    assert.doesNotMatch(output, /sesame/)
  })

  it('prints no color unless the output is a terminal', async () => {
    const { output } = await mokuroku(['doctor'], { environment: environment() })
    assert.ok(!output.includes('\u001b'), output)
  })

  it('compares the number of connections with the open file limit of its process', async () => {
    const { output } = await startProgram(
      ['bash', '-c', 'ulimit -n 600 && exec node dist/mokuroku.js doctor --json'],
      { environment: { ...environment(), MAX_CONNECTIONS: '1000' } },
    ).ended
    assert.deepEqual(codesIn(output), ['process.few_files'])
  })

  it('creates no embedded database, and reports a missing one', async () => {
    const without = { DATABASE_URL: '', AUTH_URL: service.url, PORT: '0' }
    assert.deepEqual(codesIn((await doctor(without, '--json')).output), ['database.none'])
    writeFileSync(join(path, 'demo.json'), '{}', { mode: 0o600 })
    const lost = parse((await doctor(without, '--json')).output)
    rmSync(join(path, 'demo.json'))
    const [finding] = lost.flatMap(({ findings }) => findings)
    assert.equal(finding?.code, 'database.cannot_open')
    assert.match(finding?.detail ?? '', /was used before .* but its database in .* is missing/)
  })
})

describe('mokuroku config', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  it('prints values and sources in the order of the documentation, without secrets', async () => {
    const key = join(path, 'key')
    writeFileSync(key, 'k'.repeat(40))
    writeFileSync(join(path, '.env'), 'LOG_LEVEL=warn\nPORT=1234\n')
    const environment = {
      LOG_LEVEL: undefined,
      PORT: '4711',
      SECRET_KEY: undefined,
      SECRET_KEY_FILE: key,
      DATABASE_URL: 'postgres://user:sesame@host/d',
      VNDB_DUMP_URL: 'https://user:sesame@dumps.example/a',
    }
    const { status, output } = await mokuroku(['config'], { environment, cwd: path })
    assert.equal(status, 0)
    const rows = output
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    assert.deepEqual(rows.slice(0, 3), [
      ['setting', 'value', 'source'],
      ['HOST', 'localhost', 'default'],
      ['PORT', '4711', 'environment'],
    ])
    for (const row of [
      ['AUTH_URL', 'http://localhost:4711', 'default'],
      ['LOG_LEVEL', 'warn', '.env'],
      ['SECRET_KEY', 'set', key],
      ['DATABASE_URL', 'set', 'environment'],
      ['REDIS_URL', 'not set', 'default'],
      ['VNDB_DUMP_URL', 'https://…@dumps.example/a', 'environment'],
    ])
      assert.ok(
        rows.some((other) => other.join() === row.join()),
        row.join(),
      )
    assert.doesNotMatch(output, /sesame|kkk/)
    const json = await mokuroku(['config', '--json'], { environment, cwd: path })
    assert.doesNotMatch(json.output, /sesame|kkk/)
    // as: the command prints this
    const settings = JSON.parse(json.output) as Record<string, unknown>[]
    assert.deepEqual(
      settings.find(({ name }) => name === 'SECRET_KEY'),
      { name: 'SECRET_KEY', secret: true, set: true, source: 'file', file: key },
    )
  })

  it('lists the sources even if a setting is invalid, and exits with status 2', async () => {
    const { status, output, errors } = await runCommand(['config'], { environment: { PORT: 'x' } })
    assert.equal(status, 2)
    assert.match(output, /^PORT +x +environment$/m)
    assert.match(errors, /^PORT must be a whole number/)
  })
})

describe('mokuroku mail test', () => {
  const test = (environment: NodeJS.ProcessEnv, address = 'me@example.org') =>
    runCommand(['mail', 'test', address], { environment })

  it('sends an email and prints the server’s response', async () => {
    const server = await startMailServer()
    try {
      const { status, output } = await test({ SMTP_URL: server.url })
      assert.deepEqual(
        [status, /^The mail server accepted the email for me@example\.org: 250 .*\n$/.test(output)],
        [0, true],
      )
      const [mail] = server.received
      assert.deepEqual(mail?.to, ['me@example.org'])
      assert.match(mail.headers, /^Subject: mokuroku: Test mail$/m)
      server.refuse(1)
      const refused = await test({ SMTP_URL: server.url })
      assert.deepEqual([refused.status, refused.output], [1, ''])
      assert.match(refused.errors, /^The mail server rejects the email\. [^\n]+Not now[^\n]*\n$/)
    } finally {
      await server.close()
    }
  })

  it('requires an address and a mail server', async () => {
    const wrong = await test({}, 'nobody')
    assert.deepEqual([wrong.status, wrong.errors], [2, 'nobody is not an email address.\n'])
    const none = await test({})
    assert.equal(none.status, 1)
    assert.match(none.errors, /^SMTP_URL is not set, so no mail is sent\./)
  })
})
