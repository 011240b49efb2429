import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, describeOnEachDatabase, type TestDatabase } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { startMokuroku, temporaryFolder } from '#test/program.ts'
import { runCommand } from '#test/run-command.ts'
import { inspectTarget } from './load-queries.ts'

const folder = temporaryFolder()
const backup = join(folder.path, 'backup.tar')

const environmentOf = ({ databaseUrl, dataDir }: TestDatabase) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
})

/** Runs a command and kills it after a time. Returns whether it was killed before it ended. */
async function killAfter(args: string[], environment: NodeJS.ProcessEnv, milliseconds: number) {
  const program = startMokuroku(args, { environment })
  await Promise.race([sleep(milliseconds), program.ended])
  return (await program.end('SIGKILL')).signal === 'SIGKILL'
}

before(async () => {
  const source = await createDatabase('server', 'sample')
  try {
    const made = await runCommand(['backup', backup], { environment: environmentOf(source) })
    assert.equal(made.status, 0, made.errors)
  } finally {
    await source.remove()
  }
})
after(() => folder.remove())

describeOnEachDatabase('a restore that is killed', (engine) => {
  it('leaves the target empty or whole, and can be repeated', async () => {
    const target = await createDatabase(engine, 'nothing')
    const environment = environmentOf(target)
    try {
      const stateOf = () =>
        withTestDatabase(target, async (db) => {
          const found = await inspectTarget(db)
          return found === 'foreign' || (found.length > 0 && found.length < 20)
            ? 'torn'
            : found.length > 0
        })
      const began = performance.now()
      assert.equal((await startMokuroku(['restore', backup], { environment }).ended).status, 0)
      const whole = performance.now() - began
      for (const share of engine === 'server' ? [0.3, 0.5, 0.7, 0.8, 0.9, 1] : [0.5, 0.9, 1]) {
        await killAfter(['restore', backup, '--force'], environment, whole * share)
        // The target had data, and --force keeps it until the new data is complete.
        assert.equal(await stateOf(), true, `killed after ${share} of the time`)
      }
      const again = await runCommand(['restore', backup, '--force'], { environment })
      assert.equal(again.status, 0, again.errors)
      assert.deepEqual(
        readdirSync(target.dataDir).filter((name) => /^restoring-|restored$/.test(name)),
        [],
      )
    } finally {
      await target.remove()
    }
  })
})

describe('a restore of an embedded database', () => {
  it('is completed by the next start if it was killed between its last renames', async () => {
    const { dataDir, remove } = await createDatabase('embedded', 'sample')
    try {
      renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.restored'))
      const { status, output } = await runCommand(['migrate'], {
        environment: { DATA_DIR: dataDir },
      })
      assert.deepEqual({ status, output }, { status: 0, output: 'The schema is up to date.\n' })
      assert.equal(existsSync(join(dataDir, 'postgres.restored')), false)
    } finally {
      await remove()
    }
  })
})

describe('a backup that is killed', () => {
  it('leaves no file under its name, and what is left is deleted later', async () => {
    const source = await createDatabase('embedded', 'sample')
    const environment = environmentOf(source)
    const out = temporaryFolder()
    const file = join(out.path, 'own.tar')
    try {
      for (const milliseconds of [300, 900, 1_500, 2_500]) {
        const wasKilled = await killAfter(['backup', file, '--force'], environment, milliseconds)
        if (wasKilled) assert.equal(existsSync(file), false)
      }
      const made = await runCommand(['backup', file, '--force'], { environment })
      assert.equal(made.status, 0, made.errors)
      assert.deepEqual(
        readdirSync(source.dataDir).filter((name) => name.startsWith('backup-copy-')),
        [],
      )
    } finally {
      out.remove()
      await source.remove()
    }
  })

  it('by a signal deletes its unfinished files', async () => {
    const source = await createDatabase('embedded', 'sample')
    const out = temporaryFolder()
    try {
      const program = startMokuroku(['backup', join(out.path, 'own.tar')], {
        environment: environmentOf(source),
      })
      while (!readdirSync(source.dataDir).some((name) => name.startsWith('backup-copy-')))
        await sleep(5)
      assert.equal((await program.end('SIGTERM')).status, 143)
      assert.deepEqual(readdirSync(out.path), [])
      assert.deepEqual(
        readdirSync(source.dataDir).filter((name) => name.startsWith('backup-copy-')),
        [],
      )
    } finally {
      out.remove()
      await source.remove()
    }
  })

  it('does not affect another one that is made at the same time', async () => {
    const source = await createDatabase('server', 'sample')
    const out = temporaryFolder()
    const [one, other] = [join(out.path, 'one.tar'), join(out.path, 'other.tar')]
    try {
      const environment = environmentOf(source)
      const ended = await Promise.all(
        [one, other, one].map((file) => startMokuroku(['backup', file], { environment }).ended),
      )
      assert.deepEqual(
        ended.map(({ status }) => status).toSorted(),
        [0, 0, 1],
        'the same file is made once',
      )
      assert.match(
        ended.map(({ errors }) => errors).join(''),
        /one\.tar exists\. Choose another name/,
      )
      assert.deepEqual(readdirSync(out.path).toSorted(), ['one.tar', 'other.tar'])
      assert.ok(readFileSync(one).length > 0)
    } finally {
      out.remove()
      await source.remove()
    }
  })
})
