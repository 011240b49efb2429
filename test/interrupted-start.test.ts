import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMMAND_LINE_CLIENT_ID, REFERENCE_CLIENT_ID } from '../src/apps/operator/first-party.ts'
import { listApps } from '../src/apps/queries.ts'
import { openDatabase } from '../src/db/database.ts'
import { createDatabase, type Engine } from '#test/databases.ts'
import { assertDemoWorks, DEMO_READY, readDemo } from '#test/demo.ts'
import { startMokuroku, type Program } from '#test/program.ts'

/** Asserts that the database has exactly the apps of `demo.json`, apart from the service's own. */
async function assertEachAppOnce(database: { databaseUrl: string | undefined; dataDir: string }) {
  const { db, close } = await openDatabase(database)
  const apps = await listApps(db).finally(close)
  assert.deepEqual(
    apps
      .map((app) => app.client_id)
      .filter((id) => id !== COMMAND_LINE_CLIENT_ID && id !== REFERENCE_CLIENT_ID)
      .toSorted(),
    readDemo(database.dataDir)
      .apps.map((app) => app.client_id)
      .toSorted(),
  )
}

describe('a first start', () => {
  const hasFile = (name: string) => async (program: Program, folder: string) => {
    while (!existsSync(join(folder, name))) {
      assert.ok(!program.output().includes(DEMO_READY), `it never had ${name}`)
      await sleep(1)
    }
  }
  const waitForText = (text: string) => (program: Program) => program.waitForOutput(text)
  // An embedded database is copied with the sample in it. Only on a server is the sample loaded in parts.
  const MOMENTS: [string, Engine, (program: Program, folder: string) => Promise<void>][] = [
    ['when it makes the database', 'embedded', hasFile('postgres.unfinished')],
    ['between two parts of the sample', 'server', waitForText('Loading the sample, part 3')],
    ['when it makes the apps', 'embedded', waitForText('Creating the demo account')],
    ['when it has written demo.json', 'embedded', hasFile('demo.json')],
  ]
  for (const [moment, engine, reached] of MOMENTS)
    it(`is completed by the next start if it is killed ${moment}`, async () => {
      // On a server the schema exists before the sample is loaded.
      const content = engine === 'server' ? 'empty' : 'nothing'
      const { dataDir, databaseUrl, remove } = await createDatabase(engine, content, 'disk')
      const path = join(dataDir, 'data')
      const environment = { DATA_DIR: path, DATABASE_URL: databaseUrl, PORT: '0' }
      try {
        const first = startMokuroku(['serve', '--demo'], { environment })
        await reached(first, path)
        assert.equal((await first.end('SIGKILL')).signal, 'SIGKILL')
        const second = startMokuroku(['serve', '--demo'], { environment })
        await second.waitForOutput(DEMO_READY)
        await assertDemoWorks(path)
        const { status } = await second.end('SIGTERM')
        assert.equal(status, 0)
        await assertEachAppOnce({ databaseUrl, dataDir: path })
      } finally {
        await remove()
      }
    })

  it('is completed by a simultaneous start if it is killed between two parts of the sample', async () => {
    const { dataDir, databaseUrl, remove } = await createDatabase('server', 'empty', 'disk')
    const path = join(dataDir, 'data')
    const environment = { DATA_DIR: path, DATABASE_URL: databaseUrl, PORT: '0' }
    const programs = [1, 2].map(() => startMokuroku(['serve', '--demo'], { environment }))
    try {
      const killed = await Promise.any(
        programs.map(async (program) => {
          await program.waitForOutput('Loading the sample, part 3')
          return program
        }),
      )
      assert.equal((await killed.end('SIGKILL')).signal, 'SIGKILL')
      const other = programs.find((program) => program !== killed)
      await other?.waitForOutput(DEMO_READY)
      await assertDemoWorks(path)
      assert.equal((await other?.end('SIGTERM'))?.status, 0)
      await assertEachAppOnce({ databaseUrl, dataDir: path })
    } finally {
      await Promise.all(programs.map((program) => program.end('SIGKILL')))
      await remove()
    }
  })
})
