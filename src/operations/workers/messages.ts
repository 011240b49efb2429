import type { CounterResponse, CounterRequest } from '../../http/admission/leases/remote-counter.ts'
import type { ThrottleSpace } from '../../http/admission/throttle.ts'

/** Message from the primary process to a worker. */
export type ToWorker =
  /** The port is free. */
  | { type: 'listen' }
  /** The worker must run the periodic tasks that one process runs for all. */
  | { type: 'duty' }
  /** All workers listen, so the first worker must announce the service. */
  | { type: 'announce' }
  /** The worker must finish the requests in flight and exit. */
  | { type: 'stop' }
  | { type: 'window'; space: ThrottleSpace; response: CounterResponse }

/** Message from a worker to the primary process. */
export type ToPrimary =
  | { type: 'prepared' }
  | { type: 'listening' }
  | { type: 'window'; space: ThrottleSpace; request: CounterRequest }
