import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { CHANGES_CHANNEL } from '../upkeep/change-listener.ts'
import { clusterOf, hasCluster, makeCluster } from './cluster.ts'
import { lockCluster } from './directory-lock.ts'
import { closeEngine, startEngine } from './embedded-engine.ts'
import { EmbeddedDialect, EmbeddedPool } from './embedded-pool.ts'
import { EmbeddedSocket } from './embedded-socket.ts'
import { watchFreeSpace, type FreeSpaceOptions } from './free-space.ts'
import { parserOf } from '../server/type-parsers.ts'

/** Maximum entries of the log's folder (16 MB segments and a few others) before a checkpoint is made. */
const MAX_LOG_FILES = 6

/** Opens the embedded PostgreSQL below `directory`. The caller must hold the directory's lock. */
export async function openEmbedded(directory: string, freeSpaceOptions: FreeSpaceOptions = {}) {
  const dataDir = clusterOf(directory)
  if (!hasCluster(directory)) await makeCluster(directory, 'empty')
  const lock = lockCluster(dataDir)
  const freeSpace = watchFreeSpace(directory, freeSpaceOptions, recycleLog)
  const pglite = await startEngine(dataDir, freeSpace.release).catch(async (error: unknown) => {
    await freeSpace.stop()
    lock.release()
    throw error
  })
  const client = new pg.Client({
    stream: () => new EmbeddedSocket(pglite),
    // Overrides environment variables for a server.
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    types: { getTypeParser: parserOf },
  })
  // The failing statement reports the error.
  client.on('error', () => {})
  await client.connect()
  const pool = new EmbeddedPool(client, freeSpace.admit)
  return {
    dialect: new EmbeddedDialect({ pool }),
    /** Stops watching the free space. Call it before closing the dialect, which takes the connection for good. */
    stopWatching: freeSpace.stop,
    /** Calls `onChange` after a committed transaction has notified `CHANGES_CHANNEL`. */
    async listen(onChange: () => void) {
      client.on('notification', onChange)
      await pool.runOutside(`listen ${CHANGES_CHANNEL}`)
      return async () => void client.off('notification', onChange)
    },
    close: () => closeEngine(pglite).finally(lock.release),
  }

  /**
   * Makes a checkpoint when the log has grown. The embedded PostgreSQL lacks the checkpointer process, so its log
   * would grow forever.
   */
  async function recycleLog() {
    const segments = await readdir(join(dataDir, 'pg_wal'))
    if (segments.length > MAX_LOG_FILES) await pool.runOutside('checkpoint')
  }
}
