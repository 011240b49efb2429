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

/** Segments of the log, of 16 MB each, and the folder's other entries: with more a checkpoint is made. */
const MAX_LOG_FILES = 6

/**
 * The embedded PostgreSQL, stored below `directory`. The caller holds the directory's lock.
 */
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
    // Whatever the environment says of servers.
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    types: { getTypeParser: parserOf },
  })
  // What is lost with it is told by the statement that misses it.
  client.on('error', () => {})
  await client.connect()
  const pool = new EmbeddedPool(client, freeSpace.admit)
  return {
    dialect: new EmbeddedDialect({ pool }),
    /** Before the connection is taken for good. */
    stopWatching: freeSpace.stop,
    /** Calls `onChange` when a transaction is committed that `CHANGES_CHANNEL` is notified of. */
    async listen(onChange: () => void) {
      client.on('notification', onChange)
      await pool.runOutside(`listen ${CHANGES_CHANNEL}`)
      return async () => void client.off('notification', onChange)
    },
    close: () => closeEngine(pglite).finally(lock.release),
  }

  /** Without a process for it, the embedded PostgreSQL makes no checkpoint by itself, and its log would only grow. */
  async function recycleLog() {
    const segments = await readdir(join(dataDir, 'pg_wal'))
    if (segments.length > MAX_LOG_FILES) await pool.runOutside('checkpoint')
  }
}
