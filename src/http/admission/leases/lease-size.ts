/**
 * Time, in milliseconds, whose expected use determines the size of a lease. It also limits how often a busy key
 * contacts the shared counter.
 */
const LEASE_MS = 100
/**
 * Maximum size of a lease as a fraction of the limit. Slots that a process holds without using them are unavailable to
 * other processes.
 */
const MAX_SHARE = 1 / 50
/** Maximum size of a lease as a multiple of the requests since the previous one, so that leases grow gradually. */
const MAX_GROWTH = 2

/** Usage of a key in this process since it last requested a lease. */
export type RecentUse = { requests: number; ms: number }

/**
 * Returns how many slots to lease in addition to those that requests wait for, based on the recent rate. Returns 0 for
 * rarely used keys and small limits.
 *
 * @param held slots that requests wait for, plus slots already held
 */
export function spareSlots(held: number, limit: number, { requests, ms }: RecentUse): number {
  const byRate = ms > 0 ? (requests / ms) * LEASE_MS : 0
  const size = Math.min(byRate, requests * MAX_GROWTH, limit * MAX_SHARE)
  return Math.max(0, Math.floor(size) - held)
}
