import { once } from 'node:events'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { readableBytes } from './bytes.ts'

/** Enough for most tables that are read of VNDB's dump, and little beside what their rows take in memory. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024

/** The fastest level: three to five times as small, at half a gigabyte a second. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Files kept in memory, compressed, as long as there is room for them. */
export class KeptFiles {
  readonly #files = new Map<string, Buffer[]>()
  #left = MAX_KEPT_BYTES

  has(name: string): boolean {
    return this.#files.has(name)
  }

  /** Keeps a file, unless it does not fit; its bytes are passed on either way. */
  async *keep(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const packer = createZstdCompress(COMPRESSION)
    const parts: Buffer[] = []
    let length = 0
    packer.on('data', (part: Buffer) => {
      length += part.length
      // What does not fit is given up at once.
      if (length <= this.#left) parts.push(part)
      else parts.length = 0
    })
    for await (const chunk of bytes) {
      if (length <= this.#left && !packer.write(chunk)) await once(packer, 'drain')
      yield chunk
    }
    const ended = once(packer, 'end')
    packer.end()
    await ended
    if (length > this.#left) return
    this.#left -= length
    this.#files.set(name, parts)
  }

  async *read(name: string): AsyncGenerator<Uint8Array> {
    const parts = this.#files.get(name) ?? []
    const unpacker = createZstdDecompress({ chunkSize: 64 * 1024 })
    unpacker.end(Buffer.concat(parts))
    yield* readableBytes(unpacker)
  }
}
