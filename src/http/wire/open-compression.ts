import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, deflateRaw } from 'node:zlib'
import type { ContentEncoding } from './content-encoding.ts'

/** Compressed beginning of a body. `close` appends the end, which differs per request and stays uncompressed. */
export type OpenBody = {
  /** Compressed bytes, without the end. */
  size: number
  close(end: Buffer): Buffer
}

const deflate = promisify<Buffer, object, Buffer>(deflateRaw)
const brotli = promisify<Buffer, object, Buffer>(brotliCompress)

/** Copies bytes out of the larger zlib buffer, which would otherwise stay in memory. */
const detach = (bytes: Buffer) => Buffer.from(new Uint8Array(bytes).buffer)

const OPENERS: Record<ContentEncoding, (start: Buffer) => Promise<OpenBody>> = {
  br: openBrotli,
  gzip: openGzip,
}

/** Compresses the beginning of a body for reuse with different ends. */
export const openCompressed = (start: Buffer, encoding: ContentEncoding): Promise<OpenBody> =>
  OPENERS[encoding](start)

/** Gzip header for deflate, without a file name or time, and with an unknown operating system (RFC 1952 §2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

async function openGzip(start: Buffer): Promise<OpenBody> {
  const body = detach(await deflate(start, { finishFlush: constants.Z_SYNC_FLUSH }))
  const checksum = crc32(start)
  const { length } = start
  return {
    size: body.length,
    close(end) {
      // A final stored block (RFC 1951 §3.2.4), then the checksum and length of the whole body.
      const block = Buffer.alloc(5)
      block.writeUInt8(1)
      block.writeUInt16LE(end.length, 1)
      block.writeUInt16LE(end.length ^ 0xffff, 3)
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(crc32(end, checksum))
      trailer.writeUInt32LE((length + end.length) >>> 0, 4)
      return Buffer.concat([GZIP_HEADER, body, block, end, trailer])
    },
  }
}

/** Brotli's lowest levels take as long as gzip but compress less. */
const QUALITY = 4

async function openBrotli(start: Buffer): Promise<OpenBody> {
  const options = {
    finishFlush: constants.BROTLI_OPERATION_FLUSH,
    params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY },
  }
  const body = detach(await brotli(start, options))
  return {
    size: body.length,
    close(end) {
      // An uncompressed meta-block with a length of 16 bits, then an empty last one (RFC 7932 §9.2).
      const header = Buffer.alloc(3)
      header.writeUIntLE(((end.length - 1) << 3) | (1 << 19), 0, 3)
      return Buffer.concat([body, header, end, Buffer.of(3)])
    },
  }
}
