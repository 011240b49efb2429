import { findOpenFilesLimit, fitConnections } from '../../operations/connection-limits.ts'
import type { MachineCheck } from '../check.ts'
import { warning } from '../finding.ts'

/** Compares `MAX_CONNECTIONS` with this process's limit on open files. */
export const processCheck: MachineCheck = {
  id: 'process',
  run({ config }) {
    const { maxConnections } = config
    const allowed = findOpenFilesLimit()
    return maxConnections > fitConnections(config, allowed)
      ? [warning('process.few_files', { params: { maxConnections, allowed } })]
      : []
  },
}
