import { LRUCache } from 'lru-cache'
import type { RateLimitWindow } from '../wire/rate-limit.ts'
import type { Lease, LeaseAnswer, LeaseRecall, LeaseRequest } from './lease-messages.ts'
import type { Throttle } from './throttle.ts'

type Held = Pick<Lease, 'window' | 'limit' | 'free'> & { unused: number; isUsedUp: boolean; endsAt: number }
type Asking = {
  askedAt: number
  waiting: { limit: number; resolve: (window: RateLimitWindow | Promise<RateLimitWindow>) => void }[]
}

/**
 * The throttle of a worker: uses up what the primary leases it of a window (`window-leases.ts`), at once; when that is
 * used up it asks for more, and requests of the key wait for the answer.
 *
 * @param send to the primary; asks of one turn of the event loop go together
 */
export function leasedThrottle(
  send: (request: LeaseRequest) => void,
  { maxKeys = 100_000, now = () => performance.now() } = {},
): { throttle: Throttle; receive(answer: LeaseAnswer): void } {
  const leases = new LRUCache<string, Held>({ maxSize: maxKeys, sizeCalculation: () => 1 })
  const asking = new Map<string, Asking>()
  let unsent: string[] = []

  const throttle: Throttle = (key, limit) => {
    const lease = leases.get(key)
    const resetMs = lease ? lease.endsAt - now() : 0
    if (lease && lease.limit === limit && resetMs > 0 && (lease.unused > 0 || lease.isUsedUp)) {
      if (lease.isUsedUp) return { limit, remaining: 0, resetMs, exceeded: true }
      lease.unused -= 1
      return { limit, remaining: lease.free + lease.unused, resetMs, exceeded: false }
    }
    return new Promise((resolve) => {
      const underWay = asking.get(key)
      if (underWay) return underWay.waiting.push({ limit, resolve })
      asking.set(key, { askedAt: 0, waiting: [{ limit, resolve }] })
      if (unsent.push(key) === 1) setImmediate(sendAsks)
    })
  }

  function sendAsks() {
    const asks = unsent.map((key) => {
      const lease = leases.get(key)
      const underWay = asking.get(key)
      const { window = 0, unused = 0 } = lease ?? {}
      if (lease) lease.unused = 0
      if (underWay) underWay.askedAt = now()
      const { waiting = [] } = underWay ?? {}
      return { key, limit: waiting[0]?.limit ?? 0, wanted: waiting.length, window, unused }
    })
    unsent = []
    send({ asks })
  }

  function take({ key, window, limit, amount, free, resetMs }: Lease) {
    const { askedAt = 0, waiting = [] } = asking.get(key) ?? {}
    asking.delete(key)
    // Counted from before the question: here the window does not end later than there.
    const endsAt = askedAt + resetMs
    leases.set(key, { window, limit, free, unused: amount, isUsedUp: amount === 0, endsAt })
    for (const { limit: wanted, resolve } of waiting) resolve(throttle(key, wanted))
  }

  function giveBack({ key, window }: LeaseRecall) {
    const lease = leases.peek(key)
    const unused = lease?.window === window ? lease.unused : 0
    if (lease?.window === window) lease.unused = 0
    send({ returned: { key, window, unused } })
  }

  return {
    throttle,
    receive: (answer) => ('lease' in answer ? take(answer.lease) : giveBack(answer.recall)),
  }
}
