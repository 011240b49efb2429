import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rename, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { openDatabase, type OpenDatabase } from '../db/database.ts'
import { VERSION } from '../kernel/build-info.ts'
import { errorCode } from '../kernel/error-code.ts'
import { removeAtExit } from '../kernel/remove-at-exit.ts'
import { BackupError } from './backup-error.ts'
import { removeAbandoned, unfinishedName } from './places/backup-folder.ts'
import { bucketFor, bucketName, objectName } from './places/bucket-place.ts'
import { abortAbandoned, storeInBucket } from './places/store-in-bucket.ts'
import { dumpDatabase, type DumpProgress } from './dump-queries.ts'
import { readBackup, type BackupContent } from './read-backup.ts'
import { Bucket } from '../storage/bucket.ts'
import { readObject } from '../uploads/upload-bucket.ts'
import { BackupWriter, storeFile, type StoreBytes } from './write-backup.ts'

export type MadeBackup = BackupContent & {
  file: string
  /** Time, in milliseconds, for which the service's statements were blocked; 0 unless it uses the embedded database. */
  heldMs: number
  /** Number of uploaded pictures that could not be read: no bucket is configured, it has lost them, or they were just deleted. */
  missingUploads: number
}

type Dumped = Pick<MadeBackup, 'heldMs' | 'missingUploads'>

export type BackupOptions = {
  /** Whether to replace an existing file. */
  force?: boolean | undefined
  /** Whether only this process uses the embedded database, so that no copy is needed. */
  isPrivate?: boolean | undefined
  onProgress?: ((progress: DumpProgress) => void) | undefined
  /** Stops an upload to the bucket, and aborts it there. */
  signal?: AbortSignal | undefined
}

type Source = Pick<OpenDatabase, 'db' | 'engine'>

/**
 * Writes a backup of a database, which may be in use. It appears under its name once it is complete, durable and
 * verified.
 *
 * @param path file, or `bucket:NAME`
 * @throws {BackupError} if the backup exists, or the database has no schema
 */
export async function makeBackup(
  config: Config,
  source: Source,
  path: string,
  options: BackupOptions = {},
): Promise<MadeBackup> {
  const name = bucketName(path)
  if (name === undefined) return makeFile(config, source, resolve(path), options)
  const bucket = bucketFor(config)
  if (!options.force && (await bucket.find(objectName(name)))) throw alreadyExists(path)
  await abortAbandoned(bucket)
  let content: BackupContent | undefined
  const dumped = await dumpTo(config, source, options, async (bytes) => {
    content = await storeInBucket(bucket, name, bytes, options.signal)
  })
  if (!content) throw new Error('The backup was not verified')
  return { ...content, ...dumped, file: path }
}

async function makeFile(
  config: Config,
  source: Source,
  file: string,
  options: BackupOptions,
): Promise<MadeBackup> {
  const { force = false } = options
  const existing = await stat(file).catch(() => undefined)
  if (existing && !force) throw alreadyExists(file)
  // A rename would replace a device, such as /dev/null, for the whole machine.
  if (existing && !existing.isFile()) throw new BackupError(`${file} is not a file.`)
  if (!existsSync(dirname(file))) throw new BackupError(`${dirname(file)} does not exist.`)
  await removeAbandoned(dirname(file))
  const unfinished = join(dirname(file), unfinishedName(randomBytes(6).toString('hex')))
  const removeUnfinished = removeAtExit(unfinished)
  try {
    const dumped = await dumpTo(config, source, options, storeFile(unfinished))
    const content = await readBackup(unfinished)
    await place(unfinished, file, force)
    return { ...content, ...dumped, file }
  } finally {
    await removeUnfinished()
  }
}

async function dumpTo(
  config: Config,
  { db, engine }: Source,
  { isPrivate = false, onProgress }: BackupOptions,
  store: StoreBytes,
): Promise<Dumped> {
  const bucket = config.bucket && new Bucket(config.bucket)
  let missingUploads = 0
  const readUpload = async (name: string, hash: string) => {
    const bytes = bucket && (await readObject(bucket, name, hash))
    if (!bytes) missingUploads += 1
    return bytes
  }
  const dump = async (source: OpenDatabase['db']) => {
    const writer = new BackupWriter(store)
    try {
      await dumpDatabase(source, writer, { version: VERSION, engine, readUpload, onProgress })
    } catch (error) {
      await writer.abort(error)
      throw error
    }
  }
  if (engine === 'embedded' && !isPrivate)
    return { heldMs: await dumpCopy(config, db, dump), missingUploads }
  await dump(db)
  return { heldMs: 0, missingUploads }
}

/** Dumps a copy of the embedded database, so that a running service can continue at once. */
async function dumpCopy(
  config: Config,
  db: OpenDatabase['db'],
  dump: (source: OpenDatabase['db']) => Promise<void>,
): Promise<number> {
  const { copyCluster } = await import('../db/embedded/cluster-copy.ts')
  const copy = await copyCluster(db, config.dataDir)
  try {
    const source = await openDatabase({ ...config, dataDir: copy.dataDir })
    await dump(source.db).finally(source.close)
    return copy.heldMs
  } finally {
    await copy.remove()
  }
}

async function place(unfinished: string, file: string, force: boolean) {
  if (force) await rename(unfinished, file)
  else
    try {
      await link(unfinished, file)
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw alreadyExists(file)
      // The file system has no hard links.
      await rename(unfinished, file)
    }
  await syncFolder(dirname(file))
}

/** Makes a new file name in a folder durable. Windows has no folder handles to sync. */
export async function syncFolder(path: string) {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

const alreadyExists = (file: string) =>
  new BackupError(`${file} exists. Choose another name, or replace it with --force.`)
