import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { fsyncSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ExclusivePGliteDialect } from './pglite-dialect.ts'
import { PARSERS } from './values.ts'

/**
 * The embedded PostgreSQL, stored below `directory`. The caller holds the directory's lock.
 *
 * PGlite as it comes runs without fsync: an acknowledged write survives the death of the process but not that of the
 * machine. Here it syncs: the switch that turns fsync off is left out, and the file system gets the call it lacks.
 */
export async function openEmbedded(directory: string) {
  const dataDir = join(directory, 'postgres')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const pglite = await PGlite.create({
    fs: new SyncingNodeFS(dataDir),
    parsers: PARSERS,
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      '-c',
      // The default on Linux, fdatasync, reaches no call of the emulated file system.
      'wal_sync_method=fsync',
      '-c',
      'timezone=UTC',
    ],
  })
  return new ExclusivePGliteDialect(pglite)
}

/** Emscripten's file operations; `nfd` is the descriptor of the real file behind an emulated one. */
type EmscriptenModule = {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } }
}

/** There from the first instruction on: what is recovered after a crash must reach the disk as well. */
class SyncingNodeFS extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>) {
    const { emscriptenOpts } = await super.init(pglite, options)
    const makeFsyncReal = (module: object) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- NODEFS is an internal of Emscripten without a type
      const { stream_ops } = (module as EmscriptenModule).NODEFS
      stream_ops.fsync = ({ nfd }) => {
        fsyncSync(nfd)
        return 0
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), makeFsyncReal] } }
  }
}
