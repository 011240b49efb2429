import { build } from 'esbuild'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import {
  clusterOf,
  digestFile,
  imageFile,
  initCluster,
  packCluster,
} from '../src/db/embedded/cluster.ts'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/upkeep/migrate.ts'
import { PACKED_DEMO_STATE } from '../src/demo.ts'
import { followSample, loadSample } from '../src/sample.ts'

const ROOT = join(import.meta.dirname, '..')

/** Folders that affect the database with the sample, in addition to the modules that `src/sample.ts` imports. */
const FOLDERS = ['sample', 'migrations']
/** Name of the file with the hash of everything the sample is built from, stored with the packed database. */
const SOURCES_OF_SAMPLE = 'sample.sha256'

/**
 * Packs the databases for first starts (decision 0006): an empty cluster, and one with the schema and the sample.
 * Reuses those from an earlier build if their inputs are unchanged.
 *
 * @param folder output folder
 * @param earlier output folder of an earlier build, which may be missing
 */
export async function buildImages(folder: string, earlier: string) {
  await mkdir(folder, { recursive: true })
  const scratch = await mkdtemp(join(tmpdir(), 'mokuroku-images-'))
  try {
    const copy = (file: string) => copyFile(file, file.replace(earlier, folder))
    const takeOver = (image: string) =>
      Promise.all([copy(image), copy(digestFile(image))]).then(always, never)
    if (!(await takeOver(imageFile('empty', earlier)))) {
      const empty = join(scratch, 'empty')
      await mkdir(empty)
      await initCluster(empty)
      await packCluster(empty, imageFile('empty', folder))
    }
    const sources = await hashSources()
    const known = await readFile(join(earlier, SOURCES_OF_SAMPLE), 'utf8').catch(() => '')
    if (known !== sources || !(await takeOver(imageFile('sample', earlier)))) {
      const sample = join(scratch, 'sample')
      await fillSample(sample)
      await packCluster(clusterOf(sample), imageFile('sample', folder))
    }
    await writeFile(join(folder, SOURCES_OF_SAMPLE), sources)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const always = () => true
const never = () => false

/** Hashes the code that creates the database with the sample, and the files it reads. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  const { outputFiles } = await build({
    entryPoints: ['src/sample.ts', 'src/db/upkeep/migrate.ts'].map((path) => join(ROOT, path)),
    outdir: join(ROOT, 'dist'),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  for (const { contents } of outputFiles) hash.update(contents)
  for (const folder of FOLDERS) {
    const files = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })
    for (const path of files
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name))
      .toSorted())
      hash.update(relative(ROOT, path)).update(await readFile(path))
  }
  return hash.digest('hex')
}

async function fillSample(dataDir: string) {
  const { db, close } = await openDatabase({ dataDir })
  try {
    await migrate(db)
    await loadSample(db)
    await followSample(db)
    await db
      .insertInto('installation')
      .values({ name: 'demo', value: JSON.stringify(PACKED_DEMO_STATE) })
      .execute()
  } finally {
    await close()
  }
}
