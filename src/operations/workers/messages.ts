import type { CounterResponse, CounterRequest } from '../../http/admission/leases/remote-counter.ts'
import type { Readiness, Startup } from '../metrics/serve-monitoring.ts'
import type { Sample } from '../metrics/registry.ts'
import type { ThrottleSpace } from '../../http/admission/throttle.ts'

/** Queries from the primary process to a worker, with the responses. */
export type Answers = { collect: Sample[]; ready: Readiness }
export type Question = keyof Answers

/** Message from the primary process to a worker. */
export type ToWorker =
  /** The port is free. */
  | { type: 'listen' }
  /** The worker must run the periodic tasks that one process runs for all. */
  | { type: 'elected' }
  /** All workers are listening, so the first worker must announce the service. */
  | { type: 'announce' }
  /** The worker must finish the requests in flight and exit. */
  | { type: 'stop' }
  /** The worker must reopen its access log. */
  | { type: 'reopen' }
  | { type: 'question'; id: number; question: Question }
  | { type: 'window'; space: ThrottleSpace; response: CounterResponse }

/** Message from a worker to the primary process. */
export type ToPrimary =
  | { type: 'prepared' }
  | { type: 'listening' }
  | { type: 'startup'; startup: Startup }
  | { type: 'answer'; id: number; answer: Answers[Question] | undefined }
  | { type: 'window'; space: ThrottleSpace; request: CounterRequest }
