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

/** A picture that is kept, open for reading. */
export type KeptPicture = { file: FileHandle; bytes: number }

export type PictureStoreOptions = {
  folder: string
  /** Of all files together. */
  maxBytes: number
  /** On the disk, in bytes; another one is for tests. */
  freeBytes?: (folder: string) => Promise<number>
  /** A file's time of use is written when it is older than this. */
  touchAfterMs?: number
}

/** Left to the database, whose log must be able to grow. */
const MIN_FREE_BYTES = 256 * 2 ** 20
/** What is left of the limit after some were removed, so that not each new one removes an old one. */
const KEPT_SHARE = 0.9
/** After so long the files of other processes are counted again. */
const RECOUNT_MS = 10 * 60_000
/** A file that is not whole by then never will be. */
const ABANDONED_MS = 10 * 60_000

const UNFINISHED = 'unfinished'

/**
 * Pictures as files, the least recently used of which go when there are too many bytes of them. The file system keeps when each was
 * used last, so the order survives a restart and is one for all processes; what is written appears whole or not at all.
 */
export class PictureStore {
  readonly #options: Required<PictureStoreOptions>
  /** Of all files when they were counted, and of what was written here since. */
  #bytes = 0
  #countedAt = -Infinity
  #removing: Promise<void> | undefined

  constructor(options: PictureStoreOptions) {
    this.#options = { freeBytes: freeBytesOf, touchAfterMs: 3_600_000, ...options }
  }

  /** @param name of letters, digits and dots; the caller closes the file */
  async open(name: string): Promise<KeptPicture | undefined> {
    const file = await open(this.#path(name), 'r').catch(unlessMissing)
    if (!file) return undefined
    const { size, mtimeMs } = await file.stat()
    const now = new Date()
    // A disk that takes no writes still has its pictures.
    if (now.getTime() - mtimeMs > this.#options.touchAfterMs)
      await file.utimes(now, now).catch(() => {})
    return { file, bytes: size }
  }

  /** The whole of one that is kept. */
  async read(name: string): Promise<Buffer | undefined> {
    const kept = await this.open(name)
    if (!kept) return undefined
    try {
      return await kept.file.readFile()
    } finally {
      await kept.file.close()
    }
  }

  /** @returns whether it is kept: not when the disk or the limit has no room for it */
  async write(name: string, bytes: Buffer): Promise<boolean> {
    const { folder, maxBytes, freeBytes } = this.#options
    if (bytes.length > maxBytes) return false
    const unfinished = join(folder, UNFINISHED, randomUUID())
    try {
      await makeFolder(join(folder, UNFINISHED))
      if ((await freeBytes(folder)) < MIN_FREE_BYTES + bytes.length) return false
      await this.#makeRoom(bytes.length)
      await writeFile(unfinished, bytes, { flush: true })
      await makeFolder(dirname(this.#path(name)))
      await rename(unfinished, this.#path(name))
      return true
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      const { code = '' } = error as NodeJS.ErrnoException // as: errors of the system have one
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

  /** @param bytes that are about to be written */
  async #removeOldest(bytes: number) {
    const files = await this.#list()
    let total = files.reduce((sum, file) => sum + file.bytes, bytes)
    const target = total > this.#options.maxBytes ? this.#options.maxBytes * KEPT_SHARE : Infinity
    for (const file of files.toSorted((one, other) => one.usedAt - other.usedAt)) {
      const isAbandoned = file.isUnfinished && Date.now() - file.usedAt > ABANDONED_MS
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
      unlessMissing,
    )
    const files = []
    for (const entry of entries ?? []) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const found = await stat(path).catch(unlessMissing)
      const isUnfinished = entry.parentPath.endsWith(UNFINISHED)
      if (found) files.push({ path, bytes: found.size, usedAt: found.mtimeMs, isUnfinished })
    }
    return files
  }
}

/** Another process may have removed it. */
function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function freeBytesOf(folder: string) {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
