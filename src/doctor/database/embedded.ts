import type { DatabaseCheck } from '../check.ts'
import { fault } from '../finding.ts'
import { countRowsTwice } from './embedded-queries.ts'

/**
 * Reads every table of the embedded database and its primary key, because the disk may have lost or changed a block.
 */
export const embeddedCheck: DatabaseCheck = {
  id: 'embedded',
  applies: ({ engine }) => engine === 'embedded',
  needsSchema: true,
  isExpensive: true,
  run: async ({ db }) =>
    (await countRowsTwice(db))
      .filter(({ inFile, inIndex }) => inFile !== inIndex)
      .map(({ table, inFile, inIndex }) =>
        fault('embedded.damaged', { params: { table, inFile, inIndex } }),
      ),
}
