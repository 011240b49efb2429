import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { freePort } from '#test/free-port.ts'
import { temporaryFolder } from '#test/program.ts'
import { startService, type TestService } from '#test/service.ts'
import { startTraceCollector } from '#test/trace-collector.ts'
import { sendApiRequest, signIn } from '#test/user-api.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`

const folder = temporaryFolder()
after(folder.remove)

const traced = (url: string, environment: NodeJS.ProcessEnv = {}): Promise<TestService> =>
  startService({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...environment } })

describe('traces', () => {
  it('contain a span per request, statement and task run, without values', async () => {
    const collector = await startTraceCollector()
    const file = join(folder.path, 'access.log')
    const service = await traced(collector.url, { TRUSTED_PROXIES: '1', ACCESS_LOG: file })
    const { token } = await signIn(service, { scope: 'status:write' })
    await sendApiRequest(service.url, {
      method: 'PUT',
      path: '/v3/user/me/rates/galgames/1',
      token,
      body: { status: 'COMPLETED' },
    })
    await service.get('/v3/galgames/1?secret=sesame', await service.token(), {
      traceparent: TRACEPARENT,
    })
    const deltas = () => service.db.selectFrom('rating_deltas').select('id').execute()
    await eventually(async () => (await deltas()).length === 0, 'totals')
    await service.close()
    collector.close()
    assert.deepEqual([...collector.paths], ['/v1/traces application/x-protobuf'])
    for (const name of ['GET /v3/galgames/:id', 'accounts.find_credentials', 'task totals.ratings'])
      assert.ok(collector.has(name), name)
    assert.ok(collector.has(Buffer.from(TRACE, 'hex')), 'the trace of the proxy')
    for (const value of ['sesame', token, '@example.org']) assert.ok(!collector.has(value), value)
    const traces = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { path: string; trace_id: string })
    assert.equal(traces.find(({ path }) => path === '/v3/galgames/1')?.trace_id, TRACE)
    assert.ok(traces.every(({ trace_id }) => /^[0-9a-f]{32}$/.test(trace_id)))
  })

  it('ignore traceparent headers that are malformed or do not come from a trusted proxy', async () => {
    const collector = await startTraceCollector()
    const direct = await traced(collector.url)
    await direct.get('/health/live', undefined, { traceparent: TRACEPARENT })
    await direct.close()
    const behind = await traced(collector.url, { TRUSTED_PROXIES: '1' })
    for (const traceparent of ['x', `${TRACEPARENT}-x`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])
      assert.equal((await behind.get('/health/live', undefined, { traceparent })).status, 200)
    await behind.close()
    collector.close()
    assert.ok(collector.has('GET /health/live'))
    assert.ok(!collector.has(Buffer.from(TRACE, 'hex')))
  })

  it('are sampled at the rate of OTEL_TRACES_SAMPLER_ARG', async () => {
    const collector = await startTraceCollector()
    const service = await traced(collector.url, { OTEL_TRACES_SAMPLER_ARG: '0' })
    await service.get('/health/live')
    await service.close()
    collector.close()
    assert.equal(collector.paths.size, 0)
  })

  for (const [name, respond] of [
    ['is away', undefined],
    ['never responds', () => {}],
    [
      'responds with nonsense',
      (_request, reply) => reply.writeHead(200).end('nonsense'.repeat(1_000)),
    ],
    ['rejects everything', (_request, reply) => reply.writeHead(500).end()],
    [
      'redirects',
      (_request, reply) => reply.writeHead(302, { location: 'http://127.0.0.1:1' }).end(),
    ],
  ] as [string, RequestListener | undefined][])
    it(`neither slow nor stop the service if the collector ${name}`, async () => {
      const collector = respond && (await startTraceCollector(respond))
      const service = await traced(collector?.url ?? `http://127.0.0.1:${await freePort()}`)
      // More spans than the queue holds if the collector never responds.
      for (let batch = 0; batch < (name === 'never responds' ? 30 : 2); batch += 1)
        await Promise.all(
          Array.from({ length: 100 }, async () => {
            const response = await service.get('/health/live')
            assert.equal(response.status, 200)
            await response.text()
          }),
        )
      const began = performance.now()
      await service.close()
      assert.ok(performance.now() - began < 4_000, `${performance.now() - began} ms to stop`)
      collector?.close()
      const warnings = service.logged.filter(({ msg }) => String(msg).includes('collector'))
      assert.ok(warnings.length <= 1)
    })
})
