import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import {
  CHECKOUT,
  startMokuroku,
  startProgram,
  temporaryFolder,
  type Program,
} from '#test/program.ts'
import { missingProgram } from '#test/required-programs.ts'

const UNIT = readFileSync(join(CHECKOUT, 'examples/systemd/mokuroku.service'), 'utf8')

const PROGRAM = join(CHECKOUT, 'dist/mokuroku.js')

/** Maximum exposure that `systemd-analyze security` may report, in tenths: a network service without devices. */
const MAX_EXPOSURE = 20

/** Prints each datagram that arrives at the socket on its own line, as systemd would read it. */
const SYSTEMD = `
import socket, sys
inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
inbox.bind(sys.argv[1])
print('bound', flush=True)
while True:
    print(inbox.recv(4096).decode(), flush=True)
`

const BEAT_MS = 300

describe('the systemd unit', { skip: missingProgram('systemd-analyze', 'systemd') }, () => {
  const folder = temporaryFolder()
  const file = join(folder.path, 'mokuroku.service')
  before(() =>
    writeFileSync(file, UNIT.replace('/opt/mokuroku/node_modules/.bin/mokuroku', PROGRAM)),
  )
  after(folder.remove)

  it('is valid', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    assert.equal(stderr, '')
    assert.equal(status, 0)
  })

  it('is hardened', () => {
    const threshold = `--threshold=${MAX_EXPOSURE}`
    execFileSync('systemd-analyze', ['security', '--offline=yes', threshold, file], {
      stdio: 'pipe',
    })
  })
})

describe(
  'a service started by systemd',
  { skip: missingProgram('systemd-notify', 'systemd') || missingProgram('python3', 'python3') },
  () => {
    const folder = temporaryFolder()
    let database: TestDatabase
    before(async () => (database = await createDatabase('server', 'empty')))
    after(async () => {
      await database.remove()
      folder.remove()
    })

    for (const workers of ['1', '2'])
      it(`notifies systemd of its state with WORKERS=${workers}`, async (test) => {
        const { systemd, service } = await start(workers)
        test.after(() => Promise.all([service.end(), systemd.end()]))
        await systemd.waitForOutput('READY=1')
        const beforeReady = systemd.output().split('READY=1')[0] ?? ''
        assert.doesNotMatch(beforeReady, /STOPPING/)
        await sleep(3 * BEAT_MS)
        assert.ok(countBeats(systemd) >= 2, systemd.output())

        service.child.kill('SIGTERM')
        await systemd.waitForOutput('STOPPING=1')
        assert.equal((await service.ended).status, 0)
        assert.equal(systemd.output().match(/READY=1/g)?.length, 1)
      })

    it('sends no keepalive while its event loop is blocked', async (test) => {
      const { systemd, service } = await start('1')
      test.after(() => Promise.all([service.end(), systemd.end()]))
      await systemd.waitForOutput('READY=1')
      service.child.kill('SIGSTOP')
      // Notifications that had already been sent still arrive.
      await sleep(3 * BEAT_MS)
      const sent = countBeats(systemd)
      await sleep(4 * BEAT_MS)
      assert.equal(countBeats(systemd), sent)
      service.child.kill('SIGCONT')
      await eventually(async () => countBeats(systemd) > sent, 'a sign of life')
    })

    async function start(workers: string): Promise<{ systemd: Program; service: Program }> {
      const port = String(await freePort())
      const socket = join(folder.path, port)
      const systemd = startProgram(['python3', '-c', SYSTEMD, socket])
      await systemd.waitForOutput('bound')
      const service = startMokuroku(['serve', '--no-demo'], {
        environment: {
          NOTIFY_SOCKET: socket,
          WATCHDOG_USEC: String(2 * BEAT_MS * 1_000),
          PORT: port,
          DATABASE_URL: database.databaseUrl,
          DATABASE_POOL_SIZE: '3',
          DATA_DIR: database.dataDir,
          WORKERS: workers,
        },
      })
      return { systemd, service }
    }
  },
)

const countBeats = (systemd: Program) => systemd.output().match(/WATCHDOG=1/g)?.length ?? 0
