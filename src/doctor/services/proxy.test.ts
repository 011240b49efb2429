import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { codesOf, examineInstallation, findingOf } from '#test/examination.ts'
import { withServer } from '#test/examine-services.ts'
import { freePort } from '#test/free-port.ts'
import { temporaryFolder } from '#test/program.ts'
import { missingProgram } from '#test/required-programs.ts'
import { startService, type TestService } from '#test/service.ts'

describe('the proxy check', () => {
  const { path, remove } = temporaryFolder()
  after(remove)
  let service: TestService
  before(async () => (service = await startService({ content: 'empty' })))
  after(() => service.close())

  const examineBehind = (url: string, environment: NodeJS.ProcessEnv = {}) =>
    examineInstallation({
      database: service.config,
      environment: { AUTH_URL: url, ...environment },
    })

  it('finds nothing wrong without a proxy, and reports trusted hops that do not exist', async () => {
    const results = await examineBehind(service.url)
    assert.deepEqual([codesOf(results, 'proxy'), codesOf(results, 'issuer')], [[], []])
    const trusting = await examineBehind(service.url, { TRUSTED_PROXIES: '1' })
    assert.deepEqual(codesOf(trusting, 'proxy'), ['error proxy.fewer_hops'])
  })

  it(
    'reports untrusted hops and a limit on the body size',
    { skip: missingProgram('nginx', 'nginx-light') },
    async () => {
      const port = await freePort()
      const file = join(path, 'nginx.conf')
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(path, name)};`)
        .join('\n')
      const user = process.getuid?.() === 0 ? 'user root;\n' : ''
      writeFileSync(
        file,
        `daemon off;\n${user}pid ${join(path, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n` +
          `server { listen 127.0.0.1:${port}; location / { proxy_pass ${service.url}; proxy_set_header Host $host; ` +
          'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; } } }\n',
      )
      const nginx = spawn('nginx', ['-c', file, '-p', path], { stdio: 'ignore' })
      const proxy = `http://127.0.0.1:${port}`
      try {
        await eventually(
          async () => (await fetch(`${proxy}/health/ready`).catch(() => undefined))?.ok === true,
          'nginx',
        )
        const results = await examineBehind(proxy)
        assert.deepEqual(codesOf(results, 'proxy'), [
          'error proxy.more_hops',
          'error proxy.body_rejected',
        ])
        assert.equal(findingOf(results, 'proxy.body_rejected')?.params?.['status'], 413)
        const right = await examineInstallation({
          database: service.config,
          environment: { AUTH_URL: proxy, TRUSTED_PROXIES: '1' },
          limits: { bodyBytes: 500_000 },
        })
        assert.deepEqual(codesOf(right, 'proxy'), [])
      } finally {
        nginx.kill()
      }
    },
  )

  it('reports a connection that is closed while the body is sent', async () => {
    const cutting = createServer((socket) => {
      const upstream = connect(service.config.port, '127.0.0.1')
      let received = 0
      for (const end of [socket, upstream]) end.on('error', () => {})
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received > 1_000_000) socket.destroy()
      })
      socket.pipe(upstream).pipe(socket)
      socket.on('close', () => upstream.destroy())
    })
    await withServer(cutting, async (port) =>
      assert.deepEqual(codesOf(await examineBehind(`http://127.0.0.1:${port}`), 'proxy'), [
        'error proxy.body_cut',
      ]),
    )
  })

  it('reports a proxy that leads to a service with a different database', async () => {
    const other = await startService({ content: 'empty' })
    try {
      assert.deepEqual(codesOf(await examineBehind(other.url), 'proxy'), [
        'warning proxy.other_service',
      ])
    } finally {
      await other.close()
    }
  })

  it('gets 404 from the probe endpoint without a valid token', async () => {
    const probe = (token: string) =>
      fetch(`${service.url}/health/probe`, { method: 'POST', headers: { 'mokuroku-probe': token } })
    const statuses = await Promise.all(
      ['', 'x', `${Date.now()}.x`, `${Date.now() - 600_000}.x`].map(async (token) => {
        const { status } = await probe(token)
        return status
      }),
    )
    assert.deepEqual(statuses, [404, 404, 404, 404])
  })
})
