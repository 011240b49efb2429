import type { CounterResponse, CounterRequest } from '../../http/admission/leases/remote-counter.ts'
import type { Readiness, Startup } from '../metrics/serve-monitoring.ts'
import type { Sample } from '../metrics/registry.ts'
import type { ThrottleSpace } from '../../http/admission/throttle.ts'

/** Queries from the primary process to a worker, with the responses. */
export type Answers = { collect: Sample[]; ready: Readiness }
export type Question = keyof Answers

/** Message from the primary process to a worker. */
export type ToWorker =
  /** A client's connection, whose handle comes with the message, and the time at which it was sent. */
  | { type: 'connection'; id: number; sentAt: number }
  /** The worker must run the periodic tasks that one process runs for all. */
  | { type: 'elected' }
  /** All workers are serving, so the first worker must announce the service, with the URLs of its sockets. */
  | { type: 'announce'; addresses: string[] }
  /** The service stops: each response must close its connection. */
  | { type: 'drain' }
  /** The worker must finish the requests in flight and exit. No more connections follow. */
  | { type: 'stop' }
  /** The worker must reopen its access log. */
  | { type: 'reopen' }
  | { type: 'question'; id: number; question: Question }
  | { type: 'window'; space: ThrottleSpace; response: CounterResponse }

/** Message from a worker to the primary process. */
export type ToPrimary =
  /** The worker serves connections. */
  | { type: 'serving' }
  /** The event loop of the worker is not blocked. */
  | { type: 'beat' }
  /** The worker has received a connection, or closed it because it came too late. */
  | { type: 'received'; id: number }
  | { type: 'startup'; startup: Startup }
  | { type: 'answer'; id: number; answer: Answers[Question] | undefined }
  | { type: 'window'; space: ThrottleSpace; request: CounterRequest }
