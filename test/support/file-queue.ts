import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { longestFirst, type Durations } from './durations.ts'

/**
 * Orders the test files of a run. Files that share a service come first, because it is closed when another service
 * starts. The others are sorted by duration, longest first, so that all cores finish at about the same time.
 *
 * @param read returns the content of a file
 */
export function orderFiles(
  files: string[],
  durations: Durations,
  read: (file: string) => string,
): string[] {
  const { sharing = [], others = [] } = Object.groupBy(longestFirst(files, durations), (file) =>
    read(file).includes("'#test/shared-service.ts'") ? 'sharing' : 'others',
  )
  return [...sharing, ...others]
}

/**
 * Creates a queue from which several processes take files.
 *
 * @param folder an empty folder, which holds a file for each entry left in the queue
 */
export function makeQueue(folder: string, files: string[]) {
  for (const [index, file] of files.entries())
    writeFileSync(join(folder, String(index).padStart(6, '0')), file)
}

/**
 * Takes the next file.
 *
 * @returns undefined if none is left
 */
export function takeFile(folder: string): string | undefined {
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name)
    try {
      const file = readFileSync(path, 'utf8')
      // Only one of several concurrent processes succeeds in removing it.
      unlinkSync(path)
      return file
    } catch (error) {
      // as: a file system error
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}
