/** What workers and the primary say to each other of windows (`window-leases.ts`, `leased-throttle.ts`). */

/** A worker wants to let more requests through; of the window it names it has `unused` left, which it gives back. */
export type LeaseAsk = { key: string; limit: number; wanted: number; window: number; unused: number }

/** So many requests of a window the worker may let through by itself; 0: the window is used up. */
export type Lease = {
  key: string
  window: number
  limit: number
  amount: number
  /** Left for all others when it was made. */
  free: number
  resetMs: number
}

/** What is unused of a lease is wanted elsewhere. */
export type LeaseRecall = { key: string; window: number }

/** The answer to that: the worker holds nothing of the window any more. */
export type LeaseReturn = { key: string; window: number; unused: number }

export type LeaseRequest = { asks: LeaseAsk[] } | { returned: LeaseReturn }
export type LeaseAnswer = { lease: Lease } | { recall: LeaseRecall }
