import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { longestFirst, type Durations } from './durations.ts'

/** From here on a file has a process of its own: it would keep a core busy at the end that others wait for. */
const ALONE_FROM_SECONDS = 20
/** What one process runs, one file after the other. */
const GROUP_SECONDS = 80
/** Of a file that has not been recorded. */
const UNKNOWN_SECONDS = 5

/**
 * Puts files together that share one process, since starting one, loading the service and warming it up costs more than
 * most files do. A file leaves nothing behind in its process: no changed environment, no open handle.
 *
 * @param folder is emptied, and gets a module for each group, which imports its files
 * @returns what to run, the longest first
 */
export function groupFiles(files: string[], durations: Durations, root: string, folder: string): string[] {
  const secondsOf = (file: string) => durations[file] ?? UNKNOWN_SECONDS
  const alone = files.filter((file) => secondsOf(file) >= ALONE_FROM_SECONDS)
  const together = longestFirst(
    files.filter((file) => !alone.includes(file)),
    durations,
  )
  const total = together.reduce((sum, file) => sum + secondsOf(file), 0)
  const groups = Array.from({ length: Math.ceil(total / GROUP_SECONDS) }, () => ({
    seconds: 0,
    files: [] as string[],
  }))
  for (const file of together) {
    const [shortest] = groups.toSorted((one, other) => one.seconds - other.seconds)
    shortest?.files.push(file)
    if (shortest) shortest.seconds += secondsOf(file)
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const modules = groups.map((group, index) => {
    const path = join(folder, `group-${index + 1}.mjs`)
    writeFileSync(
      path,
      group.files.map((file) => `import '${pathToFileURL(join(root, file)).href}'\n`).join(''),
    )
    return { path, seconds: group.seconds }
  })
  return [...alone.map((file) => ({ path: join(root, file), seconds: secondsOf(file) })), ...modules]
    .toSorted((one, other) => other.seconds - one.seconds)
    .map(({ path }) => path)
}
