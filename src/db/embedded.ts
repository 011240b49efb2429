import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CHANGES_CHANNEL } from './change-listener.ts'
import { copyClusterImage } from './cluster-image.ts'
import { watchFreeSpace, type FreeSpaceOptions } from './free-space.ts'
import pg from 'pg'
import { EmbeddedDialect, EmbeddedPool } from './embedded-pool.ts'
import { EmbeddedSocket } from './embedded-socket.ts'
import { parserOf } from './type-parsers.ts'

/** Segments of the log, of 16 MB each, and the folder's other entries: with more a checkpoint is made. */
const MAX_LOG_FILES = 6

/**
 * The embedded PostgreSQL, stored below `directory`. The caller holds the directory's lock.
 *
 * PGlite as it comes runs without fsync: an acknowledged write survives the death of the process but not that of the
 * machine. Here it syncs: the switch that turns fsync off is left out, and the file system gets the call it lacks.
 */
export async function openEmbedded(directory: string, freeSpaceOptions: FreeSpaceOptions = {}) {
  const dataDir = join(directory, 'postgres')
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await makeCluster(directory, dataDir)
  const freeSpace = watchFreeSpace(directory, freeSpaceOptions, recycleLog)
  const pglite = await start(dataDir, freeSpace.release).catch(async (error: unknown) => {
    await freeSpace.stop()
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
    close: () => closeOnce(pglite),
  }

  /** Without a process for it, the embedded PostgreSQL makes no checkpoint by itself, and its log would only grow. */
  async function recycleLog() {
    const segments = await readdir(join(dataDir, 'pg_wal'))
    if (segments.length > MAX_LOG_FILES) await pool.runOutside('checkpoint')
  }
}

function start(dataDir: string, releaseReserve?: () => boolean) {
  return PGlite.create({
    fs: new SyncingNodeFS(dataDir, releaseReserve),
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      '-c',
      // The default on Linux, fdatasync, reaches no call of the emulated file system.
      'wal_sync_method=fsync',
      '-c',
      'timezone=UTC',
      '-c',
      // The default of 128 MB would be more than half of the process; what is read often is cached as whole answers anyway.
      'shared_buffers=16MB',
      '-c',
      // After a checkpoint the log keeps these two segments, not the files of 80 MB.
      'min_wal_size=32MB',
      '-c',
      'max_wal_size=64MB',
    ],
  })
}

async function closeOnce(pglite: PGlite) {
  if (!pglite.closed) await pglite.close()
}

/** Made beside its place and moved there when it is whole: what a death leaves half made would never start again. */
async function makeCluster(directory: string, dataDir: string) {
  const unfinished = `${dataDir}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (!copyClusterImage(unfinished)) await initCluster(unfinished)
  // Neither way has synced the files.
  for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true }))
    sync(join(entry.parentPath, entry.name), entry.isDirectory())
  renameSync(unfinished, dataDir)
  sync(directory, true)
}

/** Has PGlite make an empty cluster. */
export async function initCluster(dataDir: string) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  await closeOnce(await start(dataDir))
}

function sync(path: string, isDirectory: boolean) {
  // Windows has no handle of a directory to sync, and syncs no file that is open for reading only.
  if (isDirectory && process.platform === 'win32') return
  const file = openSync(path, isDirectory ? 'r' : 'r+')
  fsyncSync(file)
  closeSync(file)
}

/** Emscripten's file operations; `nfd` is the descriptor of the real file behind an emulated one. */
type EmscriptenModule = {
  NODEFS: {
    stream_ops: {
      fsync?: (stream: { nfd: number }) => number
      write: (stream: { path?: string }, ...rest: unknown[]) => number
    }
  }
}
/** ENOSPC, as Emscripten counts. */
const NO_SPACE = 51

const isNoSpace = (error: unknown) =>
  typeof error === 'object' && error !== null && 'errno' in error && error.errno === NO_SPACE

/** NODEFS with the call it lacks, from the first instruction on: what is recovered after a crash is synced as well. */
class SyncingNodeFS extends NodeFS {
  readonly #releaseReserve: () => boolean

  /** @param releaseReserve makes room for the log on a full disk, and says whether there was any to make */
  constructor(dataDir: string, releaseReserve: () => boolean = () => false) {
    super(dataDir)
    this.#releaseReserve = releaseReserve
  }

  override async init(...[pglite, options]: Parameters<NodeFS['init']>) {
    const { emscriptenOpts } = await super.init(pglite, options)
    const makeFsyncReal = (module: object) => {
      // as: NODEFS is an internal of Emscripten and has no type
      const { stream_ops } = (module as EmscriptenModule).NODEFS
      stream_ops.fsync = ({ nfd }) => {
        fsyncSync(nfd)
        return 0
      }
      const { write } = stream_ops
      stream_ops.write = (stream, ...rest) => {
        try {
          return write(stream, ...rest)
        } catch (error) {
          // Of the log alone: what else finds no room PostgreSQL refuses by itself.
          const retry = isNoSpace(error) && stream.path?.includes('/pg_wal/') && this.#releaseReserve()
          if (!retry) throw error
          return write(stream, ...rest)
        }
      }
    }
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), makeFsyncReal] },
    }
  }
}
