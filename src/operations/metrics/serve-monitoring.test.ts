import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { freePort } from '#test/free-port.ts'
import { serveMonitoring } from './serve-monitoring.ts'

const REQUEST = 'GET /health/ready HTTP/1.1\r\nhost: a\r\n\r\n'

const LONG = 'x'.repeat(2 ** 20)

for (const [what, sent] of Object.entries({
  'send nothing': '',
  'do not finish a request': 'GET / HTTP/1.1\r\nx: ',
  'do not read responses': REQUEST.repeat(10),
}))
  it(`monitoring stays reachable if a hundred clients ${what}`, { timeout: 90_000 }, async () => {
    const port = await freePort()
    const stop = await serveMonitoring(
      { host: '127.0.0.1', port },
      {
        startup: () => ({ state: 'running' }),
        // More than the system buffers for a connection.
        ready: async () => ({ status: 'ok', checks: { big: { ok: true, text: LONG } } }),
        collect: async () => [],
      },
      { headMs: 500, idleMs: 500 },
    )
    const clients: Socket[] = []
    try {
      for (let number = 0; number < 100; number += 1) {
        const client = connect(port, '127.0.0.1').pause()
        client.on('error', () => {})
        client.write(sent)
        clients.push(client)
      }
      await eventually(
        () =>
          fetch(`http://127.0.0.1:${port}/health/live`, {
            signal: AbortSignal.timeout(5_000),
          }).then(
            ({ ok }) => ok,
            () => false,
          ),
        'a response',
      )
    } finally {
      for (const client of clients) client.destroy()
      await stop()
    }
  })
