import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { fsyncSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { EngineOutput, exitAtOnce } from './engine-failure.ts'
import { sync } from './socket/messages.ts'

/**
 * Bytes of a WebAssembly function that run before V8 optimizes the function. With the default of 13 million, every
 * start spends up to a second of CPU time on PostgreSQL's largest functions. With this value, only a busy service does.
 */
const TIERING_BUDGET = 1_000_000_000

export type EngineHooks = {
  /** Frees space for the WAL on a full disk. Returns whether it could. */
  releaseReserve?: () => boolean
  /** Called before each write to a file and each sync. */
  onWrite?: () => void
}

/**
 * Starts PostgreSQL in this process on the cluster in `dataDir`, creating the cluster if necessary. By default, PGlite
 * runs without fsync: an acknowledged write survives a process crash, but not a power failure. This function enables
 * fsync by dropping the flag that disables it and by adding the missing call to the file system.
 *
 * @throws {Error} if PostgreSQL rejects the cluster, with PostgreSQL's message and advice on what to do
 */
export async function startEngine(dataDir: string, hooks: EngineHooks = {}): Promise<PGlite> {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`)
  let output: EngineOutput | undefined = new EngineOutput()
  const starting = PGlite.create({
    fs: new SyncingNodeFS(dataDir, hooks),
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
      '-c',
      // By default, PostgreSQL keeps up to 1,000 files open. Clients get the descriptors beyond RESERVED_FILES.
      'max_files_per_process=160',
    ],
    onStderr: (line) => {
      output?.add(line)
      return false
    },
  })
  try {
    const pglite = await starting
    forbidPrograms(pglite)
    return pglite
  } catch (cause) {
    throw output.explain(dataDir, cause)
  } finally {
    // Later output may quote values from statements.
    output = undefined
  }
}

/** Lets `copy … program` fail. PGlite's own function, which is for initdb, would end PostgreSQL. */
function forbidPrograms(pglite: PGlite) {
  // as: PGlite's type omits its WebAssembly module
  const { mod } = pglite as unknown as { mod: EngineModule }
  mod._pgl_set_popen_fn(mod.addFunction(() => 0, 'ppi'))
}

type EngineModule = {
  addFunction(run: () => number, signature: string): number
  _pgl_set_popen_fn(run: number): void
}

/**
 * Runs messages of the wire protocol. If PostgreSQL ends or overflows its stack, PGlite hides the exception and never
 * responds again. This function then ends the process; the next start recovers the database, as after a crash.
 *
 * @param onOutput receives a buffer that the engine reuses
 */
export async function exchangeMessages(
  pglite: PGlite,
  messages: Buffer,
  onOutput: (bytes: Uint8Array) => void,
): Promise<void> {
  if ((await endsReady(pglite, messages, onOutput)) || !expectsReady(messages)) return
  // After a failed extended query, PostgreSQL ignores even a Query until the next Sync.
  if (!(await endsReady(pglite, sync(), () => {})))
    exitAtOnce(
      'A statement has ended the embedded PostgreSQL: ending the process. The next start recovers the database.',
    )
}

const READY = 'Z'.charCodeAt(0)
/** Size of a ReadyForQuery message. */
const READY_BYTES = 6

/** Runs messages. Returns whether the output ends with ReadyForQuery. */
async function endsReady(
  pglite: PGlite,
  messages: Buffer,
  onOutput: (bytes: Uint8Array) => void,
): Promise<boolean> {
  let end: Buffer = Buffer.alloc(0)
  await pglite.execProtocolRawStream(messages, {
    syncToFs: false,
    onRawData: (bytes) => {
      end = Buffer.concat([end, bytes.subarray(-READY_BYTES)]).subarray(-READY_BYTES)
      onOutput(bytes)
    },
  })
  return end[0] === READY
}

/** Whether messages contain a Query or a Sync, so that the output should end with ReadyForQuery. */
function expectsReady(messages: Buffer): boolean {
  // The startup packet has no type.
  if (messages[0] === 0) return false
  for (let at = 0; at + 5 <= messages.length; at += 1 + messages.readInt32BE(at + 1))
    if ('QS'.includes(String.fromCharCode(messages[at] ?? 0))) return true
  return false
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
  readonly #hooks: EngineHooks

  constructor(dataDir: string, hooks: EngineHooks) {
    super(dataDir)
    this.#hooks = hooks
  }

  override async init(...[pglite, options]: Parameters<NodeFS['init']>) {
    const { emscriptenOpts } = await super.init(pglite, options)
    const { releaseReserve, onWrite } = this.#hooks
    const makeFsyncReal = (module: object) => {
      // as: NODEFS is an internal of Emscripten and has no type
      const { stream_ops } = (module as EmscriptenModule).NODEFS
      stream_ops.fsync = ({ nfd }) => {
        onWrite?.()
        fsyncSync(nfd)
        return 0
      }
      const { write } = stream_ops
      stream_ops.write = (stream, ...rest) => {
        onWrite?.()
        try {
          return write(stream, ...rest)
        } catch (error) {
          // Applies only to the log. For other files, PostgreSQL reports the error itself.
          const retry = isNoSpace(error) && stream.path?.includes('/pg_wal/') && releaseReserve?.()
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
