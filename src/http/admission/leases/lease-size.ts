/** A lease is as large as what the key uses in this time: so often, at most, is a busy key counted where all can see it. */
const LEASE_MS = 100
/** Of the limit. What a process holds and does not use is lost to the others for as long. */
const LARGEST_SHARE = 1 / 50
/** A key that suddenly is busy shows it first. */
const GROWTH = 2

/** What a key has done in this process since its last lease was asked for. */
export type RecentUse = { requests: number; ms: number }

/**
 * Slots to lease beyond those that requests wait for: as the key's recent rate would have it; none for keys that are used
 * rarely, or whose limit is small.
 *
 * @param atHand those that are waited for, and those that are held
 */
export function spareSlots(atHand: number, limit: number, { requests, ms }: RecentUse): number {
  const byRate = ms > 0 ? (requests / ms) * LEASE_MS : 0
  const size = Math.min(byRate, requests * GROWTH, limit * LARGEST_SHARE)
  return Math.max(0, Math.floor(size) - atHand)
}
