import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { ObservedPool } from '../observer.ts'
import { CHANGES_CHANNEL } from '../upkeep/change-listener.ts'
import { COMMAND_STATEMENTS } from './command-statements.ts'
import { connectionOf } from './connection-of.ts'
import { withDeadline } from '../server/deadlines.ts'
import { clusterOf, finishRestore, hasCluster, makeCluster } from './cluster.ts'
import { lockCluster, type DirectoryLock } from './directory-lock.ts'
import { closeEngine, exchangeMessages, startEngine } from './embedded-engine.ts'
import { EmbeddedDialect, EmbeddedPool } from './embedded-pool.ts'
import { EmbeddedSocket } from './embedded-socket.ts'
import { guardLocks, waitForHandover } from './lock-guard.ts'
import { refuseCopiedCluster } from './refused-cluster.ts'
import { removeLeftovers } from './leftovers/remove-leftovers.ts'
import { restoreSession } from './restore-session.ts'
import { listenOnSocket, type ListenOptions } from './socket/listen.ts'
import { watchFreeSpace, type FreeSpaceOptions } from './free-space.ts'
import { parserOf } from '../server/type-parsers.ts'

/** Maximum number of entries in the log folder (16 MB segments and a few others) before a checkpoint is made. */
const MAX_LOG_FILES = 6

/**
 * Opens the embedded PostgreSQL below `directory`.
 *
 * @param directoryLock lock of the directory, which the caller holds
 */
export async function openEmbedded(
  directory: string,
  freeSpaceOptions: FreeSpaceOptions = {},
  onPool?: (pool: ObservedPool) => void,
  directoryLock?: DirectoryLock,
) {
  const dataDir = clusterOf(directory)
  finishRestore(directory)
  if (!hasCluster(directory)) await makeCluster(directory, 'empty')
  const lock = lockCluster(dataDir)
  const locks = directoryLock ? [directoryLock, lock] : [lock]
  await waitForHandover(dataDir, locks)
  let markClosed: () => void
  try {
    markClosed = refuseCopiedCluster(dataDir)
  } catch (error) {
    lock.release()
    throw error
  }
  const guard = guardLocks(locks)
  const freeSpace = watchFreeSpace(directory, freeSpaceOptions, recycleLog)
  const release = () => {
    guard.stop()
    lock.release()
  }
  const pglite = await startEngine(dataDir, {
    releaseReserve: freeSpace.release,
    onWrite: guard.check,
  }).catch(async (error: unknown) => {
    await freeSpace.stop()
    release()
    throw error
  })
  const closeCluster = () => closeEngine(pglite).then(markClosed).finally(release)
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
  const parameters = new Map<string, string>()
  connectionOf(client).on('parameterStatus', ({ parameterName, parameterValue }) =>
    parameters.set(parameterName, parameterValue),
  )
  await client.connect()
  const pool = new EmbeddedPool(client, freeSpace.admit)
  await removeLeftovers(client, directory, freeSpaceOptions.log).catch(async (error: unknown) => {
    await freeSpace.stop()
    await closeCluster()
    throw error
  })
  onPool?.(pool)
  let listen: string | undefined
  return {
    dialect: new EmbeddedDialect({ pool }),
    /** Stops watching the free space. Call it before closing the dialect, which takes the connection for good. */
    stopWatching: freeSpace.stop,
    /** Calls `onChange` after a committed transaction has notified `CHANGES_CHANNEL`. */
    async listen(onChange: () => void) {
      client.on('notification', onChange)
      listen = `listen ${CHANGES_CHANNEL}`
      await pool.runOutside(listen)
      return async () => void client.off('notification', onChange)
    },
    /** Whether statements are waiting for the connection. */
    isBusy: () => pool.waitingCount > 0,
    /** Lets other processes use the database through a socket. Stop it before closing the dialect. */
    acceptCommands: (options: ListenOptions) =>
      listenOnSocket(
        {
          directory,
          parameters,
          async exchange(messages, onOutput) {
            COMMAND_STATEMENTS.publish(true)
            try {
              await exchangeMessages(pglite, messages, onOutput)
            } finally {
              COMMAND_STATEMENTS.publish(false)
            }
          },
          borrow: () => withDeadline(Infinity, () => pool.connect()),
          restoreSession: () => restoreSession(client, listen),
          admit: freeSpace.admit,
          onNotification: (channel) => {
            if (channel === CHANGES_CHANNEL) client.emit('notification')
          },
        },
        options,
      ),
    close: closeCluster,
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
