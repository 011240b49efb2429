import type { CounterAnswer, CounterRequest } from '../../http/admission/leases/remote-counter.ts'
import type { ThrottleSpace } from '../../http/admission/throttle.ts'

/** What the primary says to a worker. */
export type ToWorker =
  /** The port is free for it. */
  | { type: 'listen' }
  /** It is to do the periodic tasks that one does for all. */
  | { type: 'duty' }
  /** All workers listen: the first one tells the world. */
  | { type: 'announce' }
  /** Finish the requests in flight and end. */
  | { type: 'stop' }
  | { type: 'window'; space: ThrottleSpace; answer: CounterAnswer }

/** What a worker says to the primary. */
export type ToPrimary =
  | { type: 'prepared' }
  | { type: 'listening' }
  | { type: 'window'; space: ThrottleSpace; request: CounterRequest }
