import { PGlite } from '@electric-sql/pglite'
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
    dataDir,
    parsers: PARSERS,
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      // The default on Linux, fdatasync, reaches no call of the emulated file system.
      ...['-c', 'wal_sync_method=fsync', '-c', 'timezone=UTC'],
    ],
  })
  makeFsyncReal(pglite)
  return new ExclusivePGliteDialect(pglite)
}

/** Emscripten's file operations; `nfd` is the descriptor of the real file behind an emulated one. */
type StreamOperations = { fsync?: (stream: { nfd: number }) => number }

function makeFsyncReal(pglite: PGlite) {
  // as: stream_ops is an internal of Emscripten's NODEFS and has no type
  const file = pglite.Module.FS.lookupPath('/pglite/data/PG_VERSION', {}).node as unknown as {
    stream_ops: StreamOperations
  }
  file.stream_ops.fsync = ({ nfd }) => {
    fsyncSync(nfd)
    return 0
  }
}
