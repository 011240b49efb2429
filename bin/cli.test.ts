import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { passwordMatches } from '../src/accounts/credentials/passwords.ts'
import { createDatabase } from '#test/databases.ts'
import { setUpOperator } from '#test/operator.ts'

import { CHECKOUT, mokuroku, requestToken, startMokuroku, temporaryFolder } from '#test/program.ts'

const SAMPLE = join(CHECKOUT, 'sample/ranobedb')

const { environment, run, runJson, query } = setUpOperator()

describe('mokuroku migrate', () => {
  it('prints the migrations it ran, and reports an up-to-date schema the second time', async () => {
    const own = await createDatabase('server', 'nothing')
    try {
      const options = { environment: { DATABASE_URL: own.databaseUrl } }
      const first = await mokuroku(['migrate', '--json'], options)
      // as: the test compares it with the output of another run
      const { ran: applied } = JSON.parse(first.output) as { ran: string[] }
      assert.equal(applied[0], '0001_kernel')
      assert.equal((await mokuroku(['migrate', '--json'], options)).output, '{"ran":[]}\n')
      assert.equal((await mokuroku(['migrate'], options)).output, 'The schema is up to date.\n')
    } finally {
      await own.remove()
    }
  })
})

describe('mokuroku migrate --distribute', () => {
  it('requires the extension, and a confirmation before it distributes', async () => {
    const own = await createDatabase('server', 'empty')
    const client = new pg.Client({ connectionString: own.databaseUrl })
    try {
      const options = { environment: { DATABASE_URL: own.databaseUrl }, input: '' }
      const plain = await mokuroku(['migrate', '--distribute'], options)
      assert.equal(plain.status, 1)
      assert.match(plain.output, /create_distributed_table\('ratings', 'account_id'\)/)
      assert.match(plain.errors, /create extension citus/)

      await client.connect()
      // A stand-in that fails, so that a run would show.
      await client.query(`
        create function create_distributed_table(added regclass, key text) returns void language plpgsql as
          $$ begin raise 'distributed'; end $$`)
      const unconfirmed = await mokuroku(['migrate', '--distribute'], options)
      assert.equal(unconfirmed.status, 2)
      assert.match(unconfirmed.errors, /Add --yes/)
      const { rows } = await client.query(
        `select from pg_constraint where conname = 'account_refs_id_fkey'`,
      )
      assert.equal(rows.length, 1, 'nothing has changed')
      const confirmed = await mokuroku(['migrate', '--distribute', '--yes'], options)
      assert.notEqual(confirmed.status, 0)
      assert.doesNotMatch(confirmed.errors, /--yes/)
      const { output } = await mokuroku(['migrate', '--help'], options)
      assert.match(output, /- libraries and statistics of users/)
    } finally {
      await client.end()
      await own.remove()
    }
  })
})

describe('mokuroku account create', () => {
  it('generates a password and prints it once', async () => {
    type Created = { id: number; password: string }
    const created = await runJson<Created>(['account', 'create', 'One@Example.org'])
    const { id, password } = created
    assert.deepEqual(created, { id, email: 'One@Example.org', name: 'One', password })
    assert.match(password, /^[\w-]{16}$/)
    const [row] = await query<{ password_hash: string }>(
      `select password_hash from accounts where id = ${id}`,
    )
    assert.equal(await passwordMatches(password, row?.password_hash ?? ''), true)
  })

  it('reads the password from standard input and does not print it', async () => {
    const { status, output, errors } = await run(
      ['account', 'create', 'two@example.org', '--name', 'Two', '--password-stdin'],
      'correct horse\n',
    )
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
    assert.match(output, /^Created account \d+ for two@example\.org\.\n$/)
    const [row] = await query<{ password_hash: string }>(
      `select password_hash from accounts where email = 'two@example.org'`,
    )
    assert.equal(await passwordMatches('correct horse', row?.password_hash ?? ''), true)
  })

  it('rejects the address of an existing account in any letter case', async () => {
    await runJson(['account', 'create', 'three@example.org'])
    const { status, output, errors } = await run([
      'account',
      'create',
      'THREE@example.ORG',
      '--json',
    ])
    assert.deepEqual(
      { status, output, errors },
      {
        status: 1,
        output: '',
        errors: 'An account with the address THREE@example.ORG already exists.\n',
      },
    )
    assert.equal(
      (await query(`select from accounts where lower(email) = 'three@example.org'`)).length,
      1,
    )
  })
})

describe('mokuroku app', () => {
  /** Lists every app except the two built-in ones. */
  const listed = async () =>
    (await runJson<{ client_id: string }[]>(['app', 'list'])).filter(
      ({ client_id }) => !client_id.startsWith('mokuroku-'),
    )

  it('lists the built-in apps in a new database', async () => {
    const { output } = await run(['app', 'list'])
    assert.match(
      output,
      /^mokuroku-command-line +mokuroku command line +developer:apps +enabled \(built in\)$/m,
    )
    assert.match(
      output,
      /^mokuroku-console +mokuroku developer console +developer:apps +enabled \(built in\)$/m,
    )
    assert.deepEqual(await listed(), [])
  })

  it('creates an app with the given settings and lists it without its secret', async () => {
    const created = await runJson<Record<string, string>>([
      'app',
      'create',
      ' My launcher ',
      '--scope',
      'catalog:full',
      'catalog:sync',
      '--auth-method',
      'client_secret_post',
      '--requests-per-minute',
      '600',
    ])
    const { client_id, client_secret, created_at } = created
    const app = {
      client_id,
      client_name: 'My launcher',
      client_type: 'confidential',
      application_type: 'web',
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'catalog:full catalog:sync',
      client_uri: null,
      logo: null,
      redirect_uris: [],
      enabled: true,
      backchannel_logout_uri: null,
      backchannel_logout_session_required: false,
      requests_per_minute: 600,
      created_at,
    }
    assert.deepEqual(created, { ...app, client_secret })
    assert.match(client_id ?? '', /^mk_[\w-]{16}$/)
    assert.match(client_secret ?? '', /^mks_[\w-]{43}$/)
    assert.deepEqual(await listed(), [app])
    const { output } = await run(['app', 'list'])
    assert.match(
      output,
      /^client ID +name +scopes +state\n[^]*\nmk_\S+ +My launcher +catalog:full catalog:sync +enabled\n$/,
    )
    assert.ok(!output.includes(client_secret ?? ''))
  })

  it('creates a public app that signs in users and has no secret', async () => {
    const uris = ['http://127.0.0.1:8910/callback', 'my-program://callback']
    const created = await runJson([
      'app',
      'create',
      'Program',
      '--public',
      '--native',
      '--scope',
      'status:write',
      '--redirect-uri',
      ...uris,
      '--client-uri',
      'https://program.example',
    ])
    const {
      client_type,
      application_type,
      token_endpoint_auth_method,
      scope,
      redirect_uris,
      client_uri,
    } = created
    assert.deepEqual(
      {
        client_type,
        application_type,
        token_endpoint_auth_method,
        scope,
        redirect_uris,
        client_uri,
      },
      {
        client_type: 'public',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        scope: 'status:write',
        redirect_uris: uris,
        client_uri: 'https://program.example',
      },
    )
    assert.ok(!('client_secret' in created))
  })

  it('creates an app with catalog:read by default and prints its secret in readable form', async () => {
    const { status, output, errors } = await run(['app', 'create', 'Bot'])
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
    assert.match(
      output,
      /^Created Bot \(catalog:read\)\.\n {2}client ID {6}mk_[\w-]{16}\n {2}client secret {2}mks_[\w-]{43}\nThe secret will not be shown again\.\n$/,
    )
  })
})

describe('mokuroku import', () => {
  it('loads a folder, and changes nothing the second time', async () => {
    type Summary = {
      source: string
      kinds: { created: number; changed: number; unchanged: number }[]
    }
    const sum = ({ kinds }: Summary) =>
      kinds.reduce(
        (all, kind) => ({
          created: all.created + kind.created,
          changed: all.changed + kind.changed,
          unchanged: all.unchanged + kind.unchanged,
        }),
        { created: 0, changed: 0, unchanged: 0 },
      )
    const first = await runJson<Summary>(['import', 'ranobedb', SAMPLE])
    assert.equal(first.source, 'ranobedb')
    const { created, changed, unchanged } = sum(first)
    assert.ok(created > 0)
    assert.deepEqual({ changed, unchanged }, { changed: 0, unchanged: 0 })
    const second = await runJson<Summary>(['import', 'ranobedb', SAMPLE])
    assert.deepEqual(sum(second), { created: 0, changed: 0, unchanged: created })
    const { output } = await run(['import', 'ranobedb', SAMPLE])
    assert.match(output, /^kind +created +joined +changed +unchanged +withdrawn +returned\n/)
  })

  it('rejects a folder that is not a dump and stores nothing', async () => {
    const { path, remove } = temporaryFolder()
    mkdirSync(join(path, 'photos'))
    writeFileSync(join(path, 'notes.txt'), 'milk, eggs')
    const count = () => query('select count(*)::int as count from source_records')
    const before = await count()
    try {
      for (const source of ['bangumi', 'ranobedb', 'vndb']) {
        const { status, output, errors } = await run(['import', source, path])
        assert.deepEqual({ status, output }, { status: 1, output: '' })
        assert.match(errors, /^[^\n]+\n$/)
        assert.ok(errors.includes(path), errors)
      }
      assert.deepEqual(await count(), before)
    } finally {
      remove()
    }
  })
})

describe('mokuroku keys rotate', () => {
  type Rotation = { kids: string[]; signs_from: string; old_retired_at: string }
  const rotate = (...flags: string[]) => runJson<Rotation>(['keys', 'rotate', ...flags])
  const minutesFromNow = (time: string) => Math.round((Date.parse(time) - Date.now()) / 60_000) + 0

  it('publishes new keys that are used after ten minutes, or immediately with --now', async () => {
    const seen = new Set<string>()
    for (const [flags, minutes] of [
      [[], 10],
      [[], 10],
      [['--now'], 0],
    ] as const) {
      const { kids, signs_from, old_retired_at } = await rotate(...flags)
      assert.equal(kids.length, 2)
      for (const kid of kids) seen.add(kid)
      assert.equal(minutesFromNow(signs_from), minutes)
      assert.equal(minutesFromNow(old_retired_at), minutes + 75)
    }
    assert.equal(seen.size, 6)
    const active = await query<{ kid: string }>(
      'select kid from signing_keys where retired_at is null',
    )
    assert.deepEqual(new Set(active.map(({ kid }) => kid)), new Set([...seen].slice(-2)))
  })

  it('prints the time from which the new keys are used', async () => {
    const { status, output } = await run(['keys', 'rotate'])
    assert.equal(status, 0)
    assert.match(
      output,
      /^New keys \S+, \S+ sign from \S+Z\.\nThe old ones are accepted until \S+Z\.\n$/,
    )
  })

  it('rejects a different SECRET_KEY, because then no server could read all keys', async () => {
    const own = await createDatabase('server', 'nothing')
    const withKey = (SECRET_KEY: string) =>
      mokuroku(['keys', 'rotate'], { environment: { DATABASE_URL: own.databaseUrl, SECRET_KEY } })
    try {
      assert.equal((await withKey('a'.repeat(32))).status, 0)
      for (const wrong of ['b'.repeat(32), '']) {
        const { status, output, errors } = await withKey(wrong)
        assert.deepEqual({ status, output }, { status: 1, output: '' })
        assert.match(errors, /^[^\n]*SECRET_KEY[^\n]*\n$/)
        assert.ok(!/aaaa|bbbb/.test(errors))
      }
      assert.equal((await withKey('a'.repeat(32))).status, 0)
    } finally {
      await own.remove()
    }
  })
})

describe('a running service', () => {
  it('serves the document that mokuroku openapi prints, except for its URLs', async () => {
    const databaseUrl = new URL(environment()['DATABASE_URL'] ?? '')
    databaseUrl.password = 'sesame'
    const program = startMokuroku(['serve', '--json'], {
      environment: { ...environment(), DATABASE_URL: databaseUrl.href, LOG_LEVEL: 'debug' },
    })
    try {
      await program.waitForOutput('{"listening"')
      // as: `serve` prints this object
      const { listening } = JSON.parse(program.output()) as { listening: string }
      const served = await (await fetch(`${listening}/openapi.json`)).text()
      const { path, remove } = temporaryFolder()
      try {
        const file = join(path, 'openapi.json')
        const { output } = await mokuroku(['openapi'])
        assert.equal((await mokuroku(['openapi', '--output', file])).output, '')
        assert.equal(readFileSync(file, 'utf8'), output)
        assert.deepEqual(
          JSON.parse(output),
          JSON.parse(served.replaceAll(`"${listening}`, '"').replaceAll('"url":""', '"url":"/"')),
        )
      } finally {
        remove()
      }

      type App = { client_id: string; client_secret: string }
      const app = await runJson<App>(['app', 'create', 'Beside it'])
      const { status } = await requestToken(listening, { ...app, scope: 'catalog:read' })
      assert.equal(status, 200, 'an app made beside it works at once')
      await query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'mokuroku' and datname = current_database()`)
      while ((await fetch(`${listening}/health/ready`)).status !== 200);
      const { errors } = await program.end('SIGTERM')
      assert.match(errors, /A connection to the database was lost/)
      for (const line of errors.trimEnd().split('\n')) {
        assert.equal(typeof JSON.parse(line), 'object')
        assert.ok(line.length < 5_000, line)
        assert.ok(!line.includes(app.client_secret))
        assert.ok(!line.includes('sesame'))
      }
    } finally {
      await program.end()
    }
  })
})
