import type pg from 'pg'

/** Data of a `copy … from stdin`, passed through Kysely as the only parameter of the statement. */
export class CopyData {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** Marks a `copy … to stdout`, as the statement's only parameter. Its result is one row: the data as `bytes`. */
export const COPY_OUTPUT = Symbol('copy output')

/** Returns the statement to submit if the parameters are those of a `copy` statement. */
export const findCopy = (text: unknown, values: readonly unknown[] | undefined) =>
  values?.[0] instanceof CopyData || values?.[0] === COPY_OUTPUT
    ? new CopyStatement(String(text), values[0])
    : undefined

/**
 * A `copy` statement. A `copy … from stdin` sends its data with the statement in a single write. The embedded database
 * processes each write as a whole and cannot request data in between. A server reads the data as it arrives.
 */
class CopyStatement implements pg.Submittable {
  readonly done: Promise<pg.QueryResult>
  readonly #message: Buffer
  readonly #settle: { resolve(result: pg.QueryResult): void; reject(error: Error): void }
  readonly #received: Buffer[] | undefined
  #count = 0
  #error: Error | undefined

  constructor(text: string, data: CopyData | typeof COPY_OUTPUT) {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    this.done = promise
    this.#settle = { resolve, reject }
    this.#received = data instanceof CopyData ? undefined : []
    this.#message = Buffer.concat([
      ...message('Q', Buffer.from(`${text}\0`)),
      ...(data instanceof CopyData
        ? [...message('d', data.bytes), ...message('c', Buffer.alloc(0))]
        : []),
    ])
  }

  // The rest is the interface that pg's client expects of a submitted query.

  submit(connection: pg.Connection) {
    connection.stream.write(this.#message)
  }

  handleCopyInResponse() {}
  handleCopyData({ chunk }: { chunk: Buffer }) {
    // The parser reuses its buffer.
    this.#received?.push(Buffer.from(chunk))
  }
  handleRowDescription() {}
  handleDataRow() {}
  handleEmptyQuery() {}
  handlePortalSuspended() {}

  handleCommandComplete({ text }: { text: string }) {
    this.#count = Number(text.split(' ').at(-1))
  }

  handleError(error: Error) {
    this.#error = error
    this.#settle.reject(error)
  }

  handleReadyForQuery() {
    if (this.#error) return
    const rows = this.#received ? [{ bytes: Buffer.concat(this.#received) }] : []
    this.#settle.resolve({ command: 'COPY', rowCount: this.#count, oid: 0, fields: [], rows })
  }
}

/** Returns a message in PostgreSQL's wire protocol: type, length without the type, content. */
function message(letter: string, content: Buffer): [head: Buffer, content: Buffer] {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(4 + content.length, 1)
  return [head, content]
}
