import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { longestFirst, type Durations } from './durations.ts'

/** Of a file that has not been recorded, in seconds. */
const UNKNOWN_SECONDS = 5
/** The least that is worth a process, of all that is to be done. */
const LEAST_SHARE = 1 / 40

/**
 * Puts files together that share one process, since starting one, loading the service and warming it up costs more than
 * most files do. A file leaves nothing behind in its process: no changed environment, no open handle.
 *
 * The first groups are large, and each further one a share of what is left, so that processes are few and those that run
 * at once end together. What durations are in proportion to each other decides, not on how busy a machine they were taken.
 *
 * @param folder is emptied, and gets a module for each group, which imports its files
 * @param atOnce processes that run at once
 * @returns what to run, in that order
 */
export function groupFiles(
  files: string[],
  durations: Durations,
  { root, folder, atOnce }: { root: string; folder: string; atOnce: number },
): string[] {
  const secondsOf = (file: string) => durations[file] ?? UNKNOWN_SECONDS
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0)
  const groups: string[][] = []
  let secondsLeft = total
  let room = 0
  for (const file of longestFirst(files, durations)) {
    if (room < secondsOf(file)) {
      room = Math.max(secondsLeft / (2 * atOnce), total * LEAST_SHARE)
      groups.push([])
    }
    groups.at(-1)?.push(file)
    room -= secondsOf(file)
    secondsLeft -= secondsOf(file)
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return groups.map((group, index) => {
    const path = join(folder, `group-${index + 1}.mjs`)
    // Another service that is started closes the shared one: those that share it come first.
    const files = [...group.filter(isSharing), ...group.filter((file) => !isSharing(file))]
    writeFileSync(path, files.map((file) => `import '${pathToFileURL(join(root, file)).href}'\n`).join(''))
    return path
  })

  function isSharing(file: string) {
    return readFileSync(join(root, file), 'utf8').includes("'#test/shared-service.ts'")
  }
}
