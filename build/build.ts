import { chmod, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILT, BUILT_MARK, isBuilt } from '../bin/built.ts'
import { bundle } from './bundle.ts'
import { buildImages } from './images.ts'
import { collectLicenses } from './licenses.ts'

/**
 * Puts the program's thousand modules, ours and most of its packages', together into a few: a start resolves, reads and
 * strips none of them (decision 0001). What is in the folder is whole at any moment, also when two build at once.
 */
async function buildProgram() {
  const began = new Date()
  const [unfinished, replaced] = [`${BUILT}.${process.pid}`, `${BUILT}.${process.pid}.old`]
  try {
    const metafile = await bundle(unfinished)
    await chmod(join(unfinished, 'mokuroku.js'), 0o755)
    await writeFile(join(unfinished, 'LICENSES.md'), await collectLicenses(metafile))
    await buildImages(join(unfinished, 'images'), join(BUILT, 'images'))
    const mark = join(unfinished, BUILT_MARK)
    await writeFile(mark, '')
    // A source that was changed meanwhile is newer.
    await utimes(mark, began, began)
    await rename(BUILT, replaced).catch(unless('ENOENT'))
    await rename(unfinished, BUILT).catch(unless('ENOTEMPTY'))
  } finally {
    for (const folder of [unfinished, replaced]) await rm(folder, { recursive: true, force: true })
  }
}

/** Passes over one error of the file system. */
const unless = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
}

/** Builds the program unless that was done since its sources changed. */
export async function ensureBuilt() {
  if (!isBuilt()) await buildProgram()
}

if (import.meta.main) await buildProgram()
