import type { PGlite } from '@electric-sql/pglite'
import { Duplex } from 'node:stream'

/**
 * What a client of PostgreSQL takes for its socket, with PGlite at the other end: a message that is written has been answered
 * when `write` returns. So the embedded database is spoken to as a server is, statements prepared once and all.
 */
export class EmbeddedSocket extends Duplex {
  readonly #pglite: PGlite

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  connect() {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  setNoDelay = () => this
  setKeepAlive = () => this
  ref = () => this
  unref = () => this

  override _read() {}

  override _write(
    message: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ) {
    this.#exchange(message, done)
  }

  override _writev(messages: { chunk: Buffer }[], done: (error?: Error | null) => void) {
    this.#exchange(Buffer.concat(messages.map(({ chunk }) => chunk)), done)
  }

  override _final(done: () => void) {
    this.push(null)
    done()
  }

  #exchange(message: Buffer, done: (error?: Error | null) => void) {
    if (this.#pglite.closed) {
      done(new Error('Connection terminated: the embedded database is closed'))
      return
    }
    this.#pglite
      .execProtocolRawStream(message, {
        syncToFs: false,
        // A view of memory that is written anew by the next message.
        onRawData: (bytes) => void this.push(Buffer.from(bytes)),
      })
      // The event loop turns between two statements, however many wait.
      .then(() => setImmediate(done), done)
  }
}
