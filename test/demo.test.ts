import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  COMMAND_LINE_CLIENT_ID,
  CONSOLE_CLIENT_ID,
  REFERENCE_CLIENT_ID,
} from '../src/apps/operator/first-party.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { assertDemoWorks, DEMO_READY, readDemo } from '#test/demo.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, startMokuroku, temporaryFolder } from '#test/program.ts'
import { runCommand } from '#test/run-command.ts'

describe('a first start', () => {
  it('creates no demo with --no-demo, and neither does a later start without that option', async () => {
    const { dataDir, remove } = await createDatabase('embedded', 'cluster')
    const environment = { DATA_DIR: dataDir, PORT: String(await freePort()) }
    try {
      for (const flags of [['--no-demo'], [], ['--demo']]) {
        const program = startMokuroku(['serve', ...flags], { environment })
        await program.waitForOutput('mokuroku listens')
        const { status, output, errors } = await program.end('SIGTERM')
        assert.equal(status, 0)
        assert.equal(output, `mokuroku listens on http://localhost:${environment.PORT}\n`)
        assert.equal(errors.includes('first started without one'), flags[0] === '--demo')
        assert.equal(existsSync(join(dataDir, 'demo.json')), false)
      }
      const { output } = await runCommand(['app', 'list', '--json'], { environment })
      // as: any other content makes the test fail
      const listed = JSON.parse(output) as { client_id: string }[]
      assert.deepEqual(listed.map(({ client_id }) => client_id).toSorted(), [
        COMMAND_LINE_CLIENT_ID,
        CONSOLE_CLIENT_ID,
        REFERENCE_CLIENT_ID,
      ])
      const { status } = await runCommand(['account', 'create', 'demo@mokuroku.invalid'], {
        environment,
      })
      assert.equal(status, 0, 'the address is free')
      const imported = await runCommand(
        ['import', 'ranobedb', join(CHECKOUT, 'sample/ranobedb'), '--json'],
        { environment },
      )
      assert.ok(!/"unchanged":[1-9]/.test(imported.output), 'there was no sample')
    } finally {
      await remove()
    }
  })

  it('adds no sample to an imported catalog', async () => {
    const { dataDir: path, remove } = await createDatabase('embedded', 'cluster')
    const environment = { DATA_DIR: path, PORT: '0' }
    try {
      const imported = await runCommand(['import', 'ranobedb', join(CHECKOUT, 'sample/ranobedb')], {
        environment,
      })
      assert.equal(imported.status, 0)
      const program = startMokuroku(['serve'], { environment })
      await program.waitForOutput('mokuroku listens')
      const { errors } = await program.end('SIGTERM')
      assert.ok(!errors.includes('sample'))
      assert.equal(existsSync(join(path, 'demo.json')), false)
    } finally {
      await remove()
    }
  })
})

describe('a demo on a PostgreSQL server', () => {
  let database: TestDatabase
  let environment: NodeJS.ProcessEnv
  before(async () => {
    database = await createDatabase('server', 'nothing')
    environment = {
      DATABASE_URL: database.databaseUrl,
      DATA_DIR: join(database.dataDir, 'data'),
      PORT: '0',
    }
  })
  after(() => database.remove())

  it('is created only once when two processes start with --demo at the same time', async () => {
    const programs = [1, 2].map(() => startMokuroku(['serve', '--demo'], { environment }))
    try {
      await Promise.all(programs.map((program) => program.waitForOutput(DEMO_READY)))
      const { apps } = readDemo(join(database.dataDir, 'data'))
      for (const program of programs)
        assert.ok(program.output().includes(apps[0]?.client_secret ?? '(none)'))
      await assertDemoWorks(join(database.dataDir, 'data'))
    } finally {
      await Promise.all(programs.map((program) => program.end('SIGTERM')))
    }
  })

  it('is not changed by a process that has no demo.json', async () => {
    const { path, remove } = temporaryFolder()
    /** Apps without the pages' redirect URIs, which depend on the process that was started last. */
    const listing = async () => {
      const { output } = await runCommand(['app', 'list', '--json'], { environment })
      // as: any other content makes the test fail
      const listed = JSON.parse(output) as { client_id: string }[]
      return listed.filter(
        ({ client_id }) => client_id !== CONSOLE_CLIENT_ID && client_id !== REFERENCE_CLIENT_ID,
      )
    }
    const apps = await listing()
    assert.ok(apps.length > 4)
    const program = startMokuroku(['serve'], { environment: { ...environment, DATA_DIR: path } })
    try {
      await program.waitForOutput('mokuroku listens')
      assert.equal(existsSync(join(path, 'demo.json')), false)
      assert.deepEqual(await listing(), apps)
    } finally {
      await program.end('SIGTERM')
      remove()
    }
  })

  it('creates no demo without --demo', async () => {
    const other = await createDatabase('server', 'empty')
    const program = startMokuroku(['serve'], {
      environment: { DATABASE_URL: other.databaseUrl, DATA_DIR: other.dataDir, PORT: '0' },
    })
    try {
      await program.waitForOutput('mokuroku listens')
      assert.match(program.output(), /^mokuroku listens on \S+\n$/)
      assert.equal(existsSync(join(other.dataDir, 'demo.json')), false)
      await program.waitForOutput('The catalog is empty. Load a dump: mokuroku import --help')
      await program.waitForOutput(
        'There is no administrator yet. Sign up, then run: mokuroku account role EMAIL ADMIN',
      )
    } finally {
      await program.end('SIGTERM')
      await other.remove()
    }
  })

  it('stops cleanly while loading the sample, and the next start completes the demo', async () => {
    const { databaseUrl, dataDir, remove } = await createDatabase('server', 'empty')
    const path = join(dataDir, 'data')
    const own = { DATABASE_URL: databaseUrl, DATA_DIR: path, PORT: '0' }
    try {
      const first = startMokuroku(['serve', '--demo'], { environment: own })
      await first.waitForOutput('Loading the sample, part 2')
      const { status, output } = await first.end('SIGTERM')
      assert.deepEqual({ status, output }, { status: 0, output: '' })
      const second = startMokuroku(['serve', '--demo'], { environment: own })
      await second.waitForOutput(DEMO_READY)
      await assertDemoWorks(path)
      await second.end('SIGTERM')
    } finally {
      await remove()
    }
  })
})
