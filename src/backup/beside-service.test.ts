import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { describeOnEachDatabase } from '#test/databases.ts'
import { temporaryFolder } from '#test/program.ts'
import { runCommand } from '#test/run-command.ts'
import { startService } from '#test/service.ts'
import { findLastBackup } from './last-backup-queries.ts'
import { readBackup } from './read-backup.ts'

describeOnEachDatabase('mokuroku backup', (engine) => {
  it('works while a service is running, and records the backup in its database', async () => {
    const service = await startService({ engine })
    const folder = temporaryFolder()
    const file = join(folder.path, 'beside.tar')
    const { databaseUrl, dataDir } = service.config
    try {
      const made = await runCommand(['backup', file, '--json'], {
        environment: { DATABASE_URL: databaseUrl, DATA_DIR: dataDir },
      })
      assert.equal(made.status, 0, made.errors)
      const { bytes, held_ms } = JSON.parse(made.output) as { bytes: number; held_ms: number }
      assert.equal(held_ms > 0, engine === 'embedded')
      const last = await findLastBackup(service.db)
      assert.equal(last?.file, file)
      assert.equal(last.bytes, bytes)
      const { manifest } = await readBackup(file)
      assert.equal(manifest.engine, engine)
      assert.equal(manifest.taken_at, last.takenAt.toISOString())
      assert.equal((await service.get('/health/ready')).status, 200)
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => name.startsWith('backup-copy-')),
        [],
      )
    } finally {
      folder.remove()
      await service.close()
    }
  })
})
