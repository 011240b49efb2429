import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { MEBIBYTE } from '../../../kernel/mebibyte.ts'

/** Maximum bytes of output in memory. The rest goes to a file, because the engine cannot pause for a slow client. */
const MAX_MEMORY_BYTES = 4 * MEBIBYTE
const READ_BYTES = MEBIBYTE / 4

/** Output of one exchange with the engine, which arrives at once and is sent as fast as the client reads. */
export class Output {
  readonly #path: string
  readonly #inMemory: Buffer[] = []
  #length = 0
  #file: number | undefined
  /**
   * First error from writing to the file. Throwing it within the engine's callback would leave the engine in an
   * undefined state.
   */
  #error: unknown

  /** @param name unique in the data directory at any time */
  constructor(directory: string, name: string) {
    this.#path = join(directory, `${name}.unsent`)
  }

  /** @param bytes buffer that the caller may reuse */
  write(bytes: Buffer) {
    if (bytes.length === 0 || this.#error !== undefined) return
    this.#length += bytes.length
    if (this.#length <= MAX_MEMORY_BYTES) {
      this.#inMemory.push(Buffer.from(bytes))
      return
    }
    try {
      this.#file ??= this.#open()
      writeSync(this.#file, bytes)
    } catch (error) {
      this.#error = error
    }
  }

  /**
   * Returns the output in chunks.
   *
   * @throws the error from writing to the file, if it could not hold all of the output
   */
  *read(): Generator<Buffer> {
    if (this.#inMemory.length > 0) yield Buffer.concat(this.#inMemory)
    if (this.#error !== undefined) throw this.#error
    if (this.#file === undefined) return
    for (let position = 0; ;) {
      const chunk = Buffer.alloc(READ_BYTES)
      const length = readSync(this.#file, chunk, 0, READ_BYTES, position)
      if (length === 0) return
      position += length
      yield chunk.subarray(0, length)
    }
  }

  close() {
    if (this.#file === undefined) return
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }

  #open() {
    rmSync(this.#path, { force: true })
    const file = openSync(this.#path, 'wx+', 0o600)
    // The file vanishes with the process. Windows cannot delete an open file.
    if (process.platform !== 'win32') rmSync(this.#path)
    return file
  }
}
