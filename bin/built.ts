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
  const built = statSync(join(root, 'dist', BUILT_MARK), { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return false
  const isOlder = (path: string) =>
    (statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0) <= built
  return (
    isOlder('package-lock.json') &&
    // A package has none.
    ['src', 'bin']
      .filter((folder) => existsSync(join(root, folder)))
      .every((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
          .every((name) => isOlder(join(folder, name))),
      )
  )
}
