import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createDatabase } from '#test/databases.ts'
import { startNode } from '#test/node-process.ts'
import { openDatabase } from '../database.ts'
import { clusterOf } from './cluster.ts'
import { lockCluster, lockDirectory } from './directory-lock.ts'

describe('the lock of a data directory', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'mokuroku-lock-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const refusal = () =>
    `Another mokuroku process is using the database in ${directory}. ` +
    'Stop it first, or set DATABASE_URL to a PostgreSQL server, which several processes can share.'
  const refusalOfCommand = () =>
    `Another mokuroku process is using the database in ${directory} and accepts no connections: another command, ` +
    'a service of an earlier version, or a service that could not create its socket (its log says why). ' +
    'Stop it first, or set DATABASE_URL to a PostgreSQL server, which several processes can share.'
  const migrate = () => startNode('dist/mokuroku.js', ['migrate'], { DATA_DIR: directory })

  it('blocks a second process with a one-line error', async () => {
    const lock = await lockDirectory(directory)
    const second = migrate()
    assert.equal(await second.ended, 1)
    assert.deepEqual([second.output(), second.errors()], ['', `${refusalOfCommand()}\n`])
    lock.release()
  })

  it('blocks this process while another one holds it, and is free after that process is killed', async () => {
    const holder = startNode('test/support/lock-holder.ts', [directory])
    await holder.waitForOutput(/locked/)
    await assert.rejects(lockDirectory(directory), { message: refusal() })
    await holder.kill()
    const lock = await lockDirectory(directory)
    lock.release()
  })

  it('blocks a second attempt by the same process, and survives that attempt', async () => {
    const lock = await lockDirectory(directory)
    await assert.rejects(lockDirectory(directory), { message: refusal() })
    await assert.rejects(openDatabase({ dataDir: directory }), { message: refusalOfCommand() })
    lock.release()
  })

  it('rejects a second service without waiting', async () => {
    const lock = await lockDirectory(directory)
    await assert.rejects(openDatabase({ dataDir: directory }, undefined, { isService: true }), {
      message: refusal(),
    })
    lock.release()
  })

  it('lets a command wait for it briefly', async () => {
    const lock = await lockDirectory(directory)
    const waiting = migrate()
    setTimeout(lock.release, 1_000)
    assert.equal(await waiting.ended, 0)
  })

  it('protects the cluster even if lock.sqlite is deleted', async () => {
    const database = await createDatabase('embedded', 'empty')
    const lock = lockCluster(clusterOf(database.dataDir))
    try {
      const second = startNode('dist/mokuroku.js', ['migrate'], { DATA_DIR: database.dataDir })
      assert.equal(await second.ended, 1)
      assert.match(
        second.errors(),
        /^Another mokuroku process is using the database in \S+\/postgres\. Stop it/,
      )
    } finally {
      lock.release()
      await database.remove()
    }
  })

  it('can be taken again after its release', async () => {
    const first = await lockDirectory(directory)
    first.release()
    const second = await lockDirectory(directory)
    second.release()
  })

  it('creates a missing directory, readable only by its owner', async () => {
    const inner = join(directory, 'a', 'b')
    const lock = await lockDirectory(inner)
    lock.release()
    assert.equal(statSync(inner).mode & 0o777, 0o700)
    assert.equal(statSync(join(inner, 'lock.sqlite')).mode & 0o777, 0o600)
  })

  it('reports file system errors unchanged', async () => {
    await assert.rejects(lockDirectory('/dev/null/data'), /ENOTDIR/)
  })
})
