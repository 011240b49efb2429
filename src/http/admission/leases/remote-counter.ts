import type { Grant, SharedCounter, Slots, WindowId, Windows } from './shared-counter.ts'

type SlotRequest = { id: number; key: string; slots: Slots }

/** Message from a process to the counting process. */
export type CounterRequest =
  | { asks: SlotRequest[] }
  | { key: string; slots: number; window: WindowId }

/** Grants, keyed by request id. */
export type CounterResponse = { id: number; grant: Grant }[]

/**
 * Creates a client for a counter in another process.
 *
 * @param send sends a message to that process; requests from one turn of the event loop are batched
 * @returns the counter, whose `receive` must be given the responses from that process
 */
export function remoteCounter(
  send: (request: CounterRequest) => void,
): SharedCounter & { receive(response: CounterResponse): void } {
  const waiting = new Map<number, (grant: Grant) => void>()
  let unsent: SlotRequest[] = []
  let lastId = 0

  function sendRequests() {
    send({ asks: unsent })
    unsent = []
  }

  return {
    take: (key, slots) =>
      new Promise((resolve) => {
        const id = (lastId += 1)
        waiting.set(id, resolve)
        if (unsent.push({ id, key, slots }) === 1) setImmediate(sendRequests)
      }),
    async returnSlots(key, slots, window) {
      send({ key, slots, window })
    },
    receive(response) {
      for (const { id, grant } of response) {
        waiting.get(id)?.(grant)
        waiting.delete(id)
      }
    },
  }
}

/**
 * Applies another process's message to the local windows.
 *
 * @returns the response, or `undefined` if none is expected
 */
export function respondTo(windows: Windows, request: CounterRequest): CounterResponse | undefined {
  if ('asks' in request)
    return request.asks.map(({ id, key, slots }) => ({ id, grant: windows.take(key, slots) }))
  windows.returnSlots(request.key, request.slots, request.window)
  return undefined
}
