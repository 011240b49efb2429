import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux keeps files here in memory. Containers often limit it to 64 MB. */
const MEMORY = '/dev/shm'
/** Space for the databases of all files that run concurrently, with a margin. */
const MIN_FREE_BYTES = 3 * 2 ** 30

/** Creates a temporary folder: in memory if the system has room, or on `disk` for tests of durability. */
export function scratchFolder(name: string, where: 'memory' | 'disk' = 'memory'): string {
  return mkdtempSync(
    join(where === 'memory' && hasRoomInMemory() ? MEMORY : tmpdir(), `mokuroku-${name}-`),
  )
}

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}
