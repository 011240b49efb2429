import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { createTarPacker } from 'modern-tar'
import {
  CHECKSUMS,
  countLines,
  MANIFEST,
  MAX_PART_BYTES,
  partName,
  sha256,
  type Checksums,
  type Manifest,
  type TableSums,
} from './format.ts'

const compress = promisify(zstdCompress)
const COMPRESSION = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

/** Stores the bytes of a backup. Resolves once they are durable; rejects if the stream ends with an error. */
export type StoreBytes = (bytes: Readable) => Promise<void>

/** Writes a new file. */
export const storeFile =
  (path: string): StoreBytes =>
  (bytes) =>
    pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))

/** Writes a backup, one member at a time. It is complete and durable once `end` resolves. */
export class BackupWriter {
  readonly #packer = createTarPacker()
  readonly #written: Promise<void>
  readonly #tables: Checksums['tables'] = {}
  #manifest = ''
  #table: { name: string; hash: Hash; parts: TableSums['parts'] } | undefined

  constructor(store: StoreBytes) {
    this.#written = store(Readable.fromWeb(this.#packer.readable))
    // Each member reports the error.
    this.#written.catch(() => {})
  }

  async begin(manifest: Manifest) {
    const text = JSON.stringify(manifest)
    this.#manifest = sha256(text)
    await this.#add(MANIFEST, Buffer.from(text))
  }

  beginTable(name: string) {
    this.#table = { name, hash: createHash('sha256'), parts: [] }
  }

  /** @param bytes whole rows in COPY's text format */
  async addPart(bytes: Buffer) {
    if (!this.#table) throw new Error('No table was begun')
    const { name, hash, parts } = this.#table
    if (bytes.length > MAX_PART_BYTES)
      throw new Error(
        `A row of ${name} exceeds ${MAX_PART_BYTES} bytes, which a backup cannot hold.`,
      )
    await this.#add(partName(name, parts.length), await compress(bytes, COMPRESSION))
    hash.update(bytes)
    parts.push({ rows: countLines(bytes), sha256: sha256(bytes) })
  }

  endTable({ rows, sum }: Pick<TableSums, 'rows' | 'sum'>) {
    if (!this.#table) throw new Error('No table was begun')
    const { name, hash, parts } = this.#table
    this.#tables[name] = { rows, sum, sha256: hash.digest('hex'), parts }
  }

  async end(sequences: Checksums['sequences']) {
    const checksums: Checksums = { manifest: this.#manifest, tables: this.#tables, sequences }
    const text = JSON.stringify(checksums)
    // Contains its own checksum, because no member follows.
    await this.#add(CHECKSUMS, Buffer.from(`${sha256(text)} ${text}`))
    this.#packer.controller.finalize()
    await this.#written
  }

  /** Ends an incomplete backup. */
  async abort(reason: unknown) {
    this.#packer.controller.error(reason)
    await this.#written.catch(() => {})
  }

  async #add(name: string, content: Buffer) {
    const write = async () => {
      const body = this.#packer.controller.add({ name, size: content.length, mode: 0o600 })
      const writer = body.getWriter()
      await writer.write(content)
      await writer.close()
    }
    // If the bytes cannot be stored, for example on a full disk, the write would wait forever.
    await Promise.race([write(), this.#written])
  }
}
