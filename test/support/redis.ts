import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

/** Reason why tests that need a Redis server cannot run on this machine, or false. */
export function redisMissing(): string | false {
  return findRedis() ? false : 'redis-server is not on this machine: apt-get install redis-server'
}

function findRedis() {
  return (process.env['PATH'] ?? '')
    .split(':')
    .concat('/usr/bin')
    .map((folder) => join(folder, 'redis-server'))
    .find(existsSync)
}

export type RedisServer = {
  url: string
  stop(): Promise<void>
  start(): Promise<void>
  pause(): void
  resume(): void
}

/** Starts a real Redis server on its own port, which can be stopped and restarted. */
export async function startRedis(): Promise<RedisServer> {
  const binary = findRedis()
  if (!binary) throw new Error('redis-server is missing')
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const launch = () =>
    spawn(
      binary,
      ['--port', String(port), '--save', '', '--appendonly', 'no', '--bind', '127.0.0.1'],
      { stdio: 'ignore' },
    )
  let server = launch()
  process.once('exit', () => server.kill('SIGKILL'))

  async function isReachable() {
    const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null })
    client.on('error', () => {})
    await client.ping()
    client.disconnect()
  }
  await isReachable()
  return {
    url,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return
      const exited = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGKILL')
      await exited
    },
    async start() {
      await sleep(50)
      server = launch()
      await isReachable()
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  }
}
