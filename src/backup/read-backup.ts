import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import type { TSchema, Static } from 'typebox'
import { Value } from 'typebox/value'
import { errorCode } from '../kernel/error-code.ts'
import { isJsonObject } from '../kernel/is-json-object.ts'
import { printableWithin } from '../kernel/printable.ts'
import { BackupError } from './backup-error.ts'
import {
  Checksums,
  CHECKSUMS,
  countLines,
  FORMAT,
  Manifest,
  MANIFEST,
  MAX_PART_BYTES,
  partName,
  sha256,
} from './format.ts'

const decompress = promisify(zstdDecompress)

export type BackupPart = { table: string; columns: readonly string[]; bytes: Buffer }

export type BackupContent = { manifest: Manifest; checksums: Checksums; fileBytes: number }

/** Bytes of a backup. */
export type BackupSource = {
  /** Path or name, for messages. */
  path: string
  /** Size in bytes; undefined while the backup is being written. */
  size: number | undefined
  open(): Readable
}

export type ReadOptions = {
  /** Called before the tables are read, to check whether the backup can be used. */
  onManifest?: (manifest: Manifest) => void
  onPart?: (part: BackupPart) => Promise<void>
  /** Receives the bytes read so far and the size of the file. */
  onProgress?: ((read: number, whole: number) => void) | undefined
}

/**
 * Reads a whole backup and checks that it is complete and undamaged. Memory use is limited by the size of a part.
 *
 * @throws {BackupError} stating what is wrong with the file
 */
export async function readBackup(
  source: string | BackupSource,
  options: ReadOptions = {},
): Promise<BackupContent> {
  const members = new MemberReader(
    typeof source === 'string' ? await openFile(source) : source,
    options.onProgress,
  )
  try {
    return await readMembers(members, options)
  } finally {
    await members.close()
  }
}

async function readMembers(
  members: MemberReader,
  { onManifest, onPart }: ReadOptions,
): Promise<BackupContent> {
  const text = await members.readFirst()
  const manifest = parseManifest(members, text)
  onManifest?.(manifest)
  const found: Record<string, { sha256: string; parts: { rows: number; sha256: string }[] }> = {}
  let next = await members.next()
  for (const { name: table, columns } of manifest.tables) {
    const whole = createHash('sha256')
    const parts: { rows: number; sha256: string }[] = []
    for (; next?.name === partName(table, parts.length); next = await members.next()) {
      const bytes = await members.unpack(next)
      whole.update(bytes)
      parts.push({ rows: countLines(bytes), sha256: sha256(bytes) })
      await onPart?.({ table, columns, bytes })
    }
    found[table] = { sha256: whole.digest('hex'), parts }
  }
  if (!next) throw members.truncated()
  if (next.name !== CHECKSUMS) throw members.unexpected(next.name)
  const checksums = parseChecksums(members, next.data)
  if (checksums.manifest !== sha256(text)) throw members.damaged(MANIFEST)
  for (const { name } of manifest.tables) {
    // A manifest can name a table after a member of Object.prototype.
    const expected = Object.hasOwn(checksums.tables, name) ? checksums.tables[name] : undefined
    const { parts = [], sha256: whole } = found[name] ?? {}
    if (!expected) throw members.damaged(CHECKSUMS)
    if (parts.length < expected.parts.length)
      throw new BackupError(
        `${members.path} is incomplete: ${partName(name, parts.length)} is missing.`,
      )
    for (const [place, part] of parts.entries())
      if (
        part.sha256 !== expected.parts[place]?.sha256 ||
        part.rows !== expected.parts[place]?.rows
      )
        throw members.damaged(partName(name, place))
    if (
      whole !== expected.sha256 ||
      parts.reduce((sum, { rows }) => sum + rows, 0) !== expected.rows
    )
      throw members.damaged(CHECKSUMS)
  }
  const extra = await members.next()
  if (extra) throw members.unexpected(extra.name)
  return { manifest, checksums, fileBytes: members.bytesRead }
}

function parseManifest(members: MemberReader, text: Buffer): Manifest {
  const json = parseJson(text)
  if (!isJsonObject(json) || json['program'] !== 'mokuroku') throw members.foreign()
  const { format, version } = json
  if (typeof format === 'number' && format > FORMAT)
    throw new BackupError(
      `${members.path} was made by a newer version of mokuroku (${printableWithin(20, String(version))}) in format ${format}; ` +
        `this version reads format ${FORMAT}. Update mokuroku.`,
    )
  return checked(Manifest, json, () => members.damaged(MANIFEST))
}

function parseChecksums(members: MemberReader, data: Buffer): Checksums {
  const [sum, text] = [data.toString('latin1', 0, 64), data.subarray(65)]
  if (sum !== sha256(text)) throw members.damaged(CHECKSUMS)
  return checked(Checksums, parseJson(text), () => members.damaged(CHECKSUMS))
}

function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

function checked<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  fault: () => Error,
): Static<Schema> {
  if (!Value.Check(schema, value)) throw fault()
  return value
}

async function openFile(path: string): Promise<BackupSource> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw new BackupError(`${path} is not a file.`)
    if (found.size === 0) throw new BackupError(`${path} is empty.`)
    const open = () => createReadStream(path, { highWaterMark: 2 ** 18 })
    return { path, size: found.size, open }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new BackupError(`${path} does not exist.`)
    throw error
  }
}

type Member = { name: string; data: Buffer }

/** Reads the members of a tar file in order. */
class MemberReader {
  readonly path: string
  bytesRead = 0
  readonly #file: Readable
  readonly #entries: ReadableStreamDefaultReader<ParsedTarEntry>
  #last = 'its beginning'

  constructor({ path, size, open }: BackupSource, onProgress: ReadOptions['onProgress']) {
    this.path = path
    this.#file = open()
    const { readable, writable } = createTarDecoder({ strict: true })
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk)
        this.bytesRead += chunk.length
        if (size !== undefined) onProgress?.(this.bytesRead, size)
      },
    })
    // The reader of the entries reports the error. as: Node's own type of web streams
    ;(Readable.toWeb(this.#file) as ReadableStream<Uint8Array>)
      .pipeThrough(count)
      .pipeTo(writable)
      .catch(() => {})
    this.#entries = readable.getReader()
  }

  /** Reads the manifest. A file that does not begin with it is not a backup. */
  async readFirst(): Promise<Buffer> {
    let first: Member | undefined
    try {
      first = await this.next()
    } catch (error) {
      if (error instanceof BackupError && this.#last !== MANIFEST) throw this.foreign()
      throw error
    }
    if (first?.name !== MANIFEST) throw this.foreign()
    return first.data
  }

  async next(): Promise<Member | undefined> {
    try {
      const { value: entry } = await this.#entries.read()
      if (!entry) return undefined
      const { name, size, type = 'file' } = entry.header
      if (type !== 'file') throw this.unexpected(name)
      this.#last = name
      if (size > MAX_PART_BYTES) throw this.damaged(name)
      const chunks: Uint8Array[] = []
      for await (const chunk of entry.body) chunks.push(chunk)
      return { name, data: Buffer.concat(chunks) }
    } catch (error) {
      if (error instanceof BackupError || errorCode(error) !== undefined) throw error
      throw /truncated/i.test(String(error)) ? this.truncated() : this.damagedAfter()
    }
  }

  /** Decompresses a part. If a part would expand beyond the limit, it is rejected without being expanded further. */
  async unpack({ name, data }: Member): Promise<Buffer> {
    try {
      return await decompress(data, { maxOutputLength: MAX_PART_BYTES })
    } catch {
      throw this.damaged(name)
    }
  }

  foreign = () => new BackupError(`${this.path} is not a backup of mokuroku.`)
  truncated = () =>
    new BackupError(`${this.path} is truncated: it ends after ${printableWithin(80, this.#last)}.`)
  damaged = (name: string) =>
    new BackupError(
      `${this.path} is damaged: ${printableWithin(80, name)} is not as it was written.`,
    )
  damagedAfter = () =>
    new BackupError(
      `${this.path} is damaged: what follows ${printableWithin(80, this.#last)} cannot be read.`,
    )
  unexpected = (name: string) =>
    new BackupError(
      `${this.path} is not a valid backup: it contains ${printableWithin(80, name)} in the wrong place.`,
    )

  async close() {
    this.#file.destroy()
    await this.#entries.cancel().catch(() => {})
  }
}
