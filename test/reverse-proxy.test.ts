import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Server } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { warnForwarded } from '../src/operations/warn-forwarded.ts'
import { eventually } from '#test/browser.ts'
import { freePort } from '#test/postgres.ts'
import { temporaryFolder } from '#test/program.ts'
import { signIn } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { missingProgram } from '#test/required-programs.ts'

const MANUAL = fileURLToPath(new URL('../docs/operations.md', import.meta.url))
const FORWARDED = /^Requests have X-Forwarded-For headers, but TRUSTED_PROXIES is 0/

/** Returns the nginx configuration from the manual, listening on `port` and forwarding to `upstream`. */
function configurationOf(port: number, upstream: string, folder: string): string {
  const [, block] = /```nginx\n([\s\S]*?)```/.exec(readFileSync(MANUAL, 'utf8')) ?? []
  assert.ok(block, 'the manual has a configuration for nginx')
  const site = block
    .replace('127.0.0.1:14790', upstream)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*$/gm, '')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  return `daemon off;\n${user}pid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}}\n`
}

describe(
  'the service behind nginx as configured in the manual',
  { skip: missingProgram('nginx', 'nginx-light') },
  () => {
    const folder = temporaryFolder()
    let nginx: ChildProcess
    let service: TestService
    let proxy: string
    before(async () => {
      const port = await freePort()
      proxy = `http://127.0.0.1:${port}`
      service = await startService({
        environment: { TRUSTED_PROXIES: '1', AUTH_URL: proxy, API_URL: proxy, BASE_URL: proxy },
      })
      const file = join(folder.path, 'nginx.conf')
      writeFileSync(file, configurationOf(port, `127.0.0.1:${service.config.port}`, folder.path))
      nginx = spawn('nginx', ['-c', file, '-p', folder.path], { stdio: 'ignore' })
      await eventually(
        async () => (await fetch(`${proxy}/health/ready`).catch(() => undefined))?.ok === true,
        'nginx',
      )
    })
    after(async () => {
      nginx.kill()
      await service.close()
      folder.remove()
    })

    it('signs users in, and accepts lists of several megabytes', async () => {
      const { token } = await signIn(service)
      const works = Array.from(
        { length: 20_000 },
        (_, at) => `<vn id="v${at + 1}"><title>${'言葉'.repeat(20)}</title></vn>`,
      )
      const list = `<vndb-export><vns>${works.join('')}</vns></vndb-export>`
      const response = await fetch(`${proxy}/v3/user/me/rates/import?source=vndb`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/xml' },
        body: list,
      })
      assert.equal(response.status, 200, (await response.text()).slice(0, 500))
    })
  },
)

describe('requests with X-Forwarded-For', () => {
  for (const [trusted, warnings] of [
    ['0', 1],
    ['1', 0],
  ] as const)
    it(`trigger ${warnings ? 'one warning' : 'no warning'} with TRUSTED_PROXIES=${trusted}`, async () => {
      const service = await startService({
        content: 'empty',
        environment: { TRUSTED_PROXIES: trusted },
      })
      try {
        for (let request = 0; request < 3; request += 1)
          await service.get('/health/live', undefined, { 'x-forwarded-for': '203.0.113.7' })
        const lines = service.logged.filter(({ msg }) => FORWARDED.test(String(msg)))
        assert.equal(lines.length, warnings)
      } finally {
        await service.close()
      }
    })

  for (const [sender, warnings] of [
    ['::ffff:10.0.0.1', 1],
    ['fd00::1', 1],
    ['8.8.8.8', 0],
    ['::ffff:8.8.8.8', 0],
    ['2606:4700::1', 0],
  ] as const)
    it(`trigger ${warnings ? 'a warning' : 'no warning'} from ${sender}`, () => {
      const server = new Server()
      const lines: string[] = []
      warnForwarded(server, 0, { warn: (line: unknown) => void lines.push(String(line)) })
      const headers = { 'x-forwarded-for': '203.0.113.7' }
      server.emit('request', { headers, socket: { remoteAddress: sender } })
      assert.equal(lines.length, warnings)
    })
})
