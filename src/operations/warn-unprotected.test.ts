import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { temporaryFolder } from '#test/program.ts'
import { spawnService } from '#test/service-process.ts'
import { readConfig } from '../config/config.ts'
import { findOpenFilesLimit, warnFewConnections, warnFewOpenFiles } from './connection-limits.ts'
import { warnUnprotected } from './warn-unprotected.ts'

/** Returns the first words of each warning. */
function warnings(environment: NodeJS.ProcessEnv, hasDemo = false): string[] {
  const lines: string[] = []
  const log = { warn: (line: unknown) => void lines.push(String(line)) }
  warnUnprotected(readConfig(environment), hasDemo, log)
  return lines.map((line) => line.split(/[ :]/, 2).join(' '))
}

describe('the check for missing protections', () => {
  const SAFE = {
    HOST: '0.0.0.0',
    AUTH_URL: 'https://id.example.org',
    SECRET_KEY: 'a key that is at least thirty-two characters long',
    SMTP_URL: 'smtp://mail.example.org',
  }

  it('logs no warning if the service is protected', () => {
    assert.deepEqual(warnings(SAFE), [])
  })

  it('logs one line for each missing protection', () => {
    assert.deepEqual(warnings({ HOST: '::' }, true), [
      'SECRET_KEY is',
      'SMTP_URL is',
      'AUTH_URL is',
      'The demo',
    ])
    assert.deepEqual(warnings({ ...SAFE, AUTH_URL: 'http://id.example.org' }), ['AUTH_URL is'])
    assert.deepEqual(warnings({ ...SAFE, HOST: '', SECRET_KEY: '' }), ['SECRET_KEY is'])
  })

  it('logs no warning if the service listens only on loopback addresses', () => {
    for (const HOST of ['', '127.0.0.1', '::1', 'localhost'])
      assert.deepEqual(warnings({ HOST }, true), [])
  })
})

describe('the open file limit', () => {
  it('causes a warning if it is too low for MAX_CONNECTIONS', () => {
    const lines: unknown[] = []
    const log = { warn: (line: unknown) => void lines.push(line) }
    const config = readConfig({ MAX_CONNECTIONS: '5000' })
    for (const openFiles of [5756, Infinity]) warnFewOpenFiles(config, openFiles, log)
    assert.deepEqual(lines, [])
    warnFewOpenFiles(config, 5755, log)
    assert.deepEqual(lines, [
      'MAX_CONNECTIONS is 5000, but a process may only have 5755 open files, which are enough for 4999 connections: lower it, or raise ulimit -n',
    ])
  })

  it('leaves room for refusals, so that no client waits without a response', async () => {
    const { path: DATA_DIR, remove } = temporaryFolder()
    const service = await spawnService({ DATA_DIR }, 'ulimit -n 400')
    const sockets: Socket[] = []
    try {
      assert.match(service.output(), /which are enough for 130 connections/)
      const { port } = new URL(service.url)
      const health = `${service.url}/health/live`
      for (let count = 0; count < 130; count += 1) {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
        sockets.push(socket)
        await once(socket, 'connect')
      }
      // Node accepts connections one by one, so the last may not be counted yet.
      await eventually(async () => (await fetch(health)).status === 503, 'a refusal')
      for (const socket of sockets) socket.destroy()
      await eventually(async () => (await fetch(health)).status === 200, 'a response')
    } finally {
      await service.stop('SIGKILL')
      remove()
    }
  })

  it('is read from the process', () => {
    const openFiles = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
    assert.equal(findOpenFilesLimit(), openFiles === 'unlimited' ? Infinity : Number(openFiles))
  })
})

describe('a service with several workers', () => {
  const warningsFor = (environment: NodeJS.ProcessEnv, allowed: number) => {
    const lines: unknown[] = []
    const log = { warn: (line: unknown) => void lines.push(line), info: () => {} }
    warnFewConnections(readConfig(environment), allowed, log)
    return lines
  }
  const SERVER = { DATABASE_URL: 'postgres://localhost/mokuroku', DATABASE_POOL_SIZE: '8' }

  it('logs a warning if it may need more connections than the server accepts', () => {
    assert.deepEqual(warningsFor({ ...SERVER, WORKERS: '4' }, 36), [])
    assert.deepEqual(warningsFor({ ...SERVER, WORKERS: '4' }, 35), [
      'WORKERS and DATABASE_POOL_SIZE may take 36 connections, but the database server only accepts 35 in total: ' +
        'lower one of them, or raise max_connections',
    ])
    const replicas = { DATABASE_REPLICA_URLS: 'postgres://c/mokuroku' }
    const hosts = { DATABASE_URL: 'postgres://a,b/mokuroku' }
    for (const [settings, required] of [
      [replicas, 10],
      [hosts, 11],
      [{ ...hosts, DATABASE_DIRECT_URL: 'postgres://a/mokuroku' }, 10],
      [{ ...hosts, ...replicas }, 13],
    ] as const) {
      assert.deepEqual(warningsFor({ ...SERVER, ...settings }, required), [])
      assert.equal(warningsFor({ ...SERVER, ...settings }, required - 1).length, 1)
    }
    assert.deepEqual(warningsFor({}, 1), [])
  })
})
