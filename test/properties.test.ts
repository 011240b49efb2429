import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, it } from 'node:test'
import { KINDS } from '../src/catalog/kinds.ts'
import { fc } from '#test/arbitrary-text.ts'
import { send, type RawResponse } from '#test/attacks.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { responseValidator, documentedPath } from '#test/openapi.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const RUNS = 150
/** Time, in milliseconds, after which a response counts as hanging. */
const RESPONSE_TIMEOUT_MS = 20_000

const PATHS = Object.values(KINDS).map(({ path }) => path)
const LISTS = [
  '',
  '/staff',
  '/characters',
  '/producers',
  '/developers',
  '/relations',
  '/volumes',
  '/people',
]
const PREFIXES = ['/api/v3/open', '/v3', '/api/v3/open/', '//v3', '/V3', '']

describeOnDatabase('arbitrary input', (engine) => {
  let service: TestService
  let token: string
  const problems = responseValidator()
  before(async () => {
    service = await shareService(engine)
    token = await service.token()
  })
  after(() => service.close())

  /** Asserts that the status is not 500, and that JSON is one of the two envelopes and matches the document. */
  function assertWellFormed(path: string, { status, text: body, headers }: RawResponse) {
    const type = headers['content-type'] ?? ''
    assert.ok(status >= 200 && status < 500, `${status} for ${path}: ${body}`)
    if (!type.startsWith('application/json') || body === '') return
    const response = JSON.parse(body) as {
      success?: boolean
      request_id?: string
      data?: unknown
      error?: { code: string }
    }
    if (!path.startsWith('/api/v3/open')) return
    assert.equal(typeof response.success, 'boolean')
    assert.match(response.request_id ?? '', /^[\w.-]{1,64}$/)
    assert.equal(response.success, status < 300)
    const documented = documentedPath(path)
    if (status === 200) assert.equal(problems(documented, status, response), '')
  }

  const oddText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '',
      '0',
      '-1',
      '1.5',
      '1e9',
      '0x1',
      'NaN',
      'null',
      'true',
      '9007199254740993',
      '9'.repeat(400),
      '\0',
      '%',
      '%00',
      '%zz',
      '../..',
      '..%2f',
      "'",
      '" or 1=1--',
      '😀',
      '\ud800',
      '１',
    ),
    fc.integer({ min: 1, max: 300 }).map(String),
  )
  const encoded = oddText.map((text) => encodeURIComponent(text.toWellFormed()))
  const segment = fc.oneof(
    encoded,
    fc.integer({ min: 1, max: 200 }).map(String),
    fc.constantFrom('%zz', '%', '%C0%80', '%FF'),
  )
  const query = fc.array(
    fc.tuple(
      fc.constantFrom(
        'page',
        'page_size',
        'role',
        'relation',
        'sort',
        'q',
        '__proto__',
        'constructor',
        '',
      ),
      encoded,
    ),
    { maxLength: 5 },
  )
  const headerValue = fc
    .string({ unit: 'grapheme-ascii', maxLength: 60 })
    .map((text) => text.trim())
  const headers = fc.dictionary(
    fc.constantFrom(
      'accept',
      'accept-encoding',
      'if-none-match',
      'if-match',
      'range',
      'x-request-id',
      'content-type',
      'origin',
      'cookie',
      'x-forwarded-for',
      'user-agent',
      'expect-ct',
      'te',
    ),
    headerValue,
    { maxKeys: 4 },
  )

  it('used as a path and query of the catalog gets a documented response', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PREFIXES),
        fc.constantFrom(...PATHS),
        segment,
        fc.constantFrom(...LISTS),
        query,
        headers,
        async (prefix, kind, id, list, parameters, odd) => {
          const path = `${prefix || '/'}/${kind}/${id}${list}${parameters.length > 0 ? `?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}` : ''}`
          assertWellFormed(
            path,
            await send(service.url, path, {
              headers: { ...odd, authorization: `Bearer ${token}` },
            }),
          )
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('used as page and page_size of a list gets a page or 422', async () => {
    const whole = (
      JSON.parse(
        (
          await send(service.url, '/v3/galgames/1/characters', {
            headers: { authorization: `Bearer ${token}` },
          })
        ).text,
      ) as { data: unknown[] }
    ).data
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.integer({ min: -2, max: 30 })),
        fc.option(fc.integer({ min: -2, max: 120 })),
        async (page, size) => {
          const parameters = new URLSearchParams({
            ...(page !== null && { page: String(page) }),
            ...(size !== null && { page_size: String(size) }),
          })
          const response = await send(
            service.url,
            `/v3/galgames/1/characters?${parameters.toString()}`,
            { headers: { authorization: `Bearer ${token}` } },
          )
          const good = (page ?? 1) >= 1 && (size ?? 1) >= 1 && (size ?? 1) <= 100
          assert.equal(response.status, good ? 200 : 422)
          if (!good) return
          const { data } = JSON.parse(response.text) as { data: unknown[] }
          const [from, length] =
            page === null && size === null
              ? [0, Infinity]
              : [((page ?? 1) - 1) * (size ?? 10), size ?? 10]
          assert.deepEqual(data, whole.slice(from, from + length))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('used as a token gets 401', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          headerValue,
          headerValue.map((text) => `Bearer ${text}`),
          fc
            .base64String({ maxLength: 300 })
            .map((text) => `Bearer eyJhbGciOiJFUzI1NiJ9.${text}.${text}`),
        ),
        async (authorization) => {
          const response = await send(service.url, '/v3/people/1', { headers: { authorization } })
          assert.equal(response.status, 401)
          assertWellFormed('/v3/people/1', response)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('used as a body of the token endpoint gets a documented response', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          query.map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&')),
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc
            .tuple(encoded, encoded)
            .map(
              ([scope, id]) =>
                `grant_type=client_credentials&scope=${scope}&client_id=${id}&client_secret=${id}`,
            ),
        ),
        fc.constantFrom(
          'application/x-www-form-urlencoded',
          'application/json',
          'text/plain',
          'multipart/form-data',
          'application/x-www-form-urlencoded; charset=utf-16',
          '',
        ),
        fc.option(headerValue),
        async (body, type, authorization) => {
          const response = await send(service.url, '/oidc/token', {
            method: 'POST',
            body,
            headers: {
              ...(type && { 'content-type': type }),
              ...(authorization !== null && { authorization }),
            },
          })
          assert.ok(
            response.status >= 400 && response.status < 500,
            `${response.status} ${response.text}`,
          )
          assert.equal(typeof (JSON.parse(response.text) as { error: unknown }).error, 'string')
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('used as a method of any path gets a documented response', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          'GET',
          'HEAD',
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'PROPFIND',
          'SEARCH',
          'QUERY',
        ),
        fc.constantFrom(
          '/v3/galgames/1',
          '/api/v3/open/people/1',
          '/oidc/token',
          '/oidc/jwks',
          '/oidc/auth',
          '/oidc/me',
          '/health/ready',
          '/docs',
          '/docs/json',
          '/openapi.json',
          '/',
        ),
        fc.string({ maxLength: 50 }),
        async (method, path, body) => {
          assertWellFormed(
            path,
            await send(service.url, path, {
              method,
              body,
              headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
            }),
          )
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('leaves the service unchanged', async () => {
    assert.equal(
      (await send(service.url, '/v3/galgames/1', { headers: { authorization: `Bearer ${token}` } }))
        .status,
      200,
    )
    assert.deepEqual(
      service.logged.filter(({ level }) => Number(level) >= 50),
      [],
    )
  })
})

describeOnDatabase('bytes that are not HTTP', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  /** Sends raw bytes, and returns everything received until the connection closes. */
  function exchange(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () =>
        socket.write(bytes, 'latin1'),
      )
      let response = ''
      socket.setTimeout(RESPONSE_TIMEOUT_MS, () => socket.destroy(new Error('hangs')))
      socket
        .on('data', (chunk) => (response += chunk.toString()))
        .on('close', () => resolve(response))
        .on('error', reject)
    })
  }

  it('get one error in the envelope, and the connection is closed', async () => {
    const head = 'GET /v3/people/1 HTTP/1.1\r\nHost: a\r\n'
    const cases: [string, number][] = [
      ['nonsense\r\n\r\n', 400],
      ['GET /v3/people/1\0 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      [`${head}X: a\0b\r\n\r\n`, 400],
      [`${head}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /v3/people/${'1'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
      ['GET / HTTP/9.9\r\n\r\n', 400],
      [
        'POST /oidc/token HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
        400,
      ],
      ['POST /oidc/token HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
    ]
    for (const [bytes, status] of cases) {
      const response = await exchange(bytes)
      assert.match(response, new RegExp(`^HTTP/1.1 ${status} `), bytes.slice(0, 60))
      const body = JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)) as {
        success: boolean
        error: { code: string }
      }
      assert.deepEqual([body.success, body.error.code], [false, 'COMMON_BAD_REQUEST'])
    }
  })

  it('are rejected if they use an absolute URL or no host', async () => {
    for (const bytes of [
      'GET http://evil.example/v3/people/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET /v3/people/1 HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ])
      assert.match(await exchange(bytes), /^HTTP\/1\.1 4\d\d /)
  })
})
