import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { createDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { startMokuroku, temporaryFolder } from '#test/program.ts'
import { startService } from '#test/service.ts'

const folder = temporaryFolder()
after(folder.remove)

const linesOf = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []

/** Starts a service with an access log. All lines are in the file once the service is closed. */
async function serviceWith(environment: NodeJS.ProcessEnv) {
  const file = join(folder.path, `${Math.random()}`, 'access.log')
  const service = await startService({ environment: { ACCESS_LOG: file, ...environment } })
  return { service, file }
}

describe('the access log', () => {
  it('contains one JSON line per request, without queries or tokens', async () => {
    const { service, file } = await serviceWith({})
    const app = await service.createApp()
    const response = await service.requestToken(app)
    const { access_token: token } = (await response.json()) as { access_token: string }
    await service.get('/v3/galgames/1?secret=sesame', token, { 'user-agent': 'Test "1"\t' })
    await service.get('/nowhere?secret=sesame')
    await service.close()
    const text = readFileSync(file, 'utf8')
    assert.ok(!text.includes('sesame') && !text.includes(token))
    const lines = linesOf(file).map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual(
      lines.map(({ path, route, status, client_id, address, method }) => ({
        path,
        route,
        status,
        client_id,
        address,
        method,
      })),
      [
        {
          path: '/oidc/token',
          route: '/oidc/token',
          status: 200,
          client_id: undefined,
          address: '127.0.0.1',
          method: 'POST',
        },
        {
          path: '/v3/galgames/1',
          route: '/v3/galgames/:id',
          status: 200,
          client_id: app.clientId,
          address: '127.0.0.1',
          method: 'GET',
        },
        {
          path: '/nowhere',
          route: undefined,
          status: 404,
          client_id: undefined,
          address: '127.0.0.1',
          method: 'GET',
        },
      ],
    )
    for (const { time, bytes, ms, request_id } of lines) {
      assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.ok(Number(bytes) > 100 && Number(ms) >= 0 && request_id !== '')
    }
  })

  it('supports the combined format, whose lines a client cannot forge', async () => {
    const { service, file } = await serviceWith({ ACCESS_LOG_FORMAT: 'combined' })
    await service.get('/nowhere?a=b', undefined, { 'user-agent': 'x" 200 1 "-" "\\' })
    await service.close()
    assert.match(
      linesOf(file).join('\n'),
      /^127\.0\.0\.1 - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/nowhere HTTP\/1\.1" 404 \d+ "-" "x\\" 200 1 \\"-\\" \\"\\\\"$/,
    )
  })

  it('contains the address of a client that closes the connection right after its request', async () => {
    const { service, file } = await serviceWith({})
    const { port } = new URL(service.url)
    for (let request = 0; request < 10; request += 1) {
      const client = connect(Number(port), '127.0.0.1').resume()
      client.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      await once(client, 'close')
    }
    await service.close()
    assert.equal(linesOf(file).length, 10)
    for (const line of linesOf(file)) assert.match(line, /"address":"127\.0\.0\.1"/)
  })

  it('can contain only a sample of the successful requests, but contains all other requests', async () => {
    const { service, file } = await serviceWith({ ACCESS_LOG_SAMPLE: '5' })
    for (let request = 0; request < 10; request += 1) {
      await service.get('/health/live')
      await service.get('/nowhere')
    }
    await service.close()
    const statuses = linesOf(file).map((line) => (JSON.parse(line) as { status: number }).status)
    assert.equal(statuses.filter((status) => status === 200).length, 2)
    assert.equal(statuses.filter((status) => status === 404).length, 10)
  })

  it('continues in a new file after a rename, even if its folder was removed', async () => {
    const { service, file } = await serviceWith({})
    await service.get('/health/live')
    await eventually(async () => linesOf(file).length === 1, 'first line')
    renameSync(file, `${file}.1`)
    service.server.reopenAccessLog()
    await eventually(async () => existsSync(file), 'new file')
    await service.get('/health/live')
    await eventually(async () => linesOf(file).length === 1, 'second line')
    assert.equal(linesOf(`${file}.1`).length, 1)
    rmSync(join(file, '..'), { recursive: true })
    await service.get('/health/live')
    service.server.reopenAccessLog()
    await eventually(async () => existsSync(file), 'third file')
    await service.get('/health/live')
    await service.close()
    assert.equal(linesOf(file).length, 1)
  })

  it('never stops the service if it cannot be written, and reports this once', async () => {
    const service = await startService({ environment: { ACCESS_LOG: '/dev/full' } })
    const said = () =>
      service.logged.filter(({ msg }) => String(msg).startsWith('The access log cannot be written'))
    for (let request = 0; request < 50; request += 1)
      assert.equal((await service.get('/health/live')).status, 200)
    await eventually(async () => said().length > 0, 'warning')
    for (let request = 0; request < 500; request += 1)
      assert.equal((await service.get('/health/live')).status, 200)
    assert.equal(said().length, 1)
    await service.close()
  })

  it('is reopened by SIGHUP, which does not stop the service', async () => {
    const { dataDir, remove } = await createDatabase('embedded', 'empty')
    const file = join(folder.path, 'signal.log')
    const port = await freePort()
    const program = startMokuroku(['serve', '--no-demo'], {
      environment: { HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir, ACCESS_LOG: file },
    })
    try {
      await program.waitForOutput('mokuroku listens')
      renameSync(file, `${file}.1`)
      program.child.kill('SIGHUP')
      await eventually(async () => existsSync(file), 'new file')
      assert.equal((await fetch(`http://127.0.0.1:${port}/health/live`)).status, 200)
      await eventually(async () => linesOf(file).length === 1, 'line')
    } finally {
      await program.end('SIGTERM')
      await remove()
    }
  })
})
