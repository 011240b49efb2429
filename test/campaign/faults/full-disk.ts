import { spawnSync } from 'node:child_process'
import { chownSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asPostgresUser } from '#test/postgres.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { asSuperuser } from './as-superuser.ts'
import type { CampaignFault } from './fault.ts'

/** Tables that grow with the writes of the campaign. */
const TABLES = ['rating_changes', 'collections', 'rating_deltas']

/** Fills the disk of the growing tables. The log has its own disk, as PostgreSQL stops without space for it. */
export const fullDisk: CampaignFault = {
  name: 'disk full',
  expects: 'refused',
  lastsMs: 4_000,
  async begin(stage) {
    const path = scratchFolder('full-disk')
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', path])
    if (mounted.status !== 0) {
      removeFolder(path)
      return 'no file system can be mounted here'
    }
    const { uid, gid } = asPostgresUser()
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
    const filler = join(path, 'filler')
    const move = (tablespace: string) =>
      TABLES.map((table) => `alter table ${table} set tablespace ${tablespace}`)
    await asSuperuser(
      stage.databaseUrl,
      `create tablespace small location '${path}'`,
      ...move('small'),
    )
    const { bavail, bsize } = statfsSync(path)
    writeFileSync(filler, Buffer.alloc(bavail * bsize))
    return async () => {
      rmSync(filler)
      await asSuperuser(
        stage.databaseUrl,
        ...move('pg_default'),
        'checkpoint',
        'drop tablespace small',
      )
      spawnSync('umount', ['-l', path])
      removeFolder(path)
    }
  },
}
