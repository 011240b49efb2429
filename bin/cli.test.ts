import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { passwordMatches } from '../src/accounts/credentials/passwords.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/postgres.ts'
import {
  CHECKOUT,
  mokuroku,
  requestToken,
  startMokuroku,
  startProgram,
  temporaryFolder,
} from '#test/program.ts'

const SAMPLE = join(CHECKOUT, 'sample/ranobedb')

let database: TestDatabase
let environment: NodeJS.ProcessEnv
before(async () => {
  database = await createDatabase('server', 'nothing')
  environment = { DATABASE_URL: database.databaseUrl, DATA_DIR: database.dataDir, PORT: '0' }
})
after(() => database.remove())

const run = (args: string[], input = '') => mokuroku(args, { environment, input })

/** Runs a command that has to succeed with `--json`, and says nothing else. */
async function runJson(args: string[], input = ''): Promise<unknown> {
  const { status, output, errors } = await run([...args, '--json'], input)
  assert.deepEqual({ status, errors }, { status: 0, errors: '' })
  assert.match(output, /^.+\n$/, 'one line')
  return JSON.parse(output)
}

async function query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.databaseUrl })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

describe('help', () => {
  const HELP: [command: string, usage: string, mentions: string[], absent?: string[]][] = [
    [
      '',
      '[options] [command]',
      [
        'serve',
        'migrate',
        'import',
        'account',
        'app',
        'keys',
        'openapi',
        'login',
        'logout',
        'apps',
        'Exit status',
      ],
    ],
    ['serve', '[options]', ['--demo', '--no-demo', '--json']],
    ['migrate', '[options]', ['--json']],
    [
      'import',
      '[options] <source> <folder>',
      ['"bangumi", "ranobedb", "vndb"', 'the folder that holds it', '--json'],
    ],
    ['account', '[options] [command]', ['create [options] <email>']],
    ['account create', '[options] <email>', ['its e-mail address', '--name', '--password-stdin', '--json']],
    ['app', '[options] [command]', ['create [options] <name>', 'list [options]']],
    ['app create', '[options] <name>', ['--scope', '--auth-method', '--requests-per-minute', '--json']],
    ['app list', '[options]', ['--json']],
    ['app disable', '[options] <client-id>', ['within a second', 'Example:', '--json']],
    ['app enable', '[options] <client-id>', ['--json']],
    ['app limit', '[options] <client-id> <n>', ['"default"', 'Examples:', '--json']],
    ['login', '[options]', ['--server <url>', 'MOKUROKU_SERVER', 'Examples:']],
    ['logout', '[options]', ['--server <url>']],
    [
      'apps',
      '[options] [command]',
      ['list [options]', 'create [options] <name>', 'rotate-secret [options] <client-id>', 'mokuroku login'],
    ],
    ['apps list', '[options]', ['--server <url>', '--json']],
    [
      'apps create',
      '[options] <name>',
      ['--redirect-uri', '--scope', '--public', '--native', '--json'],
      ['--enable', '--disable', '--no-', 'replaces those there are'],
    ],
    [
      'apps update',
      '[options] <client-id>',
      ['--name', '--no-redirect-uris', '--no-scopes', '--enable', '--disable', 'replaces those', '--json'],
    ],
    ['apps rotate-secret', '[options] <client-id>', ['stops working at once', '--keep-tokens', '--json']],
    ['apps delete', '[options] <client-id>', ['--yes', '--json']],
    ['keys', '[options] [command]', ['rotate [options]']],
    ['keys rotate', '[options]', ['--now', '--json']],
    ['search', '[options] [command]', ['reindex [options]']],
    ['search reindex', '[options]', ['--json', 'restored backup']],
    ['openapi', '[options]', ['--output <file>']],
  ]
  for (const [command, usage, mentions, absent = []] of HELP)
    it(`of "mokuroku ${command}" names its arguments and options, in 80 columns`, async () => {
      const { status, output, errors } = await run([...command.split(' ').filter(Boolean), '--help'])
      assert.deepEqual({ status, errors }, { status: 0, errors: '' })
      assert.ok(
        output.startsWith(`Usage: ${['mokuroku', command].filter(Boolean).join(' ')} ${usage}\n`),
        output,
      )
      for (const word of mentions) assert.ok(output.includes(word), `${word} in ${output}`)
      for (const word of absent) assert.ok(!output.includes(word), `${word} in ${output}`)
      for (const line of output.split('\n')) assert.ok(line.length <= 80, line)
    })

  it('is had from the checkout through npx', async () => {
    const { status, output } = await startProgram(['npx', '--no', '--', 'mokuroku', '--help']).ended
    assert.equal(status, 0)
    assert.match(output, /^Usage: mokuroku /)
  })

  it('leaves the version to --version', async () => {
    // as: every manifest has one
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
      version: string
    }
    const { status, output } = await run(['--version'])
    assert.deepEqual({ status, output }, { status: 0, output: `${version}\n` })
  })
})

describe('wrong usage', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  const WRONG: [args: string[], message: RegExp][] = [
    [['nope'], /^Unknown command 'nope'\nSee mokuroku --help\.$/],
    [['app', 'nope'], /^Unknown command 'nope'\nSee mokuroku app --help\.$/],
    [['serve', '--nope'], /^Unknown option '--nope'\nSee mokuroku serve --help\.$/],
    [['app', 'create'], /^Missing required argument 'name'\nSee mokuroku app create --help\.$/],
    [['app', 'create', 'A', 'B'], /^Too many arguments/],
    [
      ['app', 'create', 'A', '--scope', 'catalog:all'],
      /argument 'catalog:all' is invalid\. Allowed choices are catalog:read/,
    ],
    [['app', 'create', 'A', '--scope', 'developer:apps'], /argument 'developer:apps' is invalid/],
    [['app', 'create', 'A', '--scope', 'user:read'], /^user:read is granted by users: give a --redirect-uri/],
    [
      ['app', 'create', 'A', '--redirect-uri', 'http://example.org/cb'],
      /must be https, or http of localhost/,
    ],
    [
      ['app', 'create', 'A', '--redirect-uri', 'https://a.example/', 'https://a.example/'],
      /^https:\/\/a\.example\/ must not be there twice\.$/,
    ],
    [
      ['app', 'create', 'A', '--redirect-uri', ...[1, 2, 3, 4, 5, 6].map((n) => `my-app://${n}`)],
      /at most 5/,
    ],
    [['app', 'create', 'A', '--client-uri', 'http://example.org'], /^--client-uri must be an https address/],
    [
      ['app', 'create', 'A', '--public', '--auth-method', 'client_secret_post'],
      /leave it out with --public\.$/,
    ],
    [['app', 'create', 'A', '--auth-method', 'none'], /argument 'none' is invalid/],
    [['app', 'create', 'A', '--requests-per-minute', '0'], /a whole number, at least 1/],
    [['app', 'limit', 'mk_x', '0'], /a whole number, at least 1/],
    [['app', 'limit', 'mk_x', 'none'], /a whole number, at least 1/],
    [['app', 'disable'], /^Missing required argument 'client-id'/],
    [['app', 'create', ' '], /^The name must have 1 to 64 characters\.$/],
    [['app', 'create', 'x'.repeat(65)], /^The name must have 1 to 64 characters/],
    [['app', 'create', 'a\tb'], /^The name must not contain control characters/],
    [['account', 'create'], /^Missing required argument 'email'/],
    [['account', 'create', 'nobody'], /^nobody is not an e-mail address\.$/],
    [['account', 'create', 'a@b', '--name', 'a\nb'], /^A name has 1 to 64 characters/],
    [
      ['account', 'create', 'a@b', '--password-stdin'],
      /^A password has at least 8 characters, and at most 1000\.$/,
    ],
    [['import', 'ranobedb'], /^Missing required argument 'folder'/],
    [['import', 'imdb', '.'], /Allowed choices are bangumi, ranobedb, vndb/],
    [['import', 'vndb', join(path, 'missing')], /missing is not a folder\.$/],
    [['import', 'vndb', join(CHECKOUT, 'package.json')], /package\.json is not a folder\.$/],
    [['keys', 'rotate', '--later'], /^Unknown option '--later'\n/],
  ]
  for (const [args, message] of WRONG)
    it(`is answered with status 2: ${JSON.stringify(args.join(' ').replace(path, '').replace(CHECKOUT, ''))}`, async () => {
      const { status, output, errors } = await run(args)
      assert.deepEqual({ status, output }, { status: 2, output: '' })
      assert.match(errors.trimEnd(), message)
      assert.doesNotMatch(errors, /^error/i, 'each begins alike, whoever found the mistake')
    })

  it('without any command is answered with the help and status 2', async () => {
    const { status, output, errors } = await run([])
    assert.deepEqual({ status, output }, { status: 2, output: '' })
    assert.match(errors, /^Usage: mokuroku /)
  })

  it('in the settings is answered with a line for each and status 2', async () => {
    for (const args of [['migrate'], ['app', 'list'], ['serve']]) {
      const { status, output, errors } = await mokuroku(args, {
        environment: { ...environment, PORT: 'x', DATABASE_URL: 'mysql://user:sesame@host/database' },
      })
      assert.deepEqual(
        { status, output, lines: errors.trimEnd().split('\n').length },
        { status: 2, output: '', lines: 2 },
      )
      assert.ok(!errors.includes('sesame'))
    }
  })
})

describe('a command that fails', () => {
  it('has status 1 when the database is away', async () => {
    const port = await freePort()
    for (const args of [['migrate'], ['app', 'list', '--json'], ['keys', 'rotate']]) {
      const { status, output, errors } = await mokuroku(args, {
        environment: { DATABASE_URL: `postgres://user:sesame@127.0.0.1:${port}/database` },
      })
      assert.deepEqual(
        { status, output, errors },
        {
          status: 1,
          output: '',
          errors: `The database of DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}\n`,
        },
      )
    }
  })

  it('has status 1 when the address is taken', async () => {
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    // as: it listens on a port
    const { port } = server.address() as AddressInfo
    try {
      const { status, output } = await mokuroku(['serve'], {
        environment: { ...environment, PORT: String(port) },
      })
      assert.deepEqual({ status, output }, { status: 1, output: '' })
    } finally {
      server.close()
    }
  })
})

describe('.env', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  it('in the folder gives settings, which the environment overrides', async () => {
    writeFileSync(join(path, '.env'), 'PORT=x\nLOG_LEVEL=loud\n')
    // undefined takes the empty value away that stands for "unset" in these tests.
    const options = { cwd: path, environment: { ...environment, PORT: undefined, LOG_LEVEL: 'info' } }
    const { status, errors } = await mokuroku(['migrate'], options)
    assert.deepEqual(
      { status, errors },
      { status: 2, errors: 'PORT must be a whole number from 0 to 65535, not "x"\n' },
    )
  })
})

describe('migrate', () => {
  it('tells what it ran, and the second time that there is nothing to do', async () => {
    const own = await createDatabase('server', 'nothing')
    try {
      const options = { environment: { DATABASE_URL: own.databaseUrl } }
      const first = await mokuroku(['migrate', '--json'], options)
      // as: compared with the text of another run
      const { ran } = JSON.parse(first.output) as { ran: string[] }
      assert.equal(ran[0], '0001_catalog')
      assert.equal((await mokuroku(['migrate', '--json'], options)).output, '{"ran":[]}\n')
      assert.equal((await mokuroku(['migrate'], options)).output, 'The schema is up to date.\n')
    } finally {
      await own.remove()
    }
  })
})

describe('account create', () => {
  it('makes a password and shows it once', async () => {
    const made = await runJson(['account', 'create', 'One@Example.org'])
    // as: compared below
    const { id, password } = made as { id: number; password: string }
    assert.deepEqual(made, { id, email: 'One@Example.org', name: 'One', password })
    assert.match(password, /^[\w-]{16}$/)
    const [row] = await query<{ password_hash: string }>(
      `select password_hash from accounts where id = ${id}`,
    )
    assert.equal(await passwordMatches(password, row?.password_hash ?? ''), true)
  })

  it('takes the password from standard input and does not repeat it', async () => {
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

  it('refuses an address that has an account, whatever its case', async () => {
    await runJson(['account', 'create', 'three@example.org'])
    const { status, output, errors } = await run(['account', 'create', 'THREE@example.ORG', '--json'])
    assert.deepEqual(
      { status, output, errors },
      { status: 1, output: '', errors: 'There is an account with the address THREE@example.ORG already.\n' },
    )
    assert.equal((await query(`select from accounts where lower(email) = 'three@example.org'`)).length, 1)
  })
})

describe('app', () => {
  /** Every app but the service's own two. */
  const listed = async () =>
    // as: `app list --json` prints it
    ((await runJson(['app', 'list'])) as { client_id: string }[]).filter(
      ({ client_id }) => !client_id.startsWith('mokuroku-'),
    )

  it('lists the service’s own from the start', async () => {
    const { output } = await run(['app', 'list'])
    assert.match(output, /^mokuroku-command-line +mokuroku command line +developer:apps +enabled$/m)
    assert.match(output, /^mokuroku-console +mokuroku developer console +developer:apps +enabled$/m)
    assert.deepEqual(await listed(), [])
  })

  it('is created with what was asked for, and is listed without its secret', async () => {
    const created = await runJson([
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
    // as: compared below
    const { client_id, client_secret, created_at } = created as Record<string, string>
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
      /^client id +name +scopes +state\n[^]*\nmk_\S+ +My launcher +catalog:full catalog:sync +enabled\n$/,
    )
    assert.ok(!output.includes(client_secret ?? ''))
  })

  it('is created as a public program that signs people in, without a secret', async () => {
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
    // as: compared below
    const { client_type, application_type, token_endpoint_auth_method, scope, redirect_uris, client_uri } =
      created as Record<string, unknown>
    assert.deepEqual(
      { client_type, application_type, token_endpoint_auth_method, scope, redirect_uris, client_uri },
      {
        client_type: 'public',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        scope: 'status:write',
        redirect_uris: uris,
        client_uri: 'https://program.example',
      },
    )
    assert.ok(!('client_secret' in (created as object)))
  })

  it('is created with catalog:read and prints its secret to people', async () => {
    const { status, output, errors } = await run(['app', 'create', 'Bot'])
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
    assert.match(
      output,
      /^Created Bot \(catalog:read\)\.\n {2}client id {6}mk_[\w-]{16}\n {2}client secret {2}mks_[\w-]{43}\nThe secret is shown only now\.\n$/,
    )
  })
})

describe('import', () => {
  it('loads a folder, and the second time changes nothing', async () => {
    // as: the sums are compared
    type Summary = { source: string; kinds: { created: number; changed: number; unchanged: number }[] }
    const sum = ({ kinds }: Summary) =>
      kinds.reduce(
        (all, kind) => ({
          created: all.created + kind.created,
          changed: all.changed + kind.changed,
          unchanged: all.unchanged + kind.unchanged,
        }),
        { created: 0, changed: 0, unchanged: 0 },
      )
    const first = (await runJson(['import', 'ranobedb', SAMPLE])) as Summary
    assert.equal(first.source, 'ranobedb')
    const { created, changed, unchanged } = sum(first)
    assert.ok(created > 0)
    assert.deepEqual({ changed, unchanged }, { changed: 0, unchanged: 0 })
    const second = (await runJson(['import', 'ranobedb', SAMPLE])) as Summary
    assert.deepEqual(sum(second), { created: 0, changed: 0, unchanged: created })
    const { output } = await run(['import', 'ranobedb', SAMPLE])
    assert.match(output, /^kind +created +changed +unchanged\n/)
  })

  it('of a folder that is no dump says so and stores nothing', async () => {
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

describe('keys rotate', () => {
  type Rotation = { kids: string[]; signs_from: string; old_retired_at: string }
  // as: the test looks at every member
  const rotate = async (...flags: string[]) => (await runJson(['keys', 'rotate', ...flags])) as Rotation
  const minutesFromNow = (time: string) => Math.round((Date.parse(time) - Date.now()) / 60_000) + 0

  it('publishes new keys that sign in ten minutes, or at once with --now', async () => {
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
    const active = await query<{ kid: string }>('select kid from signing_keys where retired_at is null')
    assert.deepEqual(new Set(active.map(({ kid }) => kid)), new Set([...seen].slice(-2)))
  })

  it('tells people when the new keys sign', async () => {
    const { status, output } = await run(['keys', 'rotate'])
    assert.equal(status, 0)
    assert.match(output, /^New keys \S+, \S+ sign from \S+Z\.\nThe old ones are accepted until \S+Z\.\n$/)
  })

  it('refuses to add keys under another SECRET_KEY, with which no server could read them all', async () => {
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
  it('describes the same API as openapi does, but for its addresses', async () => {
    const address = new URL(database.databaseUrl ?? '')
    address.password = 'sesame'
    const program = startMokuroku(['serve', '--json'], {
      environment: { ...environment, DATABASE_URL: address.href, LOG_LEVEL: 'debug' },
    })
    try {
      await program.says('{"listening"')
      // as: serve prints it
      const { listening } = JSON.parse(program.output()) as { listening: string }
      const served = await (await fetch(`${listening}/openapi.json`)).text()
      const { path, remove } = temporaryFolder()
      try {
        const file = join(path, 'openapi.json')
        const { output } = await mokuroku(['openapi'])
        assert.equal((await mokuroku(['openapi', '--output', file])).output, '')
        assert.equal(readFileSync(file, 'utf8'), output)
        assert.deepEqual(
          JSON.parse(output.replaceAll('http://localhost:14790', listening)),
          JSON.parse(served),
        )
      } finally {
        remove()
      }

      // as: created with --json
      const app = (await runJson(['app', 'create', 'Beside it'])) as {
        client_id: string
        client_secret: string
      }
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
