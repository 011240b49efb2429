import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { examineServicesIn } from '#test/examine-services.ts'
import { startForgedProvider, type ForgedProvider, type Lies } from '#test/forged-provider.ts'
import { FORWARD_PROXY_MISSING, startForwardProxy } from '#test/forward-proxy.ts'
import { freePort } from '#test/free-port.ts'
import { DIRECT, useProxy } from '../../outbound/proxy.ts'

describe('the sign-in provider check', () => {
  const { examineServices } = examineServicesIn()

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
