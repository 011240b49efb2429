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

describe('a chunked response', () => {
  for (const pieces of [0, 3])
    it(`is logged once if it fails after ${pieces} chunks`, async () => {
      const logged: Record<string, unknown>[] = []
      const log = pino(
        {},
        // as: pino writes one JSON object a line
        { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
      )
      const app = Fastify()
      handleErrors(app, log)
      app.get('/file', (_request, reply) => reply.type('text/plain').send(Readable.from(failing(pieces))))
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
