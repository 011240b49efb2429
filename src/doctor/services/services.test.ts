import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { addAccount } from '#test/accounts.ts'
import { eventually } from '#test/browser.ts'
import { codesOf, examineInstallation, findingOf } from '#test/examination.ts'
import { startForgedProvider, type ForgedProvider, type Lies } from '#test/forged-provider.ts'
import { FORWARD_PROXY_MISSING, startForwardProxy } from '#test/forward-proxy.ts'
import { bucketEnvironment, OBJECT_STORE_MISSING, startObjectStore } from '#test/object-store.ts'
import { startMailServer } from '#test/mail-server.ts'
import { freePort } from '#test/postgres.ts'
import { temporaryFolder } from '#test/program.ts'
import { redisMissing, startRedis } from '#test/redis.ts'
import { missingProgram } from '#test/required-programs.ts'
import { startService, type TestService } from '#test/service.ts'
import { setRole } from '../../accounts/role-queries.ts'
import { DIRECT, useProxy } from '../../outbound/proxy.ts'
import { sendTestMail } from '../../accounts/mail/test-mail.ts'
import { Bucket } from '../../storage/bucket.ts'
import { fault } from '../finding.ts'
import type { Limits } from '../check.ts'
import { explainMailFailure } from './mail-failure.ts'

/** The services are checked without a database. */
const NO_DATABASE = fault('database.cannot_open')
const { path, remove } = temporaryFolder()
after(remove)

const examineServices = (environment: NodeJS.ProcessEnv, limits: Partial<Limits> = {}) =>
  examineInstallation({
    database: { databaseUrl: undefined, dataDir: path },
    db: NO_DATABASE,
    environment,
    limits,
  })

/** Listens on a free port of 127.0.0.1, and closes the server after `work`. */
async function withServer<Result>(server: Server, work: (port: number) => Promise<Result>) {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    // as: the server listens on a port
    return await work((server.address() as AddressInfo).port)
  } finally {
    await new Promise((closed) => server.close(closed))
  }
}

/**
 * Creates a self-signed certificate for 127.0.0.1 that is valid for the given number of days from now. If the number
 * is negative, the certificate has expired.
 */
function certificate(days: number) {
  const [key, request, cert] = ['key', 'request', 'cert'].map((name) =>
    join(path, `${days}-${name}`),
  )
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args)
    assert.equal(status, 0, stderr.toString())
  }
  const names = ['-subj', '/CN=127.0.0.1']
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key ?? '',
    '-out',
    request ?? '',
    ...names,
  )
  openssl(
    'x509',
    '-req',
    '-in',
    request ?? '',
    '-signkey',
    key ?? '',
    '-days',
    String(days),
    '-out',
    cert ?? '',
  )
  return { key: readFileSync(key ?? ''), cert: readFileSync(cert ?? '') }
}

describe('the Redis check', { skip: redisMissing() }, () => {
  it('reports eviction, replicas, and slow or unreachable servers', async () => {
    const redis = await startRedis()
    const client = new Redis(redis.url)
    const codes = async (limits = {}) =>
      codesOf(
        await examineServices({ REDIS_URL: redis.url }, { redisMs: 1_000, ...limits }),
        'redis',
      )
    try {
      assert.deepEqual(await codes(), [])
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      assert.deepEqual(await codes(), [], 'there is no memory limit')
      await client.config('SET', 'maxmemory', '50mb')
      assert.deepEqual(await codes({ redisMs: 0 }), ['warning redis.evicts', 'warning redis.slow'])
      await client.config('SET', 'maxmemory-policy', 'noeviction')
      await client.replicaof('127.0.0.1', 1)
      assert.deepEqual(await codes(), ['error redis.replica'])
      redis.pause()
      const frozen = await examineServices({ REDIS_URL: redis.url })
      redis.resume()
      assert.equal(findingOf(frozen, 'redis.unreachable')?.why, 'silent')
    } finally {
      client.disconnect()
      await redis.stop()
    }
    const stopped = await examineServices({ REDIS_URL: redis.url })
    assert.equal(findingOf(stopped, 'redis.unreachable')?.why, 'refused')
  })
})

describe('the bucket check', { skip: OBJECT_STORE_MISSING }, () => {
  it('writes, reads and deletes an object, and reports what is wrong with the bucket', async () => {
    const store = await startObjectStore()
    try {
      const settings = await store.createBucket({ prefix: 'site/' })
      const environment = bucketEnvironment(settings)
      const examined = async (change: Record<string, string>) =>
        codesOf(await examineServices({ ...environment, ...change }), 'bucket')
      assert.deepEqual(await examined({}), [])
      assert.deepEqual(await new Bucket(settings).list(''), [])
      assert.deepEqual(await examined({ BUCKET_SECRET_KEY: 'wrong' }), ['error bucket.secret_key'])
      assert.deepEqual(await examined({ BUCKET_URL: `${settings.url}-missing` }), [
        'error bucket.missing',
      ])
      const away = await examineServices({
        ...environment,
        BUCKET_URL: `http://127.0.0.1:${await freePort()}/b`,
      })
      assert.equal(findingOf(away, 'bucket.unreachable')?.why, 'refused')
      store.pause()
      const silent = await examineServices(environment)
      store.resume()
      assert.equal(findingOf(silent, 'bucket.unreachable')?.why, 'silent')
    } finally {
      await store.stop()
    }
  })
})

describe('the mail server check', () => {
  const mailCodes = async (smtpUrl: string) => {
    const results = await examineServices({ SMTP_URL: smtpUrl, MAIL_FROM: 'a@mokuroku.example' })
    const [first] = results.find(({ id }) => id === 'mail')?.findings ?? []
    return first && [first.code, first.why].filter(Boolean).join(' ')
  }
  const withMailServer = <Result>(
    options: SMTPServerOptions,
    work: (port: number) => Promise<Result>,
  ) => {
    const smtp = new SMTPServer({ logger: false, authOptional: true, ...options })
    smtp.on('error', () => {})
    return withServer(smtp.server, work)
  }

  it('finds nothing wrong with a working server, and sends no email', async () => {
    const server = await startMailServer()
    assert.equal(await mailCodes(server.url), undefined)
    assert.equal(server.offers(), 0)
    await server.close()
  })

  it('distinguishes unknown hosts, closed ports, silent servers, TLS errors and wrong credentials', async () => {
    assert.equal(await mailCodes('smtp://missing.invalid'), 'mail.unreachable name')
    assert.equal(await mailCodes('smtp://127.0.0.1:1'), 'mail.unreachable refused')
    await withServer(
      createServer((socket) => void socket.on('error', () => {})),
      async (port) =>
        assert.equal(await mailCodes(`smtp://127.0.0.1:${port}`), 'mail.unreachable silent'),
    )
    const server = await startMailServer()
    assert.equal(await mailCodes(server.url.replace('smtp:', 'smtps:')), 'mail.tls')
    await server.close()
    await withMailServer({ secure: true, ...certificate(30) }, async (port) =>
      assert.equal(await mailCodes(`smtps://127.0.0.1:${port}`), 'mail.tls'),
    )
    await withMailServer(
      {
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: (_auth, _session, done) => done(new Error('Wrong password')),
      },
      async (port) => assert.equal(await mailCodes(`smtp://u:p@127.0.0.1:${port}`), 'mail.login'),
    )
  })

  it('explains why a test email was rejected', async () => {
    const refuse = (code: number) => Object.assign(new Error('No'), { responseCode: code })
    const options = { disabledCommands: ['STARTTLS'] }
    for (const [more, code] of [
      [{ onMailFrom: (_a, _s, done) => done(refuse(550)) }, 'mail.sender'],
      [{ onRcptTo: (_a, _s, done) => done(refuse(550)) }, 'mail.recipient'],
      [
        {
          onData: (stream, _s, done) => {
            stream.resume().on('end', () => done(refuse(554)))
          },
        },
        'mail.rejected',
      ],
    ] as [SMTPServerOptions, string][])
      await withMailServer({ ...options, ...more }, async (port) => {
        const smtpUrl = `smtp://127.0.0.1:${port}`
        const error: unknown = await sendTestMail('b@b.example', {
          smtpUrl,
          mailFrom: 'a@a.example',
        }).catch((caught: unknown) => caught)
        assert.equal(explainMailFailure(error).code, code)
      })
  })
})

describe('the sign-in provider check', () => {
  let club: ForgedProvider
  before(async () => (club = await startForgedProvider()))
  after(() => club.close())

  const DISCOVERY = '/.well-known/openid-configuration'
  const examineProvider = async (environment: NodeJS.ProcessEnv = {}) => {
    const results = await examineServices({
      UPSTREAM_PROVIDERS: 'club',
      ...club.settings('club'),
      ...environment,
    })
    return results.find(({ id }) => id === 'providers')?.findings ?? []
  }
  const codesAt = async (issuer: string) =>
    (await examineProvider({ UPSTREAM_CLUB_ISSUER: issuer })).map(({ code, why }) =>
      [code, why].filter(Boolean).join(' '),
    )

  it('finds nothing wrong with a working provider, and is skipped if none is configured', async () => {
    club.lie({})
    assert.deepEqual(await examineProvider(), [])
    const without = await examineServices({})
    assert.ok(!without.some(({ id }) => id === 'providers'))
  })

  it('reports unexpected statuses, redirects, documents and issuers', async () => {
    const cases: [Lies, string, Record<string, unknown>][] = [
      [
        { responses: { [DISCOVERY]: (response) => void response.writeHead(503).end() } },
        'providers.status',
        { status: 503 },
      ],
      [
        {
          responses: {
            [DISCOVERY]: (response) =>
              void response.writeHead(302, { location: `${club.issuer}/login` }).end(),
          },
        },
        'providers.status',
        { status: 302 },
      ],
      [
        { responses: { [DISCOVERY]: (response) => void response.end('<h1>Hello</h1>') } },
        'providers.no_document',
        { url: club.issuer },
      ],
      [{ metadata: { issuer: undefined } }, 'providers.no_document', { url: club.issuer }],
      [
        { metadata: { issuer: 'https://evil.example' } },
        'providers.other_issuer',
        { url: club.issuer, announced: 'https://evil.example' },
      ],
    ]
    for (const [lies, code, params] of cases) {
      club.lie(lies)
      const findings = await examineProvider()
      assert.deepEqual(
        findings.map((finding) => [finding.level, finding.code, finding.params]),
        [['error', code, { setting: 'UPSTREAM_CLUB_ISSUER', ...params }]],
      )
    }
    club.lie({})
  })

  it('distinguishes unknown hosts, closed ports, silent providers and TLS errors', async () => {
    assert.deepEqual(await codesAt('https://missing.invalid'), ['providers.unreachable name'])
    assert.deepEqual(await codesAt(`http://127.0.0.1:${await freePort()}`), [
      'providers.unreachable refused',
    ])
    assert.deepEqual(await codesAt(club.issuer.replace('http:', 'https:')), [
      'providers.unreachable tls',
    ])
    club.lie({ delayMs: 4_500 })
    assert.deepEqual(await codesAt(club.issuer), ['providers.unreachable silent'])
    club.lie({})
  })

  it('uses the outbound proxy', { skip: FORWARD_PROXY_MISSING }, async () => {
    const proxy = await startForwardProxy()
    useProxy({ httpsProxy: proxy.url, httpProxy: undefined, noProxy: [] })
    try {
      assert.deepEqual(await codesAt('https://provider.invalid'), ['providers.unreachable proxy'])
      assert.deepEqual(proxy.requests(), ['CONNECT provider.invalid:443'])
    } finally {
      useProxy(DIRECT)
      await proxy.stop()
    }
  })
})

describe('the check of the public URLs', () => {
  const issuerOf = async (environment: NodeJS.ProcessEnv) => {
    const results = await examineServices(environment)
    return codesOf(results, 'issuer')
  }
  const withIssuer = (listener: RequestListener, code: string[]) =>
    withServer(createHttpServer(listener), async (port) =>
      assert.deepEqual(await issuerOf({ AUTH_URL: `http://127.0.0.1:${port}` }), code),
    )

  it('reports redirects, unexpected statuses, other programs and other issuers', async () => {
    await withIssuer(
      (_request, response) => response.writeHead(301, { location: 'https://a.example/' }).end(),
      ['error issuer.redirect'],
    )
    await withIssuer((_request, response) => response.writeHead(502).end(), ['error issuer.status'])
    await withIssuer((_request, response) => response.end('<html>'), ['error issuer.other_program'])
    await withIssuer(
      (_request, response) => response.end('{"issuer":"https://a.example/oidc"}'),
      ['error issuer.other_issuer'],
    )
  })

  it('reports unknown host names and servers that do not respond', async () => {
    assert.deepEqual(await issuerOf({ AUTH_URL: 'http://127.0.0.1:1' }), [
      'warning issuer.not_running',
    ])
    const results = await examineServices({
      AUTH_URL: 'http://missing.invalid',
      API_URL: 'http://127.0.0.2:1',
      BASE_URL: 'http://missing.invalid',
    })
    assert.deepEqual(codesOf(results, 'issuer'), [
      'error issuer.unreachable',
      'error issuer.unreachable',
    ])
    assert.deepEqual(
      results.find(({ id }) => id === 'issuer')?.findings.map(({ why }) => why),
      ['name', 'refused'],
    )
  })

  it(
    'reports certificates that are expired, untrusted or about to expire',
    { skip: missingProgram('openssl', 'openssl') },
    async () => {
      for (const [days, codes] of [
        [-1, ['error issuer.certificate_expired']],
        [30, ['error issuer.certificate_invalid']],
        [10, ['error issuer.certificate_invalid', 'warning issuer.certificate_expires']],
        [2, ['error issuer.certificate_invalid', 'error issuer.certificate_expires']],
      ] as [number, string[]][])
        await withServer(
          createHttpsServer(certificate(days), (request, response) =>
            response.end(`{"issuer":"https://${request.headers.host}/oidc"}`),
          ),
          async (port) =>
            assert.deepEqual(await issuerOf({ AUTH_URL: `https://127.0.0.1:${port}` }), codes),
        )
    },
  )
})

describe('the proxy check', () => {
  let service: TestService
  before(async () => (service = await startService({ content: 'empty' })))
  after(() => service.close())

  const examineBehind = (url: string, environment: NodeJS.ProcessEnv = {}) =>
    examineInstallation({
      database: service.config,
      environment: { AUTH_URL: url, ...environment },
    })

  it('finds nothing wrong without a proxy, and reports trusted hops that do not exist', async () => {
    const results = await examineBehind(service.url)
    assert.deepEqual([codesOf(results, 'proxy'), codesOf(results, 'issuer')], [[], []])
    const trusting = await examineBehind(service.url, { TRUSTED_PROXIES: '1' })
    assert.deepEqual(codesOf(trusting, 'proxy'), ['error proxy.fewer_hops'])
  })

  it(
    'reports untrusted hops and a limit on the body size',
    { skip: missingProgram('nginx', 'nginx-light') },
    async () => {
      const port = await freePort()
      const file = join(path, 'nginx.conf')
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(path, name)};`)
        .join('\n')
      const user = process.getuid?.() === 0 ? 'user root;\n' : ''
      writeFileSync(
        file,
        `daemon off;\n${user}pid ${join(path, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n` +
          `server { listen 127.0.0.1:${port}; location / { proxy_pass ${service.url}; proxy_set_header Host $host; ` +
          'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; } } }\n',
      )
      const nginx = spawn('nginx', ['-c', file, '-p', path], { stdio: 'ignore' })
      const proxy = `http://127.0.0.1:${port}`
      try {
        await eventually(
          async () => (await fetch(`${proxy}/health/ready`).catch(() => undefined))?.ok === true,
          'nginx',
        )
        const results = await examineBehind(proxy)
        assert.deepEqual(codesOf(results, 'proxy'), [
          'error proxy.more_hops',
          'error proxy.body_rejected',
        ])
        assert.equal(findingOf(results, 'proxy.body_rejected')?.params?.['status'], 413)
        const right = await examineInstallation({
          database: service.config,
          environment: { AUTH_URL: proxy, TRUSTED_PROXIES: '1' },
          limits: { bodyBytes: 500_000 },
        })
        assert.deepEqual(codesOf(right, 'proxy'), [])
      } finally {
        nginx.kill()
      }
    },
  )

  it('reports a connection that is closed while the body is sent', async () => {
    const cutting = createServer((socket) => {
      const upstream = connect(service.config.port, '127.0.0.1')
      let received = 0
      for (const end of [socket, upstream]) end.on('error', () => {})
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received > 1_000_000) socket.destroy()
      })
      socket.pipe(upstream).pipe(socket)
      socket.on('close', () => upstream.destroy())
    })
    await withServer(cutting, async (port) =>
      assert.deepEqual(codesOf(await examineBehind(`http://127.0.0.1:${port}`), 'proxy'), [
        'error proxy.body_cut',
      ]),
    )
  })

  it('reports a proxy that leads to a service with a different database', async () => {
    const other = await startService({ content: 'empty' })
    try {
      assert.deepEqual(codesOf(await examineBehind(other.url), 'proxy'), [
        'warning proxy.other_service',
      ])
    } finally {
      await other.close()
    }
  })

  it('gets 404 from the probe endpoint without a valid token', async () => {
    const probe = (token: string) =>
      fetch(`${service.url}/health/probe`, { method: 'POST', headers: { 'mokuroku-probe': token } })
    const statuses = await Promise.all(
      ['', 'x', `${Date.now()}.x`, `${Date.now() - 600_000}.x`].map(async (token) => {
        const { status } = await probe(token)
        return status
      }),
    )
    assert.deepEqual(statuses, [404, 404, 404, 404])
  })
})

describe('the sign-up check', () => {
  it('reports that no administrator can approve accounts', async () => {
    const service = await startService({ content: 'empty' })
    const codes = async (mode: string) =>
      codesOf(
        await examineInstallation({ database: service.config, environment: { SIGN_UP: mode } }),
        'sign_up',
      )
    try {
      assert.deepEqual(await codes('approval'), ['warning sign_up.no_administrator'])
      assert.deepEqual(await codes('open'), [])
      const id = await addAccount(service.db, {
        email: 'ann@example.org',
        name: 'Ann',
        password: 'a long enough one',
      })
      await setRole(service.db, id, 'ADMIN')
      assert.deepEqual(await codes('approval'), [])
    } finally {
      await service.close()
    }
  })
})
