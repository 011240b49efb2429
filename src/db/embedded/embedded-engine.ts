import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { fsyncSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { EngineOutput } from './engine-failure.ts'

/**
 * Bytes of a WebAssembly function that run before V8 compiles it again, optimized. With its default of 13 million every
 * start pays for that, up to a second of processor for the largest functions of PostgreSQL; with this a busy service does.
 */
const TIERING_BUDGET = 1_000_000_000

/**
 * Starts PostgreSQL in this process on the cluster in `dataDir`, or on a new one that it makes there.
 *
 * PGlite as it comes runs without fsync: an acknowledged write survives the death of the process but not that of the
 * machine. Here it syncs: the switch that turns fsync off is left out, and the file system gets the call it lacks.
 *
 * @param releaseReserve makes room for the log on a full disk, and says whether there was any to make
 * @throws {Error} if PostgreSQL refuses the cluster, with PostgreSQL's message and what to do
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

/** Also when it is closed already. */
export async function closeEngine(pglite: PGlite) {
  if (!pglite.closed) await pglite.close()
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
