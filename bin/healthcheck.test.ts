import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { freePort, listenLocally } from '#test/free-port.ts'
import { mokuroku } from '#test/program.ts'
import { startService } from '#test/service.ts'

const check = (environment: NodeJS.ProcessEnv) => mokuroku(['healthcheck'], { environment })

describe('mokuroku healthcheck', () => {
  it('exits with status 0 if the service is ready', async (test) => {
    const { config, close } = await startService({ content: 'empty' })
    test.after(close)
    for (const host of [config.host, '0.0.0.0']) {
      const { status, output, errors } = await check({ HOST: host, PORT: String(config.port) })
      assert.equal(status, 0, errors)
      assert.match(output, /^http:\/\/[^ ]+ is ready\.\n$/)
      assert.equal(errors, '')
    }
  })

  it('exits with status 1 and a one-line error if the service is not ready', async (test) => {
    const server = createServer((_request, response) => response.writeHead(503).end())
    test.after(() => server.close())
    const port = await listenLocally(server)
    assert.deepEqual(await check({ HOST: '127.0.0.1', PORT: String(port) }), {
      status: 1,
      signal: null,
      output: '',
      errors: `http://127.0.0.1:${port} is not ready (status 503).\n`,
    })
  })

  it('exits with status 1 and a one-line error if no service is listening', async () => {
    const { status, errors } = await check({ HOST: '127.0.0.1', PORT: String(await freePort()) })
    assert.equal(status, 1)
    assert.match(errors, /^http:\/\/127\.0\.0\.1:\d+ does not respond: connect ECONNREFUSED .*\n$/)
  })

  it('exits with status 2 if the settings are wrong', async () => {
    for (const port of ['0', 'x']) {
      const { status, errors } = await check({ PORT: port })
      assert.equal(status, 2)
      assert.match(errors, /^PORT .*\n$/)
    }
  })
})
