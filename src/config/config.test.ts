import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '#test/program.ts'
import { bySource, SOURCE_NAMES, SOURCES } from '../sources/registry.ts'
import {
  ConfigError,
  describeSettings,
  readConfig,
  readConfigForServing,
  readProxySettings,
} from './config.ts'
import { describeSettingsFiles } from './describe-settings.ts'
import { listEffectiveSettings, listSecretFiles } from './effective-settings.ts'
import { findUnknownSettings } from './unknown-settings.ts'

/** Returns the error lines for an invalid environment. */
function faultsOf(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n')
  }
  return []
}

describe('settings', () => {
  it('have defaults, so an empty environment is valid', () => {
    assert.deepEqual(readConfig({}), {
      host: 'localhost',
      port: 14_790,
      authUrl: 'http://localhost:14790',
      apiUrl: 'http://localhost:14790',
      baseUrl: 'http://localhost:14790',
      trustedProxies: 0,
      maxConnections: 10_000,
      workers: 1,
      shutdownDelay: 0,
      overloadProtection: 'on',
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      databaseReplicaUrls: [],
      databasePoolSize: 8,
      databasePreparedStatements: true,
      dataDir: resolve('data'),
      backupDir: undefined,
      backupEveryMs: 24 * 3_600_000,
      backupKeep: 7,
      bucket: undefined,
      retention: {
        RATING_HISTORY_RETENTION: undefined,
        FEED_RETENTION: 365,
        AUDIT_RETENTION: undefined,
        IMPORT_RUN_RETENTION: undefined,
        REPORT_RETENTION: undefined,
        SIGN_UP_RETENTION: undefined,
      },
      dumpUrls: bySource((source) => SOURCES[source].dump.url),
      bangumiApiUrl: 'https://api.bgm.tv',
      bangumiRequestsPerMinute: 60,
      maxDumpBytes: 8 * 2 ** 30,
      redisUrl: undefined,
      secretKey: undefined,
      smtpUrl: undefined,
      mailFrom: 'mokuroku <mokuroku@localhost>',
      signUp: 'open',
      signUpMailDomains: [],
      catalogRequestsPerMinute: 60,
      tokenRequestsPerMinute: 300,
      failedAuthenticationsPerMinute: 300,
      userRequestsPerMinute: 60,
      anonymousRequestsPerMinute: 60,
      upstreamProviders: [],
      pageRequestsPerMinute: 240,
      instanceName: 'mokuroku',
      instanceLogo: undefined,
      accentColor: undefined,
      defaultLanguage: 'en',
      contact: 'mailto:mokuroku@localhost',
      publicContact: undefined,
      legalFiles: { terms: undefined, privacy: undefined, imprint: undefined },
      developerRequestsPerMinute: 60,
      appsPerAccount: 20,
      catalogCacheBytes: 64 * 1024 * 1024,
      adultWorks: 'hidden',
      images: 'on',
      imageCacheBytes: 2 * 2 ** 30,
      apiPictures: 'own',
      imageOrigins: [],
      pictureMirrors: new Map(),
      imageRequestsPerMinute: 1_200,
      metricsAddress: undefined,
      otlpEndpoint: undefined,
      otelServiceName: 'mokuroku',
      otelSampleRatio: 1,
      logLevel: 'info',
      accessLog: 'off',
      accessLogFormat: 'json',
      accessLogSample: 1,
    })
  })

  it('count as unset if they are empty', () => {
    const empty = Object.fromEntries(describeSettings().map(({ name }) => [name, '']))
    assert.deepEqual(readConfig(empty), readConfig({}))
  })

  it('are read-only', () => {
    assert.ok(Object.isFrozen(readConfig({})))
  })

  it('derive an unset API_URL from AUTH_URL, not from BASE_URL', () => {
    const { authUrl, apiUrl, baseUrl } = readConfig({
      AUTH_URL: 'https://id.example.org',
      BASE_URL: 'https://example.org:8443',
    })
    assert.deepEqual(
      { authUrl, apiUrl, baseUrl },
      {
        authUrl: 'https://id.example.org',
        apiUrl: 'https://id.example.org',
        baseUrl: 'https://example.org:8443',
      },
    )
  })

  for (const [host, port, url] of [
    ['::1', '8080', 'http://[::1]:8080'],
    ['0:0:0:0:0:0:0:1', '8080', 'http://[::1]:8080'],
    ['0.0.0.0', '8080', 'http://127.0.0.1:8080'],
    ['::', '8080', 'http://127.0.0.1:8080'],
    ['Example.org', '8080', 'http://example.org:8080'],
    ['example.org', '80', 'http://example.org'],
  ] as const)
    it(`derive the URL ${url} from HOST ${host} and PORT ${port}`, () => {
      assert.equal(readConfig({ HOST: host, PORT: port }).authUrl, url)
    })

  it('use the same free port in every URL for PORT=0', async () => {
    const { port, authUrl, apiUrl, baseUrl } = await readConfigForServing({ PORT: '0' })
    assert.ok(port > 0)
    assert.deepEqual([authUrl, apiUrl, baseUrl], Array(3).fill(`http://localhost:${port}`))
  })

  it('accept an email address or a page as the security contact', () => {
    for (const given of ['mailto:security@host.example', 'https://host.example/report']) {
      assert.equal(readConfig({ CONTACT: given }).contact, given)
      assert.equal(readConfig({ SECURITY_CONTACT: given }).publicContact, given)
    }
    for (const given of [
      'security@host.example',
      'mailto:security',
      'mailto:a@b.example?subject=x',
      'mailto:a@b.example,c@d.example@e',
      'http://host.example/report',
      'javascript:alert(1)',
    ])
      assert.throws(() => readConfig({ CONTACT: given }), /CONTACT/, given)
  })

  it('accept mail domains in any script, and normalize them', () => {
    assert.deepEqual(
      readConfig({
        SIGN_UP_MAIL_DOMAINS: 'Example.ORG, .example.net,bücher.example,ｅｘａｍｐｌｅ.com',
      }).signUpMailDomains,
      ['example.org', '.example.net', 'xn--bcher-kva.example', 'example.com'],
    )
    for (const given of [
      '*.example.org',
      'a@example.org',
      'example.org.',
      '..example.org',
      'example',
      'example.org,',
      'two words.org',
      'https://example.org',
      '127.0.0.1',
      '.',
    ])
      assert.throws(
        () => readConfig({ SIGN_UP_MAIL_DOMAINS: given }),
        /SIGN_UP_MAIL_DOMAINS/,
        given,
      )
  })

  it('name a bucket in a path or in a host, and require its keys', () => {
    const keys = { BUCKET_ACCESS_KEY: 'key', BUCKET_SECRET_KEY: 'secret' }
    const bucketOf = (settings: Record<string, string>) =>
      readConfig({ BUCKET_URL: 'https://s3.example.org/bucket/', ...keys, ...settings }).bucket
    assert.deepEqual(bucketOf({}), {
      url: 'https://s3.example.org/bucket',
      prefix: '',
      region: 'us-east-1',
      accessKey: 'key',
      secretKey: 'secret',
      contents: ['pictures', 'backups'],
    })
    assert.equal(
      bucketOf({ BUCKET_URL: 'http://bucket.minio:9000' })?.url,
      'http://bucket.minio:9000',
    )
    assert.equal(bucketOf({ BUCKET_PREFIX: '/sites/a/' })?.prefix, 'sites/a/')
    assert.deepEqual(bucketOf({ BUCKET_CONTENTS: 'backups' })?.contents, ['backups'])
    assert.deepEqual(faultsOf({ BUCKET_URL: 'https://a.example/b' }), [
      'BUCKET_URL is set, but BUCKET_ACCESS_KEY is not.',
    ])
    assert.deepEqual(faultsOf({ BUCKET_URL: 'https://a.example/b', BUCKET_ACCESS_KEY: 'key' }), [
      'BUCKET_URL is set, but BUCKET_SECRET_KEY is not.',
    ])
  })

  it('use PORT unchanged for serving unless it is 0', async () => {
    assert.equal((await readConfigForServing({ PORT: '4711' })).port, 4711)
  })

  it('allow several workers with a database server but only one with the embedded database', async () => {
    const server = 'postgres://user@host/database'
    assert.equal((await readConfigForServing({ WORKERS: '3', DATABASE_URL: server })).workers, 3)
    assert.equal((await readConfigForServing({ WORKERS: 'auto' })).workers, 'auto')
    assert.equal((await readConfigForServing({ WORKERS: '1' })).workers, 1)
    await assert.rejects(readConfigForServing({ WORKERS: '2' }), {
      name: 'ConfigError',
      message:
        'WORKERS is 2, but the embedded database supports only one process: set DATABASE_URL to a PostgreSQL server, or WORKERS to 1.',
    })
    // Commands other than `serve` run in one process, whatever the setting.
    assert.equal(readConfig({ WORKERS: '2' }).workers, 2)
  })

  it('accept replicas of a database server, each once', async () => {
    const [one, other] = ['postgres://user:p%2Cw@one/database', 'postgres://user@two:5433/database']
    const read = (given: string) => readConfig({ DATABASE_REPLICA_URLS: given }).databaseReplicaUrls
    assert.deepEqual(read(`${one}, ${other}`), [one, other])
    assert.deepEqual(read(`${one}\n${other}\n`), [one, other])
    for (const given of ['one,two', `${one},http://two/database`, `${one},${one}`, ' , ']) {
      const [fault = ''] = faultsOf({ DATABASE_REPLICA_URLS: given })
      assert.match(fault, /^DATABASE_REPLICA_URLS must be /, given)
      assert.doesNotMatch(fault, /p%2Cw/)
    }
    await assert.rejects(readConfigForServing({ DATABASE_REPLICA_URLS: one }), {
      name: 'ConfigError',
      message:
        'DATABASE_REPLICA_URLS is set, but DATABASE_URL is not: set it to the URL of the primary.',
    })
  })

  it('accept database URLs with encoded passwords, sockets and parameters', () => {
    for (const url of [
      'postgres://user:p%40ss%23%2F@host:5432/database?sslmode=require',
      'postgresql:///database?host=/var/run/postgresql',
      'postgres://%2Fvar%2Frun%2Fpostgresql/database',
      'postgres://user:p%40ss@a:5432,b:5433,[::1]/database?sslmode=require&target_session_attrs=read-write',
      'postgres://a/database?target_session_attrs=any',
    ])
      assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url)
  })
})

describe('picture mirrors', () => {
  it('are base URLs keyed by origin, over https or in a private network', () => {
    assert.deepEqual(
      readConfig({
        PICTURE_MIRRORS:
          'https://lain.bgm.tv=https://mirror.example/bgm/, https://t.vndb.org=http://[::1]:81',
      }).pictureMirrors,
      new Map([
        ['https://lain.bgm.tv', 'https://mirror.example/bgm'],
        ['https://t.vndb.org', 'http://[::1]:81'],
      ]),
    )
  })
})

describe('the proxy settings', () => {
  it('are read from variables in upper or lower case, and need no scheme', () => {
    assert.deepEqual(readProxySettings({}), {
      httpsProxy: undefined,
      httpProxy: undefined,
      noProxy: [],
    })
    assert.deepEqual(
      readProxySettings({
        HTTPS_PROXY: 'https://user:p%40ss@proxy:3128/',
        https_proxy: 'http://other:3128',
        http_proxy: 'proxy.example:3128',
        no_proxy: 'Example.org, *.example.com 10.1.2.3:80,[::1],,10.0.0.0/8,*',
      }),
      {
        httpsProxy: 'https://user:p%40ss@proxy:3128/',
        httpProxy: 'http://proxy.example:3128',
        noProxy: ['example.org', '.example.com', '10.1.2.3:80', '[::1]', '10.0.0.0/8', '*'],
      },
    )
  })

  it('exempt IPv6 addresses from the proxy, whatever their notation', () => {
    const { noProxy } = readProxySettings({
      NO_PROXY: '2001:DB8:0::1,[2001:db8::0:2],[2001:db8::3]:443',
    })
    assert.deepEqual(noProxy, ['[2001:db8::1]', '[2001:db8::2]', '[2001:db8::3]:443'])
  })

  it('are recognized in upper and lower case, and variables of other programs cause no warning', () => {
    const known = { HTTPS_PROXY_FILE: 'x', https_proxy: 'x', no_proxy: 'x', ftp_proxy: 'x' }
    assert.deepEqual(findUnknownSettings(known, '/nonexistent'), [])
    assert.match(findUnknownSettings({ HTTPS_PROX: 'x' }, '/nonexistent').join(), /HTTPS_PROXY/)
  })
})

describe('an invalid setting', () => {
  const ORIGIN = 'must be an http or https URL without a path or trailing slash, such as'
  const DATABASE =
    'DATABASE_URL must be a URL such as postgres://user:password@host/database, with special characters percent-encoded'
  const WRONG: [name: string, value: string, line: string][] = [
    ['PORT', '-1', 'PORT must be a whole number from 0 to 65535, not "-1"'],
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535, not "65536"'],
    ['PORT', '1e3', 'PORT must be a whole number from 0 to 65535, not "1e3"'],
    ['PORT', ' ', 'PORT must be a whole number from 0 to 65535, not " "'],
    [
      'HOST',
      '[::1]',
      'HOST must be an IP address (IPv6 without brackets) or a host name, not "[::1]"',
    ],
    [
      'HOST',
      'a\nb',
      String.raw`HOST must be an IP address (IPv6 without brackets) or a host name, not "a\nb"`,
    ],
    [
      'HOST',
      'fe80::1%lo',
      'HOST must be an IP address (IPv6 without brackets) or a host name, not "fe80::1%lo"',
    ],
    ['AUTH_URL', 'https://a.org/', `AUTH_URL ${ORIGIN} https://a.org, not "https://a.org/"`],
    ['API_URL', 'https://a.org/v3', `API_URL ${ORIGIN} https://a.org, not "https://a.org/v3"`],
    ['BASE_URL', 'https://A.org', `BASE_URL ${ORIGIN} https://a.org, not "https://A.org"`],
    ['BASE_URL', 'https://a.org:443', `BASE_URL ${ORIGIN} https://a.org, not "https://a.org:443"`],
    ['BASE_URL', 'https://a.org?', `BASE_URL ${ORIGIN} https://a.org, not "https://a.org?"`],
    ['BASE_URL', 'a.org', `BASE_URL ${ORIGIN} https://api.example.org, not "a.org"`],
    ['BASE_URL', 'ftp://a.org', `BASE_URL ${ORIGIN} https://api.example.org, not "ftp://a.org"`],
    ['TRUSTED_PROXIES', 'true', 'TRUSTED_PROXIES must be a whole number from 0 to 10, not "true"'],
    ['WORKERS', '0', 'WORKERS must be auto or a whole number from 1 to 256, not "0"'],
    ['WORKERS', 'all', 'WORKERS must be auto or a whole number from 1 to 256, not "all"'],
    ['DATABASE_POOL_SIZE', '0', 'DATABASE_POOL_SIZE must be a whole number from 1 to 100, not "0"'],
    [
      'BANGUMI_API_URL',
      'http://api.bgm.tv',
      'BANGUMI_API_URL must be an https URL such as https://api.bgm.tv, not "http://api.bgm.tv"',
    ],
    [
      'HTTPS_PROXY',
      'socks5://user:hidden@proxy:1080',
      'HTTPS_PROXY must be a URL such as http://user:password@proxy:3128, with special characters percent-encoded, not "socks5://…"',
    ],
    [
      'HTTP_PROXY',
      'user:hidden@proxy/path',
      'HTTP_PROXY must be a URL such as http://user:password@proxy:3128, with special characters percent-encoded',
    ],
    [
      'NO_PROXY',
      'https://example.org',
      'NO_PROXY must be a comma-separated list of hosts such as localhost,.example.org,10.1.2.3, not "https://example.org"',
    ],
    ...[
      'https://lain.bgm.tv',
      'https://example.org=https://mirror.example',
      'http://lain.bgm.tv=https://mirror.example',
      'https://lain.bgm.tv=http://mirror.example',
      'https://lain.bgm.tv=http://8.8.8.8',
      'https://lain.bgm.tv=https://mirror.example?a=',
      'https://lain.bgm.tv=ftp://127.0.0.1',
      'https://lain.bgm.tv=https://a.example,https://lain.bgm.tv=https://b.example',
      ',',
    ].map((value): [string, string, string] => [
      'PICTURE_MIRRORS',
      value,
      `PICTURE_MIRRORS must be a list such as https://lain.bgm.tv=https://mirror.example/bgm, with each source once (${SOURCE_NAMES.flatMap((source) => SOURCES[source].pictureHosts).join(', ')}) and https mirrors, not ${JSON.stringify(value)}`,
    ]),
    ...['https://a.example/b/c', 'https://a.example/b?c', 'https://a.example/b c'].map(
      (value): [string, string, string] => [
        'BUCKET_URL',
        value,
        `BUCKET_URL must be the URL of a bucket without credentials, such as https://s3.example.org/bucket or https://bucket.s3.example.org, not ${JSON.stringify(value)}`,
      ],
    ),
    ...['../a', 'a//b', '.', 'a b'].map((value): [string, string, string] => [
      'BUCKET_PREFIX',
      value,
      `BUCKET_PREFIX must be letters, digits, hyphens and dots, such as mokuroku or sites/mokuroku, not ${JSON.stringify(value)}`,
    ]),
    [
      'BUCKET_CONTENTS',
      'pictures,uploads',
      'BUCKET_CONTENTS must be one of pictures, backups, not "pictures,uploads"',
    ],
    ['IMAGES', 'true', 'IMAGES must be one of on, off, not "true"'],
    [
      'IMAGE_ORIGINS',
      'https://a.org,https://b.org/x',
      `IMAGE_ORIGINS ${ORIGIN} https://b.org, not "https://a.org,https://b.org/x"`,
    ],
    [
      'METRICS_ADDRESS',
      '9464',
      'METRICS_ADDRESS must be an address and a port such as 127.0.0.1:9464 or [::1]:9464, not "9464"',
    ],
    ...['8.8.8.8:9464', '[2606:4700::1]:9464'].map((value): [string, string, string] => [
      'METRICS_ADDRESS',
      value,
      `METRICS_ADDRESS must be on a loopback or private network, because it requires no password, not "${value}"`,
    ]),
    [
      'LOG_LEVEL',
      'loud',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, silent, not "loud"',
    ],
    [
      'MAIL_FROM',
      'nobody',
      'MAIL_FROM must be a mail address, optionally as name <address>, not "nobody"',
    ],
    [
      'MAIL_FROM',
      'a@b\r\nBcc: c@d',
      'MAIL_FROM must be a mail address, optionally as name <address>',
    ],
    [
      'MAIL_FROM',
      'A <a@b>, C <c@d>',
      'MAIL_FROM must be a mail address, optionally as name <address>',
    ],
    [
      'SECRET_KEY',
      'abc://def',
      'SECRET_KEY must be at least 32 characters long, such as the output of `openssl rand -base64 32`',
    ],
    ['DATABASE_URL', 'mysql://host/database', `${DATABASE}, not "mysql://…"`],
    ['DATABASE_URL', 'postgres:host', DATABASE],
    ['DATABASE_URL', 'postgres://user:p@ss@a:1,b:2/database@', `${DATABASE}, not "postgres://…"`],
    ['DATABASE_URL', 'postgres://a:1,b:x/database', `${DATABASE}, not "postgres://…"`],
    [
      'DATABASE_URL',
      'postgres://a,,b/database',
      'DATABASE_URL must be a URL whose hosts all have a name, not "postgres://…"',
    ],
    [
      'DATABASE_DIRECT_URL',
      'postgres://a,b/database?target_session_attrs=standby',
      'DATABASE_DIRECT_URL must be a URL whose target_session_attrs is read-write, not "postgres://…"',
    ],
    [
      'DATABASE_URL',
      'postgres://a,b/database?target_session_attrs=any',
      'DATABASE_URL must be a URL with one host, or one whose target_session_attrs is read-write, not "postgres://…"',
    ],
    [
      'REDIS_URL',
      'http://host',
      'REDIS_URL must be a URL such as redis://host:6379, with special characters percent-encoded, not "http://…"',
    ],
  ]
  for (const [name, value, line] of WRONG)
    it(`is reported on one line: ${name}=${JSON.stringify(value)}`, () => {
      assert.deepEqual(faultsOf({ [name]: value }), [`${line}.`])
    })

  it('is reported together with all others', () => {
    const lines = faultsOf({ PORT: 'x', ACCESS_LOG_FORMAT: 'x', AUTH_URL: 'x', SECRET_KEY: 'x' })
    assert.deepEqual(
      lines.map((line) => line.split(' ')[0]),
      ['PORT', 'AUTH_URL', 'SECRET_KEY', 'ACCESS_LOG_FORMAT'],
    )
  })

  for (const [name, value] of [
    ['SECRET_KEY', 'sesame'],
    ['DATABASE_URL', 'mysql://user:sesame@host/database'],
    ['DATABASE_URL', 'postgres://user:sesame'],
    ['DATABASE_URL', 'postgres://user:1#sesame@host/database'],
    ['DATABASE_URL', 'postgres://user:1/sesame@host/database'],
    ['DATABASE_URL', 'postgres://user:sesame%@host/database'],
    ['DATABASE_URL', 'user:sesame@host/database'],
    ['DATABASE_URL', 'host=localhost password=sesame'],
    ['REDIS_URL', 'https://:sesame@host'],
    ['SMTP_URL', 'smtp:user:sesame@host'],
    ['SMTP_URL', 'sesame'],
    ['AUTH_URL', 'https://user:sesame@a.org'],
    ['BASE_URL', 'https://:sesame@a.org'],
  ] as const)
    it(`is reported without the password: ${name}=${value}`, () => {
      const lines = faultsOf({ [name]: value })
      assert.equal(lines.length, 1)
      assert.ok(lines[0]?.startsWith(`${name} must be `))
      assert.ok(!lines[0]?.includes('sesame'))
    })
})

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
    assert.deepEqual(faultsOf({ SECRET_KEY: 'k'.repeat(40), SECRET_KEY_FILE: file }), [
      'SECRET_KEY and SECRET_KEY_FILE are both set. Keep one of them.',
    ])
    const [missing, wrong] = [join(path, 'missing'), faultsOf({ SECRET_KEY_FILE: file })]
    assert.match(
      faultsOf({ SMTP_URL_FILE: missing }).join('\n'),
      /^SMTP_URL_FILE is ".*missing", which cannot be read: ENOENT/,
    )
    assert.match(wrong.join('\n'), /^SECRET_KEY must be at least 32 characters long/)
    assert.doesNotMatch(wrong.join('\n'), /sesame/)
  })
})

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

  it('is always reported in .env, whatever its name', () => {
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

describe('the settings of sign-in providers', () => {
  const { path: folder, remove } = temporaryFolder()
  after(remove)
  const GOOGLE = {
    UPSTREAM_PROVIDERS: 'google',
    UPSTREAM_GOOGLE_ISSUER: 'https://accounts.google.com/',
    UPSTREAM_GOOGLE_CLIENT_ID: 'id',
    UPSTREAM_GOOGLE_CLIENT_SECRET: 'secret',
  }

  it('are read for each provider that UPSTREAM_PROVIDERS names', () => {
    const { upstreamProviders } = readConfig({
      ...GOOGLE,
      UPSTREAM_PROVIDERS: 'google, club',
      UPSTREAM_CLUB_ISSUER: 'http://localhost:9000/oidc',
      UPSTREAM_CLUB_CLIENT_ID: 'library',
      UPSTREAM_CLUB_CLIENT_SECRET: 'other',
      UPSTREAM_CLUB_LABEL: 'The book club',
    })
    assert.deepEqual(upstreamProviders, [
      {
        name: 'google',
        issuerUrl: 'https://accounts.google.com/',
        issuer: 'https://accounts.google.com',
        clientId: 'id',
        clientSecret: 'secret',
        label: 'google',
      },
      {
        name: 'club',
        issuerUrl: 'http://localhost:9000/oidc',
        issuer: 'http://localhost:9000/oidc',
        clientId: 'library',
        clientSecret: 'other',
        label: 'The book club',
      },
    ])
  })

  it('accept a client secret that is stored in a file', () => {
    const file = join(folder, 'secret')
    writeFileSync(file, 'from a file\n')
    const environment = {
      ...GOOGLE,
      UPSTREAM_GOOGLE_CLIENT_SECRET: '',
      UPSTREAM_GOOGLE_CLIENT_SECRET_FILE: file,
    }
    assert.equal(readConfig(environment).upstreamProviders[0]?.clientSecret, 'from a file')
    assert.ok(listSecretFiles(environment).includes(file))
  })

  it('are rejected with one error per missing setting', () => {
    assert.deepEqual(faultsOf({ UPSTREAM_PROVIDERS: 'google' }), [
      'UPSTREAM_PROVIDERS names google, but UPSTREAM_GOOGLE_ISSUER is not set.',
      'UPSTREAM_PROVIDERS names google, but UPSTREAM_GOOGLE_CLIENT_ID is not set.',
      'UPSTREAM_PROVIDERS names google, but UPSTREAM_GOOGLE_CLIENT_SECRET is not set.',
    ])
  })

  it('are rejected if a name is invalid, an issuer uses plain http, or two providers have the same issuer', () => {
    for (const names of ['Google', 'a,a', 'my-club', 'a,,b', '2nd'])
      assert.match(faultsOf({ UPSTREAM_PROVIDERS: names })[0] ?? '', /^UPSTREAM_PROVIDERS must be/)
    assert.match(
      faultsOf({ ...GOOGLE, UPSTREAM_GOOGLE_ISSUER: 'http://accounts.google.com' })[0] ?? '',
      /^UPSTREAM_GOOGLE_ISSUER must be an https URL/,
    )
    assert.match(
      faultsOf({
        ...GOOGLE,
        UPSTREAM_PROVIDERS: 'google,again',
        UPSTREAM_AGAIN_ISSUER: 'https://Accounts.Google.com:443/',
        UPSTREAM_AGAIN_CLIENT_ID: 'id',
        UPSTREAM_AGAIN_CLIENT_SECRET: 'secret',
      })[0] ?? '',
      /^UPSTREAM_PROVIDERS names google and again, which have the same issuer/,
    )
  })

  it('are rejected without printing the secret if it is invalid', () => {
    const [fault = ''] = faultsOf({ ...GOOGLE, UPSTREAM_GOOGLE_CLIENT_SECRET: 'two\nlines' })
    assert.match(fault, /^UPSTREAM_GOOGLE_CLIENT_SECRET must be one line/)
    assert.doesNotMatch(fault, /two/)
  })

  it('cause no warning unless a name is misspelled', () => {
    assert.deepEqual(findUnknownSettings(GOOGLE, folder), [])
    const { UPSTREAM_GOOGLE_CLIENT_ID: _id, ...rest } = GOOGLE
    assert.deepEqual(findUnknownSettings({ ...rest, UPSTREAM_GOOGLE_CLIENT_IDS: 'id' }, folder), [
      'UPSTREAM_GOOGLE_CLIENT_IDS is not a setting and has no effect. Did you mean UPSTREAM_GOOGLE_CLIENT_ID?',
    ])
  })

  it('are listed as effective settings without the secret', () => {
    const listed = listEffectiveSettings(GOOGLE, folder)
    const secret = listed.find(({ name }) => name === 'UPSTREAM_GOOGLE_CLIENT_SECRET')
    assert.equal(secret?.isSet, true)
    assert.equal(secret.value, undefined)
    assert.ok(
      listed.some(({ name, value }) => name === 'UPSTREAM_GOOGLE_CLIENT_ID' && value === 'id'),
    )
  })
})
