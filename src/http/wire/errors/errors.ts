import { catalogue, type Coded } from '../../../i18n/catalogue.ts'
import { ERROR_STATUS, type ErrorCode } from './error-codes.ts'
import type refusals from '../../../i18n/locales/en/refusals.json'
import type { RequestFault } from './fault.ts'

/** Reason for refusing a request. */
export type RefusalReason = Coded<keyof typeof refusals>

const render = catalogue<keyof typeof refusals>('refusals')

/** The sentence for programs. */
export const refusalMessage = (reason: RefusalReason): string => render('en', reason)

export type ErrorOptions = {
  /** Where one code stands for several statuses: 405, 406, 413, 414, 415 with `COMMON_BAD_REQUEST`. */
  status?: number
  faults?: RequestFault[]
  details?: Record<string, unknown>
  /** Whether the same request may succeed later. */
  retryable?: boolean
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * A refusal the caller may see. Anything else that is thrown is answered with `COMMON_UNEXPECTED_ERROR`.
 *
 * It has no stack: it is an answer and never logged as a fault, the document makes hundreds of them at every start, and
 * walking the stack is most of what one costs.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly reason: RefusalReason
  readonly faults: RequestFault[] | undefined
  readonly details: Record<string, unknown> | undefined
  readonly retryable: boolean | undefined
  readonly headers: Record<string, string>
  /** The app that was refused, where nothing else tells it, and the true reason: for its developer, never for the caller. */
  about: { clientId: string; reason?: RefusalReason } | undefined

  /** @param reason what is wrong and what to do; the message states it in English, for developers */
  constructor(code: ErrorCode, reason: RefusalReason, options: ErrorOptions = {}) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(refusalMessage(reason), { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.reason = reason
    this.status = options.status ?? ERROR_STATUS[code]
    this.faults = options.faults
    this.details = options.details
    this.retryable = options.retryable
    this.headers = options.headers ?? {}
  }
}
