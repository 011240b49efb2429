import { hash } from 'node:crypto'
import {
  closeSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar/fs'
import pglite from '../../../node_modules/@electric-sql/pglite/package.json' with { type: 'json' }
import { lockDirectory } from './directory-lock.ts'
import { closeEngine, startEngine } from './embedded-engine.ts'
import { refuseLostCluster } from './refused-cluster.ts'

/**
 * Clusters of the embedded database that `npm run build` packs. Creating a cluster takes seconds, while unpacking one
 * takes almost no time.
 */
type ClusterImage = 'empty' | 'sample'

const IMAGES = fileURLToPath(new URL('../../../dist/images/', import.meta.url))
/** Compresses to a quarter of the size. Unpacking 100 MB takes a fifth of a second. */
const COMPRESSION = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 9,
    // A cluster contains three copies of its template, 8 MB each. A window of 32 MB covers all of them.
    [constants.ZSTD_c_windowLog]: 25,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
}

/** Returns the embedded database's folder in a data directory. */
export const clusterOf = (directory: string) => join(directory, 'postgres')

/**
 * Name, in a data directory, of a complete cluster that a restore was about to put in place of the old one. It is used
 * only if there is no other cluster.
 */
export const RESTORED = 'postgres.restored'

/** Prefix of the names of folders in the data directory in which a restore builds its cluster. */
export const RESTORING = 'restoring-'

/** Completes a restore that was killed after it had moved the old cluster aside. The caller holds the lock. */
export function finishRestore(directory: string) {
  const restored = join(directory, RESTORED)
  if (existsSync(restored) && !existsSync(clusterOf(directory)))
    renameSync(restored, clusterOf(directory))
}

export const hasCluster = (directory: string) =>
  existsSync(join(clusterOf(directory), 'PG_VERSION'))

/**
 * Creates a cluster in a temporary folder and renames the folder once it is complete, because an incomplete cluster
 * cannot start.
 *
 * @param isNew whether to allow a data directory that had a database before
 * @param onStart called before the first file is written
 * @throws {Error} if the directory had a database and `isNew` is false, or if the folder cannot be created
 */
export async function makeCluster(
  directory: string,
  image: ClusterImage,
  { isNew = false, onStart }: { isNew?: boolean; onStart?: () => void } = {},
) {
  refuseLostCluster(directory, clusterOf(directory), isNew)
  onStart?.()
  const unfinished = `${clusterOf(directory)}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  if (hasImage(image)) await unpackCluster(imageFile(image), unfinished)
  else await initCluster(unfinished)
  // Neither branch syncs the files.
  for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true }))
    sync(join(entry.parentPath, entry.name), entry.isDirectory())
  renameSync(unfinished, clusterOf(directory))
  sync(directory, true)
}

/**
 * Creates a database in a data directory without one.
 *
 * @param wantsSample whether to include the bundled sample, if one was built
 * @param isNew true if the operator asked for a new database in a used data directory
 * @param onStart called before the database is created
 * @throws {Error} if another process holds the directory, or if its database was lost and `isNew` is false
 */
export async function placeCluster(
  directory: string,
  { wantsSample, isNew, onStart }: { wantsSample: boolean; isNew: boolean; onStart: () => void },
) {
  if (hasCluster(directory)) {
    if (!isNew) return
    throw new Error(
      `${clusterOf(directory)} holds a database, which --new does not replace: leave --new out, or move the folder away.`,
    )
  }
  const lock = await lockDirectory(directory)
  try {
    finishRestore(directory)
    const image = wantsSample && hasImage('sample') ? 'sample' : 'empty'
    if (!hasCluster(directory)) await makeCluster(directory, image, { isNew, onStart })
  } finally {
    lock.release()
  }
}

/** Creates an empty cluster with PGlite. */
export async function initCluster(dataDir: string) {
  await closeEngine(await startEngine(dataDir))
}

/** Returns the path of an image. It includes PGlite's version, which only reads clusters of the same version. */
export const imageFile = (image: ClusterImage, folder = IMAGES) =>
  join(folder, `${image}-${pglite.version}.tar.zst`)

/** Returns the path of an image's digest. An image is unpacked only if it matches its digest. */
export const digestFile = (image: string) => `${image}.sha256`
/** Images from older builds have no digest and are ignored. */
const hasImage = (image: ClusterImage) => existsSync(digestFile(imageFile(image)))
const digestOf = (packed: Uint8Array) => hash('sha256', packed, 'hex')

/** Packs a cluster that no process has open. */
export async function packCluster(dataDir: string, file: string) {
  await pipeline(packTar(dataDir), createZstdCompress(COMPRESSION), createWriteStream(file))
  await writeFile(digestFile(file), digestOf(await readFile(file)))
}

/** @throws {Error} naming the file if it is damaged */
export async function unpackCluster(file: string, dataDir: string) {
  const packed = await readFile(file)
  if ((await readFile(digestFile(file), 'utf8')) !== digestOf(packed))
    throw new Error(
      `${file} is damaged: install mokuroku again, or run npm run build in a checkout`,
    )
  await pipeline(Readable.from([packed]), createZstdDecompress(), unpackTar(dataDir))
}

function sync(path: string, isDirectory: boolean) {
  // Windows cannot sync directories, nor files opened only for reading.
  if (isDirectory && process.platform === 'win32') return
  const file = openSync(path, isDirectory ? 'r' : 'r+')
  fsyncSync(file)
  closeSync(file)
}
