import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Of the project, or of the package. */
export const ROOT = join(import.meta.dirname, '..')

/** Where `npm run build` puts the program. */
export const BUILT = join(ROOT, 'dist')
/** Written last. */
export const BUILT_MARK = 'built'

/** Whether what was built is of these sources: none of them, nor the list of packages, is newer. */
export function isBuilt(root = ROOT): boolean {
  const built = timeOf(join(root, 'dist', BUILT_MARK))
  return (
    built !== undefined &&
    (timeOf(join(root, 'package-lock.json')) ?? 0) <= built &&
    // A package has none.
    ['src', 'bin']
      .map((folder) => join(root, folder))
      .every((folder) => !existsSync(folder) || isOlder(folder, built))
  )
}

/** Every start asks for it, of a thousand files: paths are put together as they are, not by `join`. */
function isOlder(folder: string, built: number): boolean {
  return readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return isOlder(path, built)
    return (
      !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts') || (timeOf(path) ?? 0) <= built
    )
  })
}

const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs
