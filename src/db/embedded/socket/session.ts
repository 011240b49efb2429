import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { PostgresPoolClient } from 'kysely'
import { ClientStatements } from './client-statements.ts'
import { findCopyFromStdin } from './copy-statement.ts'
import { OutputFilter, type TransactionStatus } from './output-filter.ts'
import {
  ConnectionEndedError,
  malformed,
  MAX_MESSAGE_BYTES,
  MessageReader,
} from './message-reader.ts'
import {
  closeStatement,
  copyFail,
  copyInResponse,
  parameterStatus,
  parse,
  query,
  reportMessage,
  stringsOf,
  sync,
  WAITING_NOTICE,
} from './messages.ts'
import { Output } from './output.ts'
import { startSession } from './start-session.ts'

/** Maximum time, in milliseconds, until a client has sent its first message. */
export const MAX_STARTUP_MS = 10_000
/** Time, in milliseconds, that a client has to read the error that ends its connection. */
const MAX_END_MS = 1_000
/** Time, in milliseconds, after which a client is notified that it is waiting for others. */
const WAIT_NOTICE_MS = 2_000

/**
 * Follows every statement. If the statement turns out to be a `copy … from stdin`, this makes it fail. Without this
 * message, the statement would continue to read, and PostgreSQL exits at the end of its input. After any other
 * statement, PostgreSQL ignores this message.
 */
const NO_COPY = copyFail('COPY FROM STDIN must be the first statement of a simple query')

/** Ends an extended query without committing it, then rolls back the transaction, whatever state they are in. */
const ABANDON = Buffer.concat([parse('', 'rollback it'), sync(), query('rollback')])

/** Returns a statement that fails with this SQLSTATE and text. */
const refusalOf = (code: string, text: string) =>
  query(
    `do $$ begin raise exception '${text.replaceAll("'", "''")}' using errcode = '${code}'; end $$`,
  )

/** Interface of the embedded database to the sessions. */
export type SharedEngine = {
  directory: string
  /** Settings that PostgreSQL reports at the start of a session. */
  parameters: ReadonlyMap<string, string>
  /** Runs messages. `onOutput` receives a buffer that is reused. */
  exchange(messages: Buffer, onOutput: (bytes: Uint8Array) => void): Promise<void>
  /** Waits for the connection, and lends it. */
  borrow(): Promise<PostgresPoolClient>
  /** Restores the session's settings and everything else that a client may have changed. */
  restoreSession(): Promise<void>
  /** @throws {Error} with an SQLSTATE if the statement must not run now */
  admit(statement: string): void
  onNotification(channel: string): void
}

export type SessionOptions = {
  id: number
  /** Time, in milliseconds, that a client may hold the connection without sending a message. */
  maxIdleMs: number
  log?: { warn(facts: object, text: string): void } | undefined
}

/** The session of one client, which borrows the database's only connection for each transaction. */
export class Session {
  readonly #socket: Socket
  readonly #engine: SharedEngine
  readonly #options: SessionOptions
  readonly #reader: MessageReader
  readonly #gone = new AbortController()
  readonly #statements: ClientStatements
  #loan: PostgresPoolClient | undefined
  #idle: NodeJS.Timeout | undefined
  /** Messages of an extended query until its Sync or Flush. */
  #batch: Buffer[] = []
  #batchBytes = 0
  #refusal: Buffer | undefined
  /** Messages of a `copy … from stdin` until the end of its data. */
  #copy: Buffer[] | undefined
  #changed = new Set<string>()

  constructor(socket: Socket, engine: SharedEngine, options: SessionOptions) {
    this.#socket = socket
    this.#engine = engine
    this.#options = options
    this.#reader = new MessageReader(socket)
    this.#statements = new ClientStatements(options.id)
    socket.on('error', () => {})
    socket.once('close', () => this.#gone.abort())
  }

  /** Serves the client until it disconnects. */
  async run(): Promise<void> {
    const limit = setTimeout(() => this.#socket.destroy(), MAX_STARTUP_MS)
    try {
      const { parameters } = this.#engine
      if (!(await startSession(this.#socket, this.#reader, parameters, this.#options.id))) return
      clearTimeout(limit)
      while (!this.#gone.signal.aborted) {
        const next = await this.#reader.message()
        if (!next || !(await this.#take(next))) break
      }
    } catch (error) {
      if (error instanceof ConnectionEndedError) this.end(error)
      else if (!this.#gone.signal.aborted) {
        this.#options.log?.warn({ err: error }, 'A connection of a command failed')
        this.#socket.destroy()
      }
    } finally {
      clearTimeout(limit)
      await this.#leave()
    }
  }

  /** Sends a last error and closes the connection. */
  end({ code, message: text }: ConnectionEndedError) {
    this.#socket.write(reportMessage('FATAL', code, text))
    this.#socket.destroySoon()
    setTimeout(() => this.#socket.destroy(), MAX_END_MS).unref()
  }

  /** Processes one message. Returns false if it ends the session. */
  async #take(next: Buffer): Promise<boolean> {
    this.#idle?.refresh()
    const type = String.fromCharCode(next[0] ?? 0)
    if (type === 'X') return false
    if (type === 'F')
      throw new ConnectionEndedError('0A000', 'Function calls are not supported; use a statement')
    if ('dcf'.includes(type)) return this.#takeCopyData(type, next)
    // A client may send these before it has noticed that its statement is a copy.
    if (this.#copy && 'SH'.includes(type)) return true
    if (this.#copy) throw malformed('Expected the data of COPY FROM STDIN')
    if (type === 'Q') return this.#takeQuery(next)
    // Clients of this program send it as a keepalive.
    if (type === 'H' && this.#batch.length === 0) return true
    if (type === 'P') this.#refusal ??= this.#refuse(stringsOf(next.subarray(5))[1] ?? '')
    this.#collect(this.#batch, this.#statements.renamed(type, next))
    if (type === 'E') this.#batch.push(NO_COPY)
    if (type !== 'S' && type !== 'H') return true
    if (this.#refusal && type === 'H')
      throw new ConnectionEndedError('53100', 'There is too little space on the disk.')
    await this.#runBatch()
    return true
  }

  async #takeQuery(next: Buffer): Promise<boolean> {
    const text = stringsOf(next.subarray(5))[0] ?? ''
    if (this.#batch.length > 0) await this.#runBatch()
    const refusal = this.#refuse(text)
    const copy = refusal ? undefined : findCopyFromStdin(text)
    if (copy) {
      this.#copy = []
      this.#collect(this.#copy, next)
      this.#socket.write(copyInResponse(copy.isBinary))
    } else await this.#exchange([refusal ?? next, NO_COPY])
    return true
  }

  async #takeCopyData(type: string, next: Buffer): Promise<boolean> {
    // Data of a statement that has already failed.
    if (!this.#copy) return true
    this.#collect(this.#copy, next)
    if (type === 'd') return true
    const messages = this.#copy
    this.#copy = undefined
    this.#batchBytes = 0
    await this.#exchange([...messages, NO_COPY], true)
    return true
  }

  #collect(messages: Buffer[], next: Buffer) {
    messages.push(next)
    this.#batchBytes += next.length
    if (this.#batchBytes > MAX_MESSAGE_BYTES)
      throw new ConnectionEndedError(
        '54000',
        `A statement and its data may have ${MAX_MESSAGE_BYTES} bytes; send the data in parts`,
      )
  }

  async #runBatch() {
    const messages = this.#refusal ? [this.#refusal] : this.#batch
    this.#batch = []
    this.#batchBytes = 0
    this.#refusal = undefined
    await this.#exchange(messages)
  }

  #refuse(text: string): Buffer | undefined {
    try {
      this.#engine.admit(text)
      return undefined
    } catch (error) {
      const { code = 'XX000', message: reason } = error as { code?: string; message: string }
      return refusalOf(code, reason)
    }
  }

  /** Runs messages on the connection and sends their output. */
  async #exchange(messages: Buffer[], skipsCopyIn = false) {
    await this.#borrow()
    if (this.#gone.signal.aborted) return
    clearTimeout(this.#idle)
    const unsent = new Output(this.#engine.directory, `socket-${this.#options.id}`)
    try {
      const { status, changed } = await this.#run(
        messages,
        (bytes) => unsent.write(bytes),
        skipsCopyIn,
      )
      for (const name of changed) this.#changed.add(name)
      if (status === 'I') {
        const restored = await this.#return()
        for (const bytes of restored) unsent.write(bytes)
      } else this.#idle = setTimeout(() => this.#cutIdle(), this.#options.maxIdleMs)
      for (const bytes of unsent.read())
        if (!this.#socket.write(bytes))
          await once(this.#socket, 'drain', { signal: this.#gone.signal })
    } finally {
      unsent.close()
    }
    // Other clients get their turn between two statements.
    await turn()
  }

  async #run(
    messages: Buffer[],
    pass: (bytes: Buffer) => void,
    skipsCopyIn = false,
  ): Promise<{ status: TransactionStatus | undefined; changed: Set<string> }> {
    const output = new OutputFilter(pass, this.#engine.onNotification, skipsCopyIn)
    await this.#engine.exchange(Buffer.concat(messages), (bytes) => output.add(bytes))
    return output
  }

  async #borrow() {
    if (this.#loan) return
    const notice = setTimeout(
      () =>
        this.#socket.write(
          reportMessage(
            'NOTICE',
            WAITING_NOTICE,
            'Waiting for another command to end its transaction',
          ),
        ),
      WAIT_NOTICE_MS,
    )
    try {
      this.#loan = await this.#engine.borrow()
    } finally {
      clearTimeout(notice)
    }
  }

  /** Returns the connection as it was. Also returns messages with the settings that the client has to know. */
  async #return(): Promise<Buffer[]> {
    const loan = this.#loan
    this.#loan = undefined
    this.#statements.forgetUnnamed()
    const changed = [...this.#changed]
    this.#changed.clear()
    try {
      await this.#engine.restoreSession()
    } finally {
      loan?.release()
    }
    return changed.flatMap((name) => {
      const value = this.#engine.parameters.get(name)
      return value === undefined ? [] : [parameterStatus(name, value)]
    })
  }

  #cutIdle() {
    this.#options.log?.warn(
      { client: this.#options.id, idle_ms: this.#options.maxIdleMs },
      'A client of the embedded database was idle in a transaction: rolling back and closing its connection',
    )
    this.end(
      new ConnectionEndedError(
        '25P03',
        'The connection was closed because the transaction was idle for too long',
      ),
    )
  }

  /** Rolls back what the client has not committed, and removes its prepared statements. */
  async #leave() {
    clearTimeout(this.#idle)
    try {
      const closed = this.#statements.names().map(closeStatement)
      if (!this.#loan && closed.length === 0) return
      await this.#borrow()
      clearTimeout(this.#idle)
      await this.#run([ABANDON, ...closed, sync()], () => {})
      await this.#return()
    } catch (error) {
      this.#options.log?.warn({ err: error }, 'Ending a connection of a command failed')
    } finally {
      this.#socket.destroySoon()
    }
  }
}
