import { stringsOf } from './messages.ts'

const HEAD_BYTES = 5
/** Types of the messages whose content is read. Of all others, only the length matters. */
const READ = new Set(['A', 'G', 'S', 'Z'].map((type) => type.charCodeAt(0)))

/** `T` means in a transaction, `E` in a failed transaction, and `I` outside of any. */
export type TransactionStatus = 'I' | 'T' | 'E'

/** Reads the output of one exchange while it is passed on to the client. */
export class OutputFilter {
  /** Status of the last ReadyForQuery, if it was the last message. */
  status: TransactionStatus | undefined
  /** Names of reported settings that the exchange changed. */
  readonly changed = new Set<string>()

  readonly #pass: (bytes: Buffer) => void
  readonly #onNotification: (channel: string) => void
  #skipsCopyIn: boolean
  /** The beginning of a message that continues in the next chunk. */
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes of the next chunk that belong to a message already passed on. */
  #open = 0

  /**
   * @param pass receives a buffer that the engine reuses
   *
   * @param skipsCopyIn drops the first CopyInResponse, which the client already has
   */
  constructor(
    pass: (bytes: Buffer) => void,
    onNotification: (channel: string) => void,
    skipsCopyIn: boolean,
  ) {
    this.#pass = pass
    this.#onNotification = onNotification
    this.#skipsCopyIn = skipsCopyIn
  }

  /** @param bytes buffer that the engine reuses */
  add(bytes: Uint8Array) {
    const chunk =
      this.#rest.length > 0
        ? Buffer.concat([this.#rest, bytes])
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let start = 0
    let position = Math.min(this.#open, chunk.length)
    this.#open -= position
    while (position + HEAD_BYTES <= chunk.length) {
      const end = position + 1 + chunk.readInt32BE(position + 1)
      const type = chunk[position] ?? 0
      if (READ.has(type)) {
        if (end > chunk.length) break
        if (!this.#read(String.fromCharCode(type), chunk.subarray(position + HEAD_BYTES, end))) {
          this.#pass(chunk.subarray(start, position))
          start = end
        }
      } else this.status = undefined
      this.#open = Math.max(0, end - chunk.length)
      position = Math.min(end, chunk.length)
    }
    this.#pass(chunk.subarray(start, position))
    this.#rest = Buffer.from(chunk.subarray(position))
  }

  /** Returns whether the message is passed on to the client. */
  #read(type: string, content: Buffer): boolean {
    if (type === 'Z') {
      // as: the protocol has no other status
      this.status = content.toString() as TransactionStatus
      return true
    }
    if (type === 'A') {
      // Only the service listens. A commit notifies the session that runs it.
      this.#onNotification(stringsOf(content.subarray(4))[0] ?? '')
      return false
    }
    if (type === 'S') {
      this.changed.add(stringsOf(content)[0] ?? '')
      return true
    }
    const isSkipped = this.#skipsCopyIn
    this.#skipsCopyIn = false
    return !isSkipped
  }
}
