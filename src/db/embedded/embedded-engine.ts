import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { fsyncSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { EngineOutput } from './engine-failure.ts'

/**
 * Bytes of a WebAssembly function that run before V8 optimizes the function. With the default of 13 million, every
 * start spends up to a second of CPU time on PostgreSQL's largest functions. With this value, only a busy service
 * does.
 */
const TIERING_BUDGET = 1_000_000_000

/**
 * Starts PostgreSQL in this process on the cluster in `dataDir`, creating the cluster if necessary. By default, PGlite
 * runs without fsync: an acknowledged write survives a process crash, but not a power failure. This function enables
 * fsync by dropping the flag that disables it and by adding the missing call to the file system.
 *
 * @param releaseReserve frees space for the log on a full disk, and returns true if it could
 * @throws {Error} if PostgreSQL rejects the cluster, with PostgreSQL's message and advice on what to do
 */
export async function startEngine(
  dataDir: string,
  releaseReserve?: () => boolean,
): Promise<PGlite> {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`)
  let output: EngineOutput | undefined = new EngineOutput()
  const starting = PGlite.create({
    fs: new SyncingNodeFS(dataDir, releaseReserve),
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      '-c',
      // The Linux default, fdatasync, does not reach the emulated file system.
      'wal_sync_method=fsync',
      '-c',
      'timezone=UTC',
      '-c',
      // The default of 128 MB would more than double the memory of the process. Frequently read data is cached as
      // whole responses anyway.
      'shared_buffers=16MB',
      '-c',
      // After a checkpoint, the log keeps these two segments instead of 80 MB.
      'min_wal_size=32MB',
      '-c',
      'max_wal_size=64MB',
    ],
    onStderr: (line) => {
      output?.add(line)
      return false
    },
  })
  try {
    return await starting
  } catch (cause) {
    throw output.explain(dataDir, cause)
  } finally {
    // Later output may quote values from statements.
    output = undefined
  }
}

/** Closes the engine unless it is already closed. */
export async function closeEngine(pglite: PGlite) {
  if (!pglite.closed) await pglite.close()
}

/** Emscripten's file operations. `nfd` is the descriptor of the real file behind an emulated one. */
type EmscriptenModule = {
  NODEFS: {
    stream_ops: {
      fsync?: (stream: { nfd: number }) => number
      write: (stream: { path?: string }, ...rest: unknown[]) => number
    }
  }
}
/** ENOSPC in Emscripten's numbering. */
const NO_SPACE = 51

const isNoSpace = (error: unknown) =>
  typeof error === 'object' && error !== null && 'errno' in error && error.errno === NO_SPACE

/** NODEFS with a working fsync. It is installed before PostgreSQL starts, so crash recovery is synced too. */
class SyncingNodeFS extends NodeFS {
  readonly #releaseReserve: () => boolean

  /** @param releaseReserve frees space for the log on a full disk, and returns true if it could */
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
          // Applies only to the log. For other files, PostgreSQL reports the error itself.
          const retry =
            isNoSpace(error) && stream.path?.includes('/pg_wal/') && this.#releaseReserve()
          if (!retry) throw error
          return write(stream, ...rest)
        }
      }
    }
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [...(emscriptenOpts.preRun ?? []), makeFsyncReal],
      },
    }
  }
}
