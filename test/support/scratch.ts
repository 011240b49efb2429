import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux keeps what lies here in memory; containers often give it no more than 64 MB. */
const MEMORY = '/dev/shm'
/** The databases of all files that run at once, with room to spare. */
const ENOUGH_BYTES = 3 * 2 ** 30

/**
 * A new folder for what a test throws away: in memory where the system has room for that, since nobody needs those bytes
 * to survive; `disk` for tests of what does survive.
 */
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
    return bavail * bsize >= ENOUGH_BYTES
  } catch {
    return false
  }
}
