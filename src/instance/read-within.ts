import { open } from 'node:fs/promises'
import { constants } from 'node:fs'

/**
 * Reads a regular file. A pipe or a device could deliver bytes forever.
 *
 * @throws {Error} if it is larger than the limit
 */
export async function readWithin(path: string, maxBytes: number): Promise<Buffer> {
  // Without this flag, opening a pipe waits for its writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error('it is not a file')
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(bytes, length)
      length += bytesRead
      if (length > maxBytes) throw new Error(`it has more than ${maxBytes / 1_024} KiB`)
      if (bytesRead === 0) return bytes.subarray(0, length)
    }
  } finally {
    await file.close()
  }
}
