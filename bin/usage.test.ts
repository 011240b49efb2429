import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { setUpOperator } from '#test/operator.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, mokuroku, startProgram, temporaryFolder } from '#test/program.ts'

const { environment, run } = setUpOperator()

describe('--help', () => {
  const HELP: [command: string, usage: string, mentions: string[], absent?: string[]][] = [
    [
      '',
      '[options] [command]',
      [
        'serve',
        'migrate',
        'import',
        'update',
        'merge <kind> <from> <into>',
        'set <kind> <id> <field> <value>',
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
      '[options] <source> <path>',
      [
        '"ranobedb", "vndb"',
        'dump file or folder',
        '--max-bad-rows',
        '--allow-missing',
        '--part',
        '--allow-shrink',
        '--dry-run',
        '--no-wait',
        'Exit status',
        '--json',
      ],
    ],
    ['import list', '[options]', ['newest first', '--limit', '--json']],
    ['import show', '[options] <run>', ['number of the import', '--json']],
    [
      'update',
      '[options] [sources...]',
      ['--folder', '--dry-run', '--no-wait', 'cron', 'VNDB_DUMP_URL', '--json'],
    ],
    ['matches', '[options] [command]', ['list [options]', 'accept [options] <match...>']],
    [
      'matches list',
      '[options]',
      ['--kind', '--state', '--page <number>', '--page-size <number>', '--json'],
    ],
    ['merge', '[options] <kind> <from> <into>', ['WIKI_RESOURCE_MERGED', 'Example:', '--json']],
    ['unmerge', '[options] <kind> <from> <into>', ['Examples:', 'SOURCE:ID', '--json']],
    ['entry show', '[options] <kind> <id>', ['--json']],
    ['set', '[options] <kind> <id> <field> <value>', ['Examples:', '--json']],
    ['unset', '[options] <kind> <id> <field>', ['--json']],
    ['account', '[options] [command]', ['create [options] <email>']],
    [
      'account create',
      '[options] <email>',
      ['email address', '--name', '--password-stdin', '--json'],
    ],
    ['app', '[options] [command]', ['create [options] <name>', 'list [options]']],
    [
      'app create',
      '[options] <name>',
      ['--scope', '--auth-method', '--requests-per-minute', '--json'],
    ],
    ['app list', '[options]', ['--json']],
    ['app disable', '[options] <client-id>', ['within a second', 'Example:', '--json']],
    ['app enable', '[options] <client-id>', ['--json']],
    ['app limit', '[options] <client-id> <n>', ['"default"', 'Examples:', '--json']],
    ['login', '[options]', ['--server <url>', 'MOKUROKU_SERVER', 'Examples:']],
    ['logout', '[options]', ['--server <url>']],
    [
      'apps',
      '[options] [command]',
      [
        'list [options]',
        'create [options] <name>',
        'rotate-secret [options] <client-id>',
        'mokuroku login',
      ],
    ],
    ['apps list', '[options]', ['--server <url>', '--json']],
    [
      'apps create',
      '[options] <name>',
      ['--redirect-uri', '--scope', '--public', '--native', '--json'],
      ['--enable', '--disable', '--no-', 'replaces the current ones'],
    ],
    [
      'apps update',
      '[options] <client-id>',
      [
        '--name',
        '--no-redirect-uris',
        '--no-scopes',
        '--enable',
        '--disable',
        'replaces the',
        '--json',
      ],
    ],
    [
      'apps rotate-secret',
      '[options] <client-id>',
      ['stop working at once', '--keep-tokens', '--json'],
    ],
    ['apps delete', '[options] <client-id>', ['--yes', '--json']],
    ['keys', '[options] [command]', ['rotate [options]']],
    ['keys rotate', '[options]', ['--now', '--json']],
    ['search', '[options] [command]', ['reindex [options]']],
    ['search reindex', '[options]', ['--json', 'restored backup']],
    ['doctor', '[options]', ['Exit status', 'NO_COLOR', '--json']],
    ['config', '[options]', ['.env', 'Secrets', '--json']],
    ['mail', '[options] [command]', ['test [options] <address>']],
    ['mail test', '[options] <address>', ['SMTP_URL', 'Example:', '--json']],
    ['openapi', '[options]', ['--output <file>']],
  ]
  it('prints the same text in a separate process as in the test process', async () => {
    const args = ['apps', 'create', '--help']
    const { status, output, errors } = await mokuroku(args)
    assert.deepEqual({ status, output, errors }, await run(args))
  })

  for (const [command, usage, mentions, absent = []] of HELP)
    it(`documents the arguments and options of "mokuroku ${command}" in 80 columns`, async () => {
      const { status, output, errors } = await run([
        ...command.split(' ').filter(Boolean),
        '--help',
      ])
      assert.deepEqual({ status, errors }, { status: 0, errors: '' })
      assert.ok(
        output.startsWith(`Usage: ${['mokuroku', command].filter(Boolean).join(' ')} ${usage}\n`),
        output,
      )
      for (const word of mentions) assert.ok(output.includes(word), `${word} in ${output}`)
      for (const word of absent) assert.ok(!output.includes(word), `${word} in ${output}`)
      for (const line of output.split('\n')) assert.ok(line.length <= 80, line)
    })

  it('works from the checkout through npx', async () => {
    const { status, output } = await startProgram(['npx', '--no', '--', 'mokuroku', '--help']).ended
    assert.equal(status, 0)
    assert.match(output, /^Usage: mokuroku /)
  })

  it('omits the version, which --version prints', async () => {
    // as: every manifest has a version
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
      version: string
    }
    const { status, output } = await run(['--version'])
    assert.equal(status, 0)
    assert.match(output, new RegExp(`^${version}( \\([0-9a-f]{12}(-dirty)?\\))?\n$`))
  })
})

describe('wrong usage', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  const WRONG: [args: string[], message: RegExp][] = [
    [['nope'], /^Unknown command 'nope'\nSee mokuroku --help\.$/],
    [['serv'], /^Unknown command 'serv'\n\(Did you mean serve\?\)\nSee mokuroku --help\.$/],
    [
      ['galgame', '1'],
      /^Unknown command 'galgame'\n\(Did you mean mokuroku entry galgame 1\?\)\nSee mokuroku --help\.$/,
    ],
    [['app', 'galgame', '1'], /^Unknown command 'galgame'\nSee mokuroku app --help\.$/],
    [['app', 'nope'], /^Unknown command 'nope'\nSee mokuroku app --help\.$/],
    [['serve', '--nope'], /^Unknown option '--nope'\nSee mokuroku serve --help\.$/],
    [['app', 'create'], /^Missing required argument 'name'\nSee mokuroku app create --help\.$/],
    [['app', 'create', 'A', 'B'], /^Too many arguments/],
    [
      ['app', 'create', 'A', '--scope', 'catalog:all'],
      /argument 'catalog:all' is invalid\. Allowed choices are catalog:read/,
    ],
    [['app', 'create', 'A', '--scope', 'developer:apps'], /argument 'developer:apps' is invalid/],
    [
      ['app', 'create', 'A', '--scope', 'user:read'],
      /^user:read is granted by users\. Add a --redirect-uri/,
    ],
    [
      ['app', 'create', 'A', '--redirect-uri', 'http://example.org/cb'],
      /must use https, or http with localhost/,
    ],
    [
      ['app', 'create', 'A', '--redirect-uri', 'https://a.example/', 'https://a.example/'],
      /^https:\/\/a\.example\/ must not be listed twice\.$/,
    ],
    [
      ['app', 'create', 'A', '--redirect-uri', ...[1, 2, 3, 4, 5, 6].map((n) => `my-app://${n}`)],
      /at most 5/,
    ],
    [
      ['app', 'create', 'A', '--client-uri', 'http://example.org'],
      /^--client-uri must be an https URL/,
    ],
    [
      ['app', 'create', 'A', '--public', '--auth-method', 'client_secret_post'],
      /Omit it with --public\.$/,
    ],
    [['app', 'create', 'A', '--auth-method', 'none'], /argument 'none' is invalid/],
    [['app', 'create', 'A', '--requests-per-minute', '0'], /a whole number, at least 1/],
    [['app', 'limit', 'mk_x', '0'], /a whole number, at least 1/],
    [['app', 'limit', 'mk_x', 'none'], /a whole number, at least 1/],
    [
      ['account', 'role', '1', 'GOD'],
      /^'GOD' is invalid for argument 'role'\. Allowed choices are /,
    ],
    [['app', 'disable'], /^Missing required argument 'client-id'/],
    [
      ['app', 'create', ' '],
      /^The name must have 1 to 64 characters, at least one of them visible\.$/,
    ],
    [['app', 'create', 'x'.repeat(65)], /^The name must have 1 to 64 characters/],
    [['app', 'create', 'a\tb'], /^The name must not contain control characters/],
    [['account', 'create'], /^Missing required argument 'email'/],
    [['account', 'create', 'nobody'], /^nobody is not an email address\.$/],
    [['account', 'create', 'a@b', '--name', 'a\nb'], /^The name must have 1 to 64 characters/],
    [
      ['account', 'create', 'a@b', '--password-stdin'],
      /^The password must have 8 to 1000 characters\.$/,
    ],
    [['import', 'ranobedb'], /^Missing required argument 'path'/],
    [['import', 'imdb', '.'], /Allowed choices are bangumi, ranobedb, vndb/],
    [['import', 'vndb', join(path, 'missing')], /missing does not exist\.$/],
    [
      ['import', 'vndb', path, '--max-bad-rows', 'few'],
      /a number of rows, such as 20, or a percentage/,
    ],
    [
      ['import', 'vndb', path, '--max-bad-rows', '101%'],
      /a number of rows, such as 20, or a percentage/,
    ],
    [['keys', 'rotate', '--later'], /^Unknown option '--later'\n/],
  ]
  for (const [args, message] of WRONG)
    it(`exits with status 2: ${JSON.stringify(args.join(' ').replace(path, '').replace(CHECKOUT, ''))}`, async () => {
      const { status, output, errors } = await run(args)
      assert.deepEqual({ status, output }, { status: 2, output: '' })
      assert.match(errors.trimEnd(), message)
      assert.doesNotMatch(errors, /^error/i, 'every message starts the same way')
    })

  it('prints the help and exits with status 2 when there is no command', async () => {
    const { status, output, errors } = await run([])
    assert.deepEqual({ status, output }, { status: 2, output: '' })
    assert.match(errors, /^Usage: mokuroku /)
  })

  it('prints one line per invalid setting and exits with status 2', async () => {
    for (const args of [['migrate'], ['app', 'list'], ['serve']]) {
      const { status, output, errors } = await mokuroku(args, {
        environment: {
          ...environment(),
          PORT: 'x',
          DATABASE_URL: 'mysql://user:sesame@host/database',
        },
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
  it('exits with status 1 when the database is unreachable', async () => {
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
          errors: `The database in DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}\n`,
        },
      )
    }
  })

  it('explains the failure in plain words', async () => {
    const missing = join(CHECKOUT, 'missing/openapi.json')
    for (const [args, message] of [
      [
        ['openapi', '--output', missing],
        `${missing} cannot be written (ENOENT). Check that its folder exists and is writable.`,
      ],
      [
        ['login', '--server', 'http://localhost:1'],
        'No response from http://localhost:1: the request was not sent (bad port)',
      ],
      // `entry galgame 1` is a mistake for `entry show galgame 1`.
      [['entry', 'galgame', '1'], 'galgame 1 does not exist.'],
    ] as const) {
      const { status, output, errors } = await run([...args])
      assert.deepEqual(
        { status, output, errors },
        { status: 1, output: '', errors: `${message}\n` },
      )
    }
  })
})

describe('.env', () => {
  const { path, remove } = temporaryFolder()
  after(remove)

  it('provides settings, which the environment overrides', async () => {
    writeFileSync(join(path, '.env'), 'PORT=x\nLOG_LEVEL=loud\n')
    // In these tests, an empty value means "unset". `undefined` removes it.
    const options = {
      cwd: path,
      environment: { ...environment(), PORT: undefined, LOG_LEVEL: 'info' },
    }
    const { status, errors } = await mokuroku(['migrate'], options)
    assert.deepEqual(
      { status, errors },
      { status: 2, errors: 'PORT must be a whole number from 0 to 65535, not "x".\n' },
    )
  })

  it('triggers one warning per unknown setting when a command runs, but none for --help', async () => {
    const folder = join(path, 'unknown')
    mkdirSync(folder)
    writeFileSync(join(folder, '.env'), 'LOG_LEVELS=info\n')
    const options = { cwd: folder, environment: { ...environment(), TRUSTED_PROXIED: '1' } }
    const { status, errors } = await mokuroku(['app', 'list'], options)
    assert.equal(status, 0)
    assert.deepEqual(errors.trimEnd().split('\n'), [
      'LOG_LEVELS in .env is not a setting and has no effect. Did you mean LOG_LEVEL?',
      'TRUSTED_PROXIED is not a setting and has no effect. Did you mean TRUSTED_PROXIES?',
    ])
    assert.equal((await mokuroku(['app', '--help'], options)).errors, '')
  })
})
