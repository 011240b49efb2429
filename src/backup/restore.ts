import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rebuildAllListings } from '../browse/listings/follow-queries.ts'
import { beginFeedEpoch } from '../catalog/changes/feed-epoch.ts'
import type { Config } from '../config/config.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { clusterOf, makeCluster, RESTORED, RESTORING } from '../db/embedded/cluster.ts'
import { lockDirectory } from '../db/embedded/directory-lock.ts'
import { queryRow } from '../db/query.ts'
import { IS_POOLED } from '../db/server/session.ts'
import { migrate, readMigrations, type Migration } from '../db/upkeep/migrate.ts'
import { takeTurn, type TurnOptions } from '../db/upkeep/take-turn.ts'
import { decrypt } from '../kernel/encryption.ts'
import { removeAtExit } from '../kernel/remove-at-exit.ts'
import { rebuildIndex } from '../search/index/rebuild.ts'
import { BackupError } from './backup-error.ts'
import type { Manifest } from './format.ts'
import { inspectTarget, listUsers, loadBackup } from './load-queries.ts'
import { syncFolder } from './make-backup.ts'
import { backupPath, openBackup } from './places/open-backup.ts'
import { readBackup, type BackupContent } from './read-backup.ts'

/**
 * Maximum time, in milliseconds, to wait until the target has no other sessions, or until those of a pooler are idle.
 */
const MAX_CLOSING_MS = 6_000
/** Minimum time, in milliseconds, to watch the sessions of a pooler. */
const MIN_POOLED_MS = 2_000
/** Time, in milliseconds, between two checks. */
const RETRY_MS = 100

export type RestorePhase = 'Verifying' | 'Loading' | 'Checking' | 'Rebuilding search'

export type RestoreOptions = {
  /** Whether to replace existing data. */
  force?: boolean | undefined
  log?: TurnOptions['log']
  onProgress?: ((phase: RestorePhase, done: number, whole: number) => void) | undefined
}

export type Restored = {
  content: BackupContent
  /** Folder with the files of the embedded database that was replaced. */
  keptAside: string | undefined
  /** Migrations that ran after loading, because the backup has an older schema. */
  migrated: string[]
}

/**
 * Replaces all data in the configured database with a backup. The target is unchanged until the backup has been
 * verified and loaded completely.
 *
 * @param place file, or `bucket:NAME`
 * @throws {BackupError} if the backup cannot be used
 * @throws {Error} if the target is in use, or has data and `force` is false
 */
export async function restoreBackup(
  config: Config,
  place: string,
  options: RestoreOptions = {},
): Promise<Restored> {
  const { onProgress } = options
  const source = await openBackup(config, place)
  const path = backupPath(source)
  const known = await readMigrations()
  let migrations: Migration[] = []
  const content = await readBackup(source, {
    onManifest: (manifest) => {
      migrations = migrationsOf(path, manifest, known)
      checkSecretKey(path, manifest, config.secretKey)
    },
    onProgress: (read, whole) => onProgress?.('Verifying', read, whole),
  })
  const load = (trx: Database) =>
    loadBackup(trx, {
      content,
      migrations,
      readParts: (onPart) =>
        readBackup(source, {
          onPart,
          onProgress: (read, whole) => onProgress?.('Loading', read, whole),
        }),
      onLoaded: () => onProgress?.('Checking', 0, 1),
    })
  const restored = config.databaseUrl
    ? await restoreServer(config, load, options)
    : await restoreEmbedded(config, load, options)
  return { content, ...restored }
}

/** Returns the migrations of a backup's schema, which must be the first migrations of this program. */
function migrationsOf(path: string, { migrations, version }: Manifest, known: Migration[]) {
  return migrations.map(({ name, hash }, place) => {
    const ours = known[place]
    if (!ours)
      throw new BackupError(
        `${path} was made by a newer version of mokuroku (${version}): this version does not know its migration ${name}. Update mokuroku.`,
      )
    if (ours.name !== name || ours.hash !== hash)
      throw new BackupError(
        `${path} was made by mokuroku ${version}, whose migration ${name} this version has replaced. Restore it with that version.`,
      )
    return ours
  })
}

function checkSecretKey(path: string, { sealed }: Manifest, secretKey: string | undefined) {
  if (!sealed) return
  try {
    decrypt(sealed.text, sealed.bound_to, secretKey)
  } catch (cause) {
    throw new BackupError(
      secretKey === undefined
        ? `The secrets in ${path} are encrypted: set SECRET_KEY to the value they were made with.`
        : `The secrets in ${path} are encrypted with another key: set SECRET_KEY to the value they were made with.`,
      { cause },
    )
  }
}

type Target = Omit<Restored, 'content'>

async function restoreServer(
  config: Config,
  load: (trx: Database) => Promise<void>,
  { force = false, log, onProgress }: RestoreOptions,
): Promise<Target> {
  // With one connection, every other session is another process.
  const { db, close } = await openDatabase(config, undefined, { application: 'mokuroku restore' })
  try {
    const users = await waitForUsers(db)
    if (users.length > 0)
      throw new Error(
        `The database is in use by mokuroku (from ${users.join(', ')}). Stop the service first.`,
      )
    const found = await inspectTarget(db)
    if (found === 'foreign')
      throw new Error('The database has tables of another program. Restore into an empty database.')
    if (found.length > 0 && !force)
      throw new Error(
        `The database has data (${found.slice(0, 3).join(', ')}${found.length > 3 ? ' …' : ''}). Replace all of it with --force.`,
      )
    await takeTurn(db, 'restore', load, { log })
    const migrated = await migrate(db, undefined, { log })
    await beginFeedEpoch(db)
    await rebuild(db, onProgress)
    return { keptAside: undefined, migrated }
  } finally {
    await close()
  }
}

/**
 * Waits up to six seconds until no other session uses a database. Sessions of a service that has just stopped may still
 * be listed. Behind a pooler, watches for at least two seconds, because a running service uses a session only now and
 * then.
 *
 * @returns the machines that still use the database
 */
async function waitForUsers(db: Database): Promise<string[]> {
  const pooled = await queryRow(db, IS_POOLED, [])
  const minMs = pooled?.is_pooled ? MIN_POOLED_MS : 0
  return db.transaction().execute(async (trx) => {
    for (const start = performance.now(); ; await sleep(RETRY_MS)) {
      const users = await listUsers(trx)
      const passedMs = performance.now() - start
      if (users.length === 0 ? passedMs >= minMs : passedMs > MAX_CLOSING_MS) return users
    }
  })
}

/** Restores into a new cluster, which then takes the place of the old one. */
async function restoreEmbedded(
  config: Config,
  load: (trx: Database) => Promise<void>,
  { force = false, log, onProgress }: RestoreOptions,
): Promise<Target> {
  const { dataDir } = config
  const lock = await lockDirectory(dataDir)
  try {
    const cluster = clusterOf(dataDir)
    const hasOld = existsSync(cluster) && (await readdir(cluster)).length > 0
    if (hasOld && !force)
      throw new Error(`${cluster} has a database. Replace it with --force, which keeps its files.`)
    for (const name of await readdir(dataDir))
      if (name === RESTORED || name.startsWith(RESTORING))
        await rm(join(dataDir, name), { recursive: true })
    const unfinished = await mkdtemp(join(dataDir, RESTORING))
    const removeUnfinished = removeAtExit(unfinished)
    try {
      await makeCluster(unfinished, 'empty')
      const { db, close } = await openDatabase({ ...config, dataDir: unfinished })
      const migrated = await (async () => {
        await takeTurn(db, 'restore', load, { log })
        const appliedMigrations = await migrate(db, undefined, { log })
        await beginFeedEpoch(db)
        await rebuild(db, onProgress)
        return appliedMigrations
      })().finally(close)
      await rename(clusterOf(unfinished), join(dataDir, RESTORED))
      await syncFolder(dataDir)
      const keptAside = hasOld ? await setAside(cluster) : undefined
      // If the process is killed before this line, the next start does the rest (`finishRestore`).
      await rename(join(dataDir, RESTORED), cluster)
      await syncFolder(dataDir)
      return { keptAside, migrated }
    } finally {
      await removeUnfinished()
    }
  } finally {
    lock.release()
  }
}

async function setAside(cluster: string): Promise<string> {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const keptAside = `${cluster}.before-restore-${stamp}`
  await rename(cluster, keptAside)
  return keptAside
}

/**
 * Rebuilds lists and the search index. If this is interrupted, the service continues it, because the load marked both
 * as due. Similar works are left to the service.
 */
async function rebuild(db: Database, onProgress: RestoreOptions['onProgress']) {
  await rebuildAllListings(db)
  await rebuildIndex(db, ({ done, whole }) => onProgress?.('Rebuilding search', done, whole))
}
