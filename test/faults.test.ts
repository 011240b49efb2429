import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cuttable } from '#test/cuttable.ts'
import { createDatabase, onOneDatabase } from '#test/databases.ts'
import { startService } from '#test/service.ts'

describe('while the database is away', () => {
  it('what is kept is served, the rest is 503 to be tried again, and all is well when it is back', async () => {
    const database = await createDatabase('server', 'sample')
    const way = await cuttable(database.databaseUrl ?? '')
    const service = await startService({ database: { ...database, databaseUrl: way.url } })
    try {
      const token = await service.token()
      assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
      way.cut()

      assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
      const refused = await service.get('/v3/galgames/2', token)
      assert.equal(refused.status, 503)
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      const { error } = (await refused.json()) as { error: { code: string; retryable: boolean } }
      assert.deepEqual([error.code, error.retryable], ['COMMON_SERVICE_UNAVAILABLE', true])
      assert.equal((await service.get('/health/ready')).status, 503)
      assert.equal((await service.get('/health/live')).status, 200)

      way.mend()
      for (
        const deadline = Date.now() + 10_000;
        (await service.get('/health/ready')).status !== 200;
        await sleep(50)
      )
        assert.ok(Date.now() < deadline)
      assert.equal((await service.get('/v3/galgames/2', token)).status, 200)
      const words = JSON.stringify(service.logged)
      assert.ok(!words.includes(token), 'a token is in the log')
    } finally {
      await service.close()
      await way.close()
      await database.remove()
    }
  })
})

onOneDatabase('a client that', (engine) => {
  it('never ends its headers is cut off', async () => {
    const service = await startService({ engine })
    try {
      const answer = await new Promise<string>((resolve, reject) => {
        let text = ''
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () =>
          socket.write('GET /v3/people/1 HTTP/1.1\r\nHost: a\r\nX: '),
        )
        socket.setTimeout(60_000, () => socket.destroy(new Error('hangs')))
        socket
          .on('data', (chunk) => (text += chunk.toString()))
          .on('close', () => resolve(text))
          .on('error', reject)
      })
      assert.match(answer, /^HTTP\/1\.1 408 /)
    } finally {
      await service.close()
    }
  })

  it('goes away before its answer costs nobody anything', async () => {
    const service = await startService({ engine })
    try {
      const token = await service.token()
      for (let attempt = 0; attempt < 30; attempt += 1) {
        const going = new AbortController()
        const asked = fetch(`${service.url}/v3/galgames/${attempt + 1}`, {
          headers: { authorization: `Bearer ${token}` },
          signal: going.signal,
        })
        setTimeout(() => going.abort(), attempt % 5)
        await asked.catch(() => undefined)
      }
      assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
      assert.deepEqual(
        service.logged.filter(({ level }) => Number(level) >= 50),
        [],
      )
    } finally {
      await service.close()
    }
  })
})
