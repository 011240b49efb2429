import type { IncomingMessage } from 'node:http'

const WAITED_MS = Symbol('milliseconds waited')

type Waiting = IncomingMessage & { [WAITED_MS]?: number }

/** Records the time, in milliseconds, that a request spent waiting at the client's wish. */
export function recordWait(request: IncomingMessage, milliseconds: number) {
  // as: the property is ours
  ;(request as Waiting)[WAITED_MS] = milliseconds
}

/** Returns the time, in milliseconds, that the duration of a request must not include. */
export const waitedMs = (request: IncomingMessage): number =>
  // as: the property is ours
  (request as Waiting)[WAITED_MS] ?? 0
