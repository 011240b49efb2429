import { chmod, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILT, BUILD_MARKER, isBuilt } from '../bin/built.ts'
import { bundle } from './bundle.ts'
import { buildImages } from './images.ts'
import type { Metafile } from 'esbuild'
import { writeSdk } from '../sdk/generate.ts'
import { collectLicenses } from './licenses.ts'

/**
 * Bundles the thousand modules of the program, including most packages, into a few files, so that Node does not have
 * to resolve, read and strip each module at startup (decision 0001). The folder is always complete, even if two builds
 * run at once.
 *
 * @param commit commit in the program's version; by default, that of the checkout
 * @returns esbuild's metadata about the inputs
 */
export async function buildProgram(commit?: string): Promise<Metafile> {
  const began = new Date()
  const [unfinished, replaced] = [`${BUILT}.${process.pid}`, `${BUILT}.${process.pid}.old`]
  try {
    const metafile = await bundle(unfinished, commit)
    await chmod(join(unfinished, 'mokuroku.js'), 0o755)
    await writeFile(join(unfinished, 'LICENSES.md'), await collectLicenses(metafile))
    await buildImages(join(unfinished, 'images'), join(BUILT, 'images'))
    const mark = join(unfinished, BUILD_MARKER)
    await writeFile(mark, '')
    // Sources that change during the build are treated as newer than the build.
    await utimes(mark, began, began)
    await rename(BUILT, replaced).catch(unless('ENOENT'))
    await rename(unfinished, BUILT).catch(unless('ENOTEMPTY'))
    return metafile
  } finally {
    for (const folder of [unfinished, replaced]) await rm(folder, { recursive: true, force: true })
  }
}

/** Creates an error handler that ignores one file system error. */
const unless = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
}

/** Builds the program if its source code has changed since the last build. */
export async function ensureBuilt() {
  if (!isBuilt()) await buildProgram()
}

if (import.meta.main) {
  await writeSdk()
  await buildProgram()
}
