import { writeSync } from 'node:fs'
import { ClusterError } from './cluster-error.ts'

/** Maximum number of startup log lines kept. */
const MAX_LINES = 50

/** Folder of the cluster as the embedded PostgreSQL sees it. */
const MOUNT = '/pglite/data'

type Entry = { severity: string; text: string }

/** Collects the last lines that PostgreSQL writes to standard error. */
export class EngineOutput {
  #lines: string[] = []

  add(line: string) {
    this.#lines.push(line)
    if (this.#lines.length > MAX_LINES) this.#lines.shift()
  }

  /**
   * Creates an error with PostgreSQL's reason why the engine did not start, and with what to do about it.
   *
   * @param dataDir folder of the cluster
   * @param cause error thrown by PGlite, which has no useful message
   */
  explain(dataDir: string, cause: unknown): Error {
    const printed = this.#reason().replaceAll(MOUNT, dataDir)
    const reason = printed || `PGlite: ${cause instanceof Error ? cause.message : String(cause)}`
    const [, clusterVersion, engineVersion] =
      /version (\S+), which is not compatible with this version (\S+?)\.?$/.exec(reason) ?? []
    if (clusterVersion !== undefined && engineVersion !== undefined)
      return new ClusterError(
        `The database in ${dataDir} was created by PostgreSQL ${clusterVersion}, and this version of mokuroku includes PostgreSQL ${engineVersion}.`,
        'Start the version of mokuroku that created it, or move the folder away and run mokuroku serve --new for a new database.',
        { cause, alternative: 'Start the version of mokuroku that created it, or' },
      )
    const fault = `The database in ${dataDir} cannot be opened. PostgreSQL reports: ${reason.replace(/\.$/, '')}.`
    const advice = adviceFor(reason)
    return advice === undefined
      ? new ClusterError(
          fault,
          'The folder is damaged. Keep a copy of it, and restore the folder from a backup.',
          { cause },
        )
      : new Error(`${fault} ${advice}`, { cause })
  }

  /** Returns the last error with its details, and the line before it if that line names the cause. */
  #reason(): string {
    const entries = this.#lines.map(parse).filter(({ severity, text }) => !isNoise(severity, text))
    const last = entries.findLastIndex(({ severity }) => /^(FATAL|PANIC|ERROR)$/.test(severity))
    const first = entries[last - 1]?.severity === 'LOG' ? last - 1 : last
    const reported = last < 0 ? entries.slice(-1) : entries.slice(first)
    return [...new Set(reported.map(({ text }) => text))].join('; ')
  }
}

/** Splits `2026-01-01 00:00:00.000 UTC [42] FATAL:  text`. */
function parse(line: string): Entry {
  const [, severity = '', text = line] =
    /^(?:\S+ \S+ \S+ \[\d+\] )?([A-Z]+): {2}(.*)$/s.exec(line) ?? []
  return { severity, text }
}

/**
 * Whether a line is irrelevant. Hints advise running initdb, which would not help, and routine lines precede any
 * failure.
 */
const isNoise = (severity: string, text: string) =>
  ['HINT', 'STATEMENT', 'CONTEXT', 'NOTICE'].includes(severity) ||
  /^(Aborted\(|database system |starting |redo |checkpoint |$)/.test(text)

/** Returns what to do about a reason other than damage. */
function adviceFor(reason: string): string | undefined {
  if (/permission denied|read-only file system|not permitted/i.test(reason))
    return 'Make the folder writable for the user that runs mokuroku.'
  if (/configuration file|pg_hba\.conf/.test(reason)) return 'Correct that file.'
  return undefined
}

/** Ends the process after a failure that leaves no time for the log, which writes asynchronously. */
export function exitAtOnce(msg: string): never {
  try {
    writeSync(2, `${JSON.stringify({ level: 'fatal', time: new Date().toISOString(), msg })}\n`)
  } catch {
    // Ending the process matters more than the log line.
  }
  process.exit(1)
}
