import { MEBIBYTE } from '../../../kernel/mebibyte.ts'

/** Maximum size, in bytes, of a message, and of messages that are collected to run together. */
export const MAX_MESSAGE_BYTES = 256 * MEBIBYTE

/** Maximum size, in bytes, of the packets before the first message: PostgreSQL's own limit. */
const MAX_STARTUP_BYTES = 10_000

/** Types of the messages that a client may send. */
export const CLIENT_MESSAGES = new Set([...'QPB', ...'DEC', ...'SH', ...'dcf', ...'XF'])

/** An error that ends a client's connection. `code` is an SQLSTATE. */
export class ConnectionEndedError extends Error {
  override name = 'ConnectionEndedError'
  readonly code: string

  constructor(code: string, text: string) {
    super(text)
    this.code = code
  }
}

export const malformed = (text: string) => new ConnectionEndedError('08P01', text)

/** Splits the bytes of a client into packets and messages. */
export class MessageReader {
  readonly #chunks: AsyncIterator<Buffer>
  #parts: Buffer[] = []
  #length = 0

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** Returns the next packet of the startup without its length, or `undefined` at the end of the bytes. */
  async startupPacket(): Promise<Buffer | undefined> {
    const size = (await this.#peek(4))?.readInt32BE(0)
    if (size === undefined) return undefined
    if (size < 8 || size > MAX_STARTUP_BYTES) throw malformed('Invalid length of startup packet')
    return (await this.#take(size))?.subarray(4)
  }

  /** Returns the next message with its type and length, or `undefined` at the end of the bytes. */
  async message(): Promise<Buffer | undefined> {
    const head = await this.#peek(5)
    if (!head) return undefined
    const type = String.fromCharCode(head[0] ?? 0)
    if (!CLIENT_MESSAGES.has(type))
      throw malformed(`Invalid frontend message type ${type.charCodeAt(0)}`)
    const size = head.readInt32BE(1)
    if (size < 4 || size > MAX_MESSAGE_BYTES)
      throw malformed(`Invalid message length ${size}; the maximum is ${MAX_MESSAGE_BYTES}`)
    return this.#take(1 + size)
  }

  async #take(length: number): Promise<Buffer | undefined> {
    const bytes = await this.#peek(length)
    if (!bytes) return undefined
    this.#parts = [bytes.subarray(length)]
    this.#length -= length
    return bytes.subarray(0, length)
  }

  /** Waits for `length` bytes, and returns all that have arrived. */
  async #peek(length: number): Promise<Buffer | undefined> {
    while (this.#length < length) {
      const { value, done } = await this.#chunks.next()
      if (done) return undefined
      this.#parts.push(value)
      this.#length += value.length
    }
    const bytes = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts)
    this.#parts = bytes ? [bytes] : []
    return bytes
  }
}
