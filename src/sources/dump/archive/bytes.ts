import { open } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { DumpError } from '../dump-error.ts'

/** A file as it is, or what it was packed with. */
type Packing = 'plain' | 'gzip' | 'zstd'

/** Bytes read and expanded at a time. */
const CHUNK = 64 * 1024

/** Far beyond what text of people expands to: what does is made to fill memory or disk. */
const MAX_RATIO = 200
/** Small files may be mostly repetition. */
const RATIO_FREE_BYTES = 16 * 1024 * 1024

/** The first bytes of a file; fewer when it is shorter. */
export async function readHead(file: string, length: number): Promise<Uint8Array> {
  const handle = await open(file)
  try {
    const buffer = Buffer.alloc(length)
    let filled = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, filled)
      filled += bytesRead
      if (bytesRead === 0 || filled === length) return buffer.subarray(0, filled)
    }
  } finally {
    await handle.close()
  }
}

/**
 * The bytes of a file, expanded as they are read.
 *
 * @throws {DumpError} when the file is damaged or cut off, or expands to more than 200 times its size
 */
export async function* readBytes(file: string, packing: Packing): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file, { highWaterMark: CHUNK })
  if (packing === 'plain') {
    yield* readableBytes(source)
    return
  }
  const expander: Transform =
    packing === 'gzip'
      ? createGunzip({ chunkSize: CHUNK })
      : createZstdDecompress({ chunkSize: CHUNK })
  // Errors come out of the last stream, from which they are read.
  pipeline(source, expander, () => {})
  yield* withinRatio(naming(readableBytes(expander), file), () => source.bytesRead, file)
}

/** What a stream of bytes yields. */
export async function* readableBytes(stream: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (chunk instanceof Uint8Array) yield chunk
  }
}

/** The same bytes, whose errors name the place. */
export async function* naming(
  chunks: AsyncIterable<Uint8Array>,
  place: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw damaged(place, error)
  }
}

/** The error of a library in words that name the place; one that is in such words already stays as it is. */
export function damaged(place: string, error: unknown): DumpError {
  if (error instanceof DumpError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new DumpError(
    `${place} is damaged or cut off (${reason.replace(/\.$/, '')}). Fetch it anew.`,
    { cause: error },
  )
}

/** Stops what expands without end before it has filled anything. */
export async function* withinRatio(
  chunks: AsyncIterable<Uint8Array>,
  packedBytes: () => number,
  place: string,
): AsyncGenerator<Uint8Array> {
  let expanded = 0
  for await (const chunk of chunks) {
    expanded += chunk.length
    if (expanded > RATIO_FREE_BYTES && expanded > packedBytes() * MAX_RATIO)
      throw new DumpError(
        `${place} expands to more than ${MAX_RATIO} times its size, as no dump does.`,
      )
    yield chunk
  }
}

/** Bytes from an offset on. */
export async function* skipBytes(
  chunks: AsyncIterable<Uint8Array>,
  offset: number,
): AsyncGenerator<Uint8Array> {
  let left = offset
  for await (const chunk of chunks) {
    if (left < chunk.length) yield left > 0 ? chunk.subarray(left) : chunk
    left = Math.max(0, left - chunk.length)
  }
}

/** Returns the beginning of a stream, at most `limit` bytes. */
export async function takeBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
    if (length >= limit) break
  }
  return Buffer.concat(parts).subarray(0, limit)
}
