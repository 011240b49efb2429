import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptsConnections, freePort } from './free-port.ts'
import { CHECKOUT } from './program.ts'
import { replaceEach } from './replace-each.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

export type PgBouncer = {
  program: string
  /** False for versions before 1.21, which reject the setting of the example. */
  tracksPreparedStatements: boolean
}

const EXAMPLE = readFileSync(join(CHECKOUT, 'examples/database/pgbouncer.ini'), 'utf8')
const UNPRIVILEGED_ID = 65_534
const PASSWORD = 'a test'

/** Starts PgBouncer in front of a database, as configured in the example. */
export async function startPgBouncer(
  { program, tracksPreparedStatements }: PgBouncer,
  databaseUrl: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = scratchFolder('pgbouncer')
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')]
  const port = await freePort()
  const url = new URL(databaseUrl)
  writeFileSync(users, `"${url.username}" "${PASSWORD}"\n`)
  const configuration = replaceEach(EXAMPLE, {
    'mokuroku = host=10.0.0.11 port=5432': `${url.pathname.slice(1)} = host=${url.hostname} port=${url.port}`,
    'listen_port = 6432': `listen_port = ${port}`,
    '/etc/pgbouncer/userlist.txt': users,
    'default_pool_size = 20': 'default_pool_size = 4',
    ...(!tracksPreparedStatements && { 'max_prepared_statements = 1000': '' }),
  })
  // The default folder of the socket may belong to another user.
  writeFileSync(file, `${configuration}\nunix_socket_dir =\n`)
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
  while (!(await acceptsConnections(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${output}`)
    await sleep(50)
  }
  url.host = `127.0.0.1:${port}`
  url.password = PASSWORD
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL')
      await ended
      removeFolder(folder)
    },
  }
}
