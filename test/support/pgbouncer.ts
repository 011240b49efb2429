import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './postgres.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

/** PgBouncer program and its settings. */
export type PgBouncer = {
  program: string
  /** Additional lines of `pgbouncer.ini`. */
  settings: string
}

const UNPRIVILEGED_ID = 65_534

/** Starts PgBouncer in transaction mode in front of a database server. */
export async function startPgBouncer(
  { program, settings }: PgBouncer,
  databaseUrl: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = scratchFolder('pgbouncer')
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')]
  const port = await freePort()
  const url = new URL(databaseUrl)
  writeFileSync(users, '"postgres" ""\n')
  writeFileSync(
    file,
    `[databases]\n* = host=127.0.0.1 port=${url.port} user=postgres\n[pgbouncer]\n` +
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n` +
      `auth_file = ${users}\npool_mode = transaction\ndefault_pool_size = 4\n${settings}\n`,
  )
  const isRoot = process.getuid?.() === 0
  if (isRoot)
    for (const path of [folder, file, users]) chownSync(path, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const child = spawn(program, [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID }),
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit')
  process.once('exit', () => child.kill('SIGKILL'))
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${output}`)
    await sleep(50)
  }
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL')
      await ended
      removeFolder(folder)
    },
  }
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
