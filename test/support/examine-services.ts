import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Limits } from '../../src/doctor/check.ts'
import { fault } from '../../src/doctor/finding.ts'
import { examineInstallation } from './examination.ts'
import { listenLocally } from './free-port.ts'
import { temporaryFolder } from './program.ts'

/** Returns a function that runs the checks of services without a database. Removes their folder after the suite. */
export function examineServicesIn() {
  const { path, remove } = temporaryFolder()
  after(remove)
  const examineServices = (environment: NodeJS.ProcessEnv, limits: Partial<Limits> = {}) =>
    examineInstallation({
      database: { databaseUrl: undefined, dataDir: path },
      db: fault('database.cannot_open'),
      environment,
      limits,
    })
  return { path, examineServices }
}

/** Listens on a free port of 127.0.0.1, and closes the server after `work`. */
export async function withServer<Result>(server: Server, work: (port: number) => Promise<Result>) {
  const port = await listenLocally(server)
  try {
    return await work(port)
  } finally {
    await new Promise((closed) => server.close(closed))
  }
}

/**
 * Creates a self-signed certificate for 127.0.0.1 that is valid for a number of days from now, or has expired if the
 * number is negative.
 *
 * @param path folder for its files
 */
export function certificateFor(days: number, path: string) {
  const [key = '', request = '', cert = ''] = ['key', 'request', 'cert'].map((name) =>
    join(path, `${days}-${name}`),
  )
  const openssl = (command: string, files: string[]) => {
    const { status, stderr } = spawnSync('openssl', [...command.split(' '), ...files])
    assert.equal(status, 0, stderr.toString())
  }
  const create = 'req -newkey rsa:2048 -nodes -subj /CN=127.0.0.1'
  openssl(create, ['-keyout', key, '-out', request])
  // Only this command accepts a negative number of days.
  openssl(`x509 -req -days ${days}`, ['-in', request, '-signkey', key, '-out', cert])
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
