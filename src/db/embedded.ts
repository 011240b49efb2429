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
import { join } from 'node:path'
import { CHANGES_CHANNEL } from './change-listener.ts'
import { ExclusivePGliteDialect } from './pglite-dialect.ts'
import { TYPE_PARSERS } from './type-parsers.ts'

/**
 * The embedded PostgreSQL, stored below `directory`. The caller holds the directory's lock.
 *
 * PGlite as it comes runs without fsync: an acknowledged write survives the death of the process but not that of the
 * machine. Here it syncs: the switch that turns fsync off is left out, and the file system gets the call it lacks.
 */
export async function openEmbedded(directory: string) {
  const dataDir = join(directory, 'postgres')
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await makeCluster(directory, dataDir)
  const pglite = await start(dataDir)
  return {
    dialect: new ExclusivePGliteDialect(pglite),
    /** Calls `onChange` when a transaction is committed that `CHANGES_CHANNEL` is notified of. */
    listen: (onChange: () => void) => pglite.listen(CHANGES_CHANNEL, onChange),
    close: () => closeOnce(pglite),
  }
}

function start(dataDir: string) {
  return PGlite.create({
    fs: new SyncingNodeFS(dataDir),
    parsers: TYPE_PARSERS,
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
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  await closeOnce(await start(unfinished))
  // PGlite makes the files without syncing them.
  for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true }))
    sync(join(entry.parentPath, entry.name), entry.isDirectory())
  renameSync(unfinished, dataDir)
  sync(directory, true)
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
  NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } }
}

/** NODEFS with the call it lacks, from the first instruction on: what is recovered after a crash is synced as well. */
class SyncingNodeFS extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>) {
    const { emscriptenOpts } = await super.init(pglite, options)
    const makeFsyncReal = (module: object) => {
      // as: NODEFS is an internal of Emscripten and has no type
      const { stream_ops } = (module as EmscriptenModule).NODEFS
      stream_ops.fsync = ({ nfd }) => {
        fsyncSync(nfd)
        return 0
      }
    }
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), makeFsyncReal] },
    }
  }
}
