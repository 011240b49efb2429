import { countObjects } from '../../uploads/upload-bucket.ts'
import type { DatabaseCheck } from '../check.ts'
import { fault } from '../finding.ts'

/** Reports uploaded pictures that cannot be read because no bucket is configured. */
export const uploadsCheck: DatabaseCheck = {
  id: 'uploads',
  needsSchema: true,
  applies: ({ config }) => config.bucket === undefined,
  async run({ db }) {
    const count = await countObjects(db)
    return count > 0 ? [fault('uploads.no_bucket', { params: { count } })] : []
  },
}
