import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { pino } from 'pino'
import { handleErrors } from './handle-errors.ts'

async function* failing(pieces: number) {
  for (let piece = 0; piece < pieces; piece += 1) yield 'a piece'
  // Gives the earlier chunks time to be sent.
  await new Promise((resolve) => setTimeout(resolve, 50))
  throw new Error('the rest is lost')
}

/** Codes of temporary failures: SQLSTATEs, then Node codes. */
const OUTAGES = `
  08006 25006 25P03 25P04 40001 40P01 53100 53200 53300 55P03 57014 57P01 57P03 58030
  ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOENT EPIPE ETIMEDOUT
  EAI_AGAIN EAI_FAIL ENOTFOUND EADDRNOTAVAIL EMFILE ENFILE ENOBUFS`
/** Codes of failures that would recur, and codes that resemble those of an outage. */
const FAULTS =
  '22P02 23505 25001 25P02 40002 42P01 55006 58P01 XX000 53x EACCES EISDIR EPERM toString'

describe('an error', () => {
  const responseTo = async (error: Error) => {
    const app = Fastify()
    handleErrors(app, pino({ enabled: false }))
    app.get('/', () => {
      throw error
    })
    const { statusCode, headers } = await app.inject('/')
    return [statusCode, headers['retry-after'] !== undefined]
  }
  const withCode = (code: string) => Object.assign(new Error('failed'), { code })

  for (const [status, codes] of [
    [503, OUTAGES],
    [500, FAULTS],
  ] as const)
    for (const code of codes.trim().split(/\s+/))
      it(`with code ${code} results in ${status}`, async () => {
        assert.deepEqual(await responseTo(withCode(code)), [status, status === 503])
      })

  it('is an outage if it aggregates several attempts and one of them is an outage', async () => {
    const attempts = [withCode('EACCES'), withCode('ECONNREFUSED')]
    assert.deepEqual(await responseTo(new AggregateError(attempts)), [503, true])
    assert.deepEqual(await responseTo(new AggregateError(attempts.slice(0, 1))), [500, false])
  })

  for (const message of [
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'driver has already been destroyed',
    'PGlite is closed',
  ])
    it(`without a code is recognized as an outage by its message: ${message}`, async () => {
      assert.deepEqual(await responseTo(new Error(message)), [503, true])
    })
})

describe('a chunked response', () => {
  for (const pieces of [0, 3])
    it(`is logged once if it fails after ${pieces} chunks`, async () => {
      const logged: Record<string, unknown>[] = []
      const log = pino(
        {},
        // as: pino writes one JSON object per line
        { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
      )
      const app = Fastify()
      handleErrors(app, log)
      app.get('/file', (_request, reply) =>
        reply.type('text/plain').send(Readable.from(failing(pieces))),
      )
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      const response = await fetch(`${url}/file?secret=1`)
      if (pieces === 0) assert.equal(response.status, 500)
      else await assert.rejects(response.text())
      await app.close()
      assert.deepEqual(
        logged.map(({ path, err }) => [path, (err as Error).message]),
        [['/file', 'the rest is lost']],
      )
    })
})
