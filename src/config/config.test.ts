import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { bySource, SOURCES } from '../sources/registry.ts'
import { describeSettings, readConfig, readConfigForServing } from './config.ts'

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
      maxWaitingRequests: { perProcess: 5_000, perApp: 500 },
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
      webhooks: 'on',
      mcp: 'on',
      clientDocuments: 'on',
      redisUrl: undefined,
      secretKey: undefined,
      serviceWorker: 'on',
      smtpUrl: undefined,
      mailFrom: 'mokuroku <mokuroku@localhost>',
      signUp: 'open',
      signUpMailDomains: [],
      catalogRequestsPerMinute: 60,
      tokenRequestsPerMinute: 300,
      failedAuthenticationsPerMinute: 300,
      userRequestsPerMinute: 60,
      anonymousRequestsPerMinute: 60,
      anonymousCatalog: false,
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
      personalTokenDays: undefined,
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
})
