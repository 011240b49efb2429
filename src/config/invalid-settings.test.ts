import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { settingFaults } from '#test/settings.ts'
import { SOURCE_NAMES, SOURCES } from '../sources/registry.ts'

describe('an invalid setting', () => {
  const ORIGIN = 'must be an http or https URL without a path or trailing slash, such as'
  const DATABASE =
    'DATABASE_URL must be a URL such as postgres://user:password@host/database, with special characters percent-encoded'
  const INVALID_VALUES: [name: string, value: string, line: string][] = [
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
      'pictures,avatars',
      'BUCKET_CONTENTS must be any of pictures, uploads and backups, separated by commas, not "pictures,avatars"',
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
  for (const [name, value, line] of INVALID_VALUES)
    it(`is reported on one line: ${name}=${JSON.stringify(value)}`, () => {
      assert.deepEqual(settingFaults({ [name]: value }), [`${line}.`])
    })

  it('is reported together with all others', () => {
    const lines = settingFaults({
      PORT: 'x',
      ACCESS_LOG_FORMAT: 'x',
      AUTH_URL: 'x',
      SECRET_KEY: 'x',
    })
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
      const lines = settingFaults({ [name]: value })
      assert.equal(lines.length, 1)
      assert.ok(lines[0]?.startsWith(`${name} must be `))
      assert.ok(!lines[0]?.includes('sesame'))
    })
})
