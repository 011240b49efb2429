import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MEBIBYTE } from '../../kernel/mebibyte.ts'
import type { MachineCheck } from '../check.ts'
import { fault, warning } from '../finding.ts'

/** Checks the free space on the disk of `DATA_DIR`. */
export const diskCheck: MachineCheck = {
  id: 'disk',
  async run({ config, limits }) {
    const { bavail, bsize } = await statfs(existingFolder(config.dataDir))
    const free = bavail * bsize
    const params = { free: Math.floor(free / MEBIBYTE) }
    const [low, full] = limits.freeDiskBytes
    if (free < full) return [fault('disk.full', { params })]
    return free < low ? [warning('disk.low', { params })] : []
  },
}

/** Returns the folder, or the closest parent that exists. */
const existingFolder = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path))
