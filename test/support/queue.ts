import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { longestFirst, type Durations } from './durations.ts'

/**
 * Test files in the order in which the processes of a run take them: first those that share a service, since another one
 * that is started closes it; of the others the longest first, so that no core waits at the end for the other.
 *
 * @param read what a file holds
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
 * Files that several processes take one after another, each one once.
 *
 * @param folder an empty one, in which a file stands for each that is left
 */
export function makeQueue(folder: string, files: string[]) {
  for (const [index, file] of files.entries())
    writeFileSync(join(folder, String(index).padStart(6, '0')), file)
}

/** @returns the first file nobody has taken, or undefined when none is left */
export function takeFile(folder: string): string | undefined {
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name)
    try {
      const file = readFileSync(path, 'utf8')
      // Of several processes that read it one takes it away.
      unlinkSync(path)
      return file
    } catch (error) {
      // as: what the file system throws
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}
