import type { PGlite } from '@electric-sql/pglite'
import { Duplex } from 'node:stream'
import { exchangeMessages } from './embedded-engine.ts'

/**
 * A socket for pg's client with PGlite at the other end. Each message is processed completely within its write. The
 * embedded database is thus used through the same protocol as a server, including prepared statements.
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
    this.#exchangeMessages(message, done)
  }

  override _writev(messages: { chunk: Buffer }[], done: (error?: Error | null) => void) {
    this.#exchangeMessages(Buffer.concat(messages.map(({ chunk }) => chunk)), done)
  }

  override _final(done: () => void) {
    this.push(null)
    done()
  }

  #exchangeMessages(message: Buffer, done: (error?: Error | null) => void) {
    if (this.#pglite.closed) {
      done(new Error('Connection terminated: the embedded database is closed'))
      return
    }
    // PGlite reuses this buffer for the next message, so the message is copied.
    exchangeMessages(this.#pglite, message, (bytes) => void this.push(Buffer.from(bytes)))
      // Lets the event loop turn between two statements, however many are waiting.
      .then(() => setImmediate(done), done)
  }
}
