import { randomBytes } from 'node:crypto'
import { Bucket } from '../../storage/bucket.ts'
import { StorageError } from '../../storage/storage-error.ts'
import type { MachineCheck } from '../check.ts'
import { fault } from '../finding.ts'
import { detailOf, whyOf } from '../why.ts'

/** Limits with which two attempts fit into the time of a check. */
const LIMITS = { maxAttempts: 2, timeoutMs: 4_000 }

/** Checks that the bucket can be listed, and that an object can be written, read and deleted. */
export const bucketCheck: MachineCheck = {
  id: 'bucket',
  applies: ({ config }) => config.bucket !== undefined,
  async run({ config: { bucket: settings } }) {
    if (!settings) return []
    const bucket = new Bucket(settings, { limits: LIMITS })
    const name = `probe-${randomBytes(9).toString('hex')}`
    const bytes = Buffer.from(name)
    try {
      await bucket.list('probe-')
      await bucket.write(name, bytes)
      const read = await bucket.read(name).finally(() => bucket.delete(name))
      return read?.equals(bytes) ? [] : [fault('bucket.unusable')]
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      return [
        fault(`bucket.${error.fault}`, {
          detail: detailOf(error),
          ...(error.fault === 'unreachable' && { why: whyOf(error) }),
        }),
      ]
    }
  },
}
