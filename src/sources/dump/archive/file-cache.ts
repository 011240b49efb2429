import { once } from 'node:events'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { streamBytes } from './bytes.ts'

/** Maximum memory for compressed files, in bytes. Most tables of VNDB's dump fit. */
const MAX_CACHED_BYTES = 128 * 1024 * 1024

/** Fastest compression level: reduces files to a third or fifth of their size, at half a gigabyte per second. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** In-memory cache of compressed files, limited by total size. */
export class FileCache {
  readonly #files = new Map<string, Buffer[]>()
  #left = MAX_CACHED_BYTES

  has(name: string): boolean {
    return this.#files.has(name)
  }

  /** Stores a file if it fits, and passes its bytes through. */
  async *store(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const packer = createZstdCompress(COMPRESSION)
    const parts: Buffer[] = []
    let length = 0
    packer.on('data', (part: Buffer) => {
      length += part.length
      // A file that does not fit is discarded as soon as it exceeds the limit.
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
    yield* streamBytes(unpacker)
  }
}
