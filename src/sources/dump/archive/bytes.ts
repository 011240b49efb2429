import { open } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { DumpError } from '../dump-error.ts'

type Packing = 'plain' | 'gzip' | 'zstd'

const CHUNK_BYTES = 64 * 1024

/** Maximum expansion factor. Text never compresses that well, so a higher factor indicates a decompression bomb. */
const MAX_EXPANSION = 200
/** Size, in bytes, up to which expansion is not limited, because small files may consist mostly of repetition. */
const UNCHECKED_BYTES = 16 * 1024 * 1024

/** Reads the first bytes of a file, or the whole file if it is shorter. */
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
 * Yields the decompressed bytes of a file.
 *
 * @throws {DumpError} if the file is damaged or truncated, or expands to more than 200 times its size
 */
export async function* readBytes(file: string, packing: Packing): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES })
  if (packing === 'plain') {
    yield* streamBytes(source)
    return
  }
  const expander: Transform =
    packing === 'gzip'
      ? createGunzip({ chunkSize: CHUNK_BYTES })
      : createZstdDecompress({ chunkSize: CHUNK_BYTES })
  // Errors surface in the last stream, which is awaited.
  pipeline(source, expander, () => {})
  yield* limitExpansion(nameErrors(streamBytes(expander), file), () => source.bytesRead, file)
}

export async function* streamBytes(stream: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (chunk instanceof Uint8Array) yield chunk
  }
}

/** Adds the location to the errors of a stream. */
export async function* nameErrors(
  chunks: AsyncIterable<Uint8Array>,
  location: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw damagedError(location, error)
  }
}

/** Wraps an error thrown by a library in a message that names the location. */
export function damagedError(location: string, error: unknown): DumpError {
  if (error instanceof DumpError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new DumpError(
    `${location} is damaged or truncated (${reason.replace(/\.$/, '')}). Download it again.`,
    { cause: error },
  )
}

/** Rejects a stream that expands too much. */
export async function* limitExpansion(
  chunks: AsyncIterable<Uint8Array>,
  packedBytes: () => number,
  location: string,
): AsyncGenerator<Uint8Array> {
  let expanded = 0
  for await (const chunk of chunks) {
    expanded += chunk.length
    if (expanded > UNCHECKED_BYTES && expanded > packedBytes() * MAX_EXPANSION)
      throw new DumpError(
        `${location} expands to more than ${MAX_EXPANSION} times its size. Dumps do not compress that well.`,
      )
    yield chunk
  }
}

export async function* skipBytes(
  chunks: AsyncIterable<Uint8Array>,
  offset: number,
): AsyncGenerator<Uint8Array> {
  let remaining = offset
  for await (const chunk of chunks) {
    if (remaining < chunk.length) yield remaining > 0 ? chunk.subarray(remaining) : chunk
    remaining = Math.max(0, remaining - chunk.length)
  }
}

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
