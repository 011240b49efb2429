import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Records the byte length of each constant-time comparison during `work`. */
export async function recordComparisons(work: () => Promise<unknown>): Promise<number[]> {
  const compared: number[] = []
  const { timingSafeEqual } = crypto
  crypto.timingSafeEqual = (a, b) => {
    compared.push(a.byteLength)
    return timingSafeEqual(a, b)
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    crypto.timingSafeEqual = timingSafeEqual
    syncBuiltinESMExports()
  }
  return compared
}
