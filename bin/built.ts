import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Root folder of the checkout or the installed package. */
export const ROOT = join(import.meta.dirname, '..')

/** Output folder of `npm run build`. */
export const BUILT = join(ROOT, 'dist')
/** Name of the file that the build writes last, which marks it as complete. */
export const BUILD_MARKER = 'built'

/** Whether the build is newer than every source and the lockfile, or there are no sources. */
export function isBuilt(root = ROOT): boolean {
  const built = timeOf(join(root, 'dist', BUILD_MARKER))
  if (built === undefined) return false
  // An installed package has no sources, and its files have the time of the installation.
  if (!existsSync(join(root, 'bin'))) return true
  const isCurrent = (path: string) => (timeOf(join(root, path)) ?? 0) <= built
  return (
    isCurrent('package-lock.json') &&
    ['src', 'bin'].every((folder) => isOlder(join(root, folder), built)) &&
    // The command line uses the client package.
    readdirSync(join(root, 'sdk')).every(
      (name) => !name.endsWith('.js') || isCurrent(`sdk/${name}`),
    )
  )
}

/** Returns the program and the arguments that start this command line in another process. */
export const ownProgram = (): string[] => [
  process.execPath,
  isBuilt() ? join(BUILT, 'mokuroku.js') : join(ROOT, 'bin/mokuroku.ts'),
]

/** Runs at every start for about a thousand files, so it concatenates paths instead of calling `join`. */
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
