import type pg from 'pg'

/** What Kysely hands through to a connection as the one parameter of a `copy … from stdin`. */
export class CopyData {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** The data of a `copy`, when that is what a connection was asked for. */
export const findCopyData = (values: readonly unknown[] | undefined): CopyData | undefined =>
  values?.[0] instanceof CopyData ? values[0] : undefined

/**
 * A `copy … from stdin` with its data right behind it, in one write: the embedded database answers each write as a whole and
 * cannot ask for data in between, and a server reads it as it comes.
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

  // The rest is what pg's client calls of whatever it has submitted.

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

/** A message of PostgreSQL's protocol: its letter, its length without the letter, its content. */
function message(letter: string, content: Buffer): [head: Buffer, content: Buffer] {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(4 + content.length, 1)
  return [head, content]
}
