import type pg from 'pg'

/** Data of a `copy … from stdin`, passed through Kysely as the only parameter of the statement. */
export class CopyData {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** Returns the data if the parameters are those of a `copy` statement, and otherwise `undefined`. */
export const findCopyData = (values: readonly unknown[] | undefined): CopyData | undefined =>
  values?.[0] instanceof CopyData ? values[0] : undefined

/**
 * A `copy … from stdin` that sends its data with the statement in a single write. The embedded database processes each
 * write as a whole and cannot request data in between. A server reads the data as it arrives.
 */
export class CopyStatement implements pg.Submittable {
  readonly done: Promise<pg.QueryResult>
  readonly #message: Buffer
  readonly #settle: { resolve(result: pg.QueryResult): void; reject(error: Error): void }
  #count = 0
  #error: Error | undefined

  constructor(text: string, { bytes }: CopyData) {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    this.done = promise
    this.#settle = { resolve, reject }
    this.#message = Buffer.concat([
      ...message('Q', Buffer.from(`${text}\0`)),
      ...message('d', bytes),
      ...message('c', Buffer.alloc(0)),
    ])
  }

  // The rest is the interface that pg's client expects of a submitted query.

  submit(connection: pg.Connection) {
    connection.stream.write(this.#message)
  }

  handleCopyInResponse() {}
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
    if (!this.#error)
      this.#settle.resolve({ command: 'COPY', rowCount: this.#count, oid: 0, fields: [], rows: [] })
  }
}

/** Returns a message in PostgreSQL's wire protocol: type, length without the type, content. */
function message(letter: string, content: Buffer): [head: Buffer, content: Buffer] {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(4 + content.length, 1)
  return [head, content]
}
