import { randomUUID } from 'node:crypto'
import {
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
  type FileHandle,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../kernel/make-folder.ts'

/** Stored picture, open for reading. */
export type StoredPicture = { file: FileHandle; bytes: number }

export type PictureStoreOptions = {
  folder: string
  /** Maximum total size of all files. */
  maxBytes: number
  /** Returns the free bytes of the disk; tests replace it. */
  freeBytes?: (folder: string) => Promise<number>
  /** Minimum age, in milliseconds, at which a file's access time is updated. */
  touchAfterMs?: number
}

/** Reserved for the database, whose log must be able to grow. */
const MIN_FREE_BYTES = 256 * 2 ** 20
/** Fraction of the limit at which eviction stops, so that a full store does not evict a picture for every new one. */
const EVICTION_TARGET = 0.9
/** Interval after which files written by other processes are counted again. */
const RECOUNT_MS = 10 * 60_000
/** Age after which an unfinished file counts as abandoned. */
const ABANDONED_AFTER_MS = 10 * 60_000

const UNFINISHED_FOLDER = 'unfinished'

/**
 * Least recently used cache of pictures on disk. File times record the last use, so the order
 * survives restarts and is shared by all processes. Files are written atomically.
 */
export class PictureStore {
  readonly #options: Required<PictureStoreOptions>
  /** Total size at the last count, plus what this process has written since. */
  #bytes = 0
  #countedAt = -Infinity
  #removing: Promise<void> | undefined

  constructor(options: PictureStoreOptions) {
    this.#options = { freeBytes: freeBytesOf, touchAfterMs: 3_600_000, ...options }
  }

  /** @param name letters, digits and dots; the caller closes the file */
  async open(name: string): Promise<StoredPicture | undefined> {
    const file = await open(this.#path(name), 'r').catch(ignoreMissing)
    if (!file) return undefined
    const { size, mtimeMs } = await file.stat()
    const now = new Date()
    // A read-only disk can still serve its pictures.
    if (now.getTime() - mtimeMs > this.#options.touchAfterMs)
      await file.utimes(now, now).catch(() => {})
    return { file, bytes: size }
  }

  async read(name: string): Promise<Buffer | undefined> {
    const stored = await this.open(name)
    if (!stored) return undefined
    try {
      return await stored.file.readFile()
    } finally {
      await stored.file.close()
    }
  }

  /** @returns false if the picture does not fit on the disk or within the size limit */
  async write(name: string, bytes: Buffer): Promise<boolean> {
    const { folder, maxBytes, freeBytes } = this.#options
    if (bytes.length > maxBytes) return false
    const unfinished = join(folder, UNFINISHED_FOLDER, randomUUID())
    try {
      await makeFolder(join(folder, UNFINISHED_FOLDER))
      if ((await freeBytes(folder)) < MIN_FREE_BYTES + bytes.length) return false
      await this.#makeRoom(bytes.length)
      await writeFile(unfinished, bytes, { flush: true })
      await makeFolder(dirname(this.#path(name)))
      await rename(unfinished, this.#path(name))
      return true
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      const { code = '' } = error as NodeJS.ErrnoException // as: system errors have a code
      if (['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(code)) return false
      throw error
    }
  }

  async remove(name: string) {
    await rm(this.#path(name), { force: true })
  }

  #path(name: string) {
    return join(this.#options.folder, name.slice(0, 2), name)
  }

  async #makeRoom(bytes: number) {
    this.#bytes += bytes
    const isKnown = Date.now() - this.#countedAt < RECOUNT_MS
    if (isKnown && this.#bytes <= this.#options.maxBytes) return
    await (this.#removing ??= this.#removeOldest(bytes).finally(() => (this.#removing = undefined)))
  }

  /** @param bytes size of the picture that is about to be written */
  async #removeOldest(bytes: number) {
    const files = await this.#list()
    let total = files.reduce((sum, file) => sum + file.bytes, bytes)
    const target =
      total > this.#options.maxBytes ? this.#options.maxBytes * EVICTION_TARGET : Infinity
    for (const file of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
      const isAbandoned = file.isUnfinished && Date.now() - file.usedAt > ABANDONED_AFTER_MS
      if (!isAbandoned && (file.isUnfinished || total <= target)) continue
      await rm(file.path, { force: true })
      total -= file.bytes
    }
    this.#bytes = total
    this.#countedAt = Date.now()
  }

  async #list() {
    const { folder } = this.#options
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
      ignoreMissing,
    )
    const files = []
    for (const entry of entries ?? []) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const found = await stat(path).catch(ignoreMissing)
      const isUnfinished = entry.parentPath.endsWith(UNFINISHED_FOLDER)
      if (found) files.push({ path, bytes: found.size, usedAt: found.mtimeMs, isUnfinished })
    }
    return files
  }
}

/** Another process may have deleted the file. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function freeBytesOf(folder: string) {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
