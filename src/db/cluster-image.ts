import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where `npm run build` puts an empty cluster of the embedded database: to make one takes seconds, to copy one none. */
const CLUSTER_IMAGE = fileURLToPath(new URL('../../dist/cluster/', import.meta.url))
/** Beside the cluster, which version of PGlite made it; written last. */
export const IMAGE_VERSION = 'version'

/** The version of PGlite that is installed. */
export function pgliteVersion(): string {
  const library = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'))
  // as: a package has a version
  return (JSON.parse(readFileSync(library, 'utf8')) as { version: string }).version
}

/** Copies the image to a folder that is not there yet. @returns whether there is an image, of this very PGlite */
export function copyClusterImage(folder: string, image = CLUSTER_IMAGE): boolean {
  const version = join(image, IMAGE_VERSION)
  if (!existsSync(version) || readFileSync(version, 'utf8') !== pgliteVersion()) return false
  cpSync(join(image, 'postgres'), folder, { recursive: true })
  return true
}
