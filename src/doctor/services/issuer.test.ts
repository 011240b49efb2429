import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { describe, it } from 'node:test'
import { codesOf } from '#test/examination.ts'
import { certificateFor, examineServicesIn, withServer } from '#test/examine-services.ts'
import { missingProgram } from '#test/required-programs.ts'

describe('the check of the public URLs', () => {
  const { path, examineServices } = examineServicesIn()

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
          createHttpsServer(certificateFor(days, path), (request, response) =>
            response.end(`{"issuer":"https://${request.headers.host}/oidc"}`),
          ),
          async (port) =>
            assert.deepEqual(await issuerOf({ AUTH_URL: `https://127.0.0.1:${port}` }), codes),
        )
    },
  )
})
