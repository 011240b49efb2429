import type { Grant, SharedCounter, Slots, WindowId, Windows } from './shared-counter.ts'

type Ask = { id: number; key: string; slots: Slots }

/** What a process sends to the one that counts. */
export type CounterRequest = { asks: Ask[] } | { key: string; slots: number; window: WindowId }

/** The grants for some asks, by the ids of these. */
export type CounterAnswer = { id: number; grant: Grant }[]

/**
 * A counter that another process keeps.
 *
 * @param send to that process; asks of one turn of the event loop go together
 * @returns `receive` takes the answers of that process
 */
export function remoteCounter(
  send: (request: CounterRequest) => void,
): SharedCounter & { receive(answer: CounterAnswer): void } {
  const waiting = new Map<number, (grant: Grant) => void>()
  let unsent: Ask[] = []
  let lastId = 0

  function sendAsks() {
    send({ asks: unsent })
    unsent = []
  }

  return {
    take: (key, slots) =>
      new Promise((resolve) => {
        const id = (lastId += 1)
        waiting.set(id, resolve)
        if (unsent.push({ id, key, slots }) === 1) setImmediate(sendAsks)
      }),
    async giveBack(key, slots, window) {
      send({ key, slots, window })
    },
    receive(answer) {
      for (const { id, grant } of answer) {
        waiting.get(id)?.(grant)
        waiting.delete(id)
      }
    },
  }
}

/** Does what a process asks of the windows here. @returns what to answer, undefined if there is nothing to say */
export function answerFrom(windows: Windows, request: CounterRequest): CounterAnswer | undefined {
  if ('asks' in request)
    return request.asks.map(({ id, key, slots }) => ({ id, grant: windows.take(key, slots) }))
  windows.giveBack(request.key, request.slots, request.window)
  return undefined
}
