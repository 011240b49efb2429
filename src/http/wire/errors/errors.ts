import { catalogue, type Coded } from '../../../i18n/catalogue.ts'
import { ERROR_STATUS, type ErrorCode } from './error-codes.ts'
import type refusals from '../../../i18n/locales/en/refusals.json'
import type { RequestFault } from './fault.ts'

/** Reason for refusing a request. */
export type RefusalReason = Coded<keyof typeof refusals>

const render = catalogue<keyof typeof refusals>('refusals')

/** Returns the English message of a refusal. */
export const refusalMessage = (reason: RefusalReason): string => render('en', reason)

export type ErrorOptions = {
  /** Overrides the usual status of the code: `COMMON_BAD_REQUEST` also stands for 405, 406, 413, 414 and 415. */
  status?: number
  faults?: RequestFault[]
  details?: Record<string, unknown>
  /** Whether the same request may succeed later. */
  retryable?: boolean
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * A refusal that the caller may see. Any other error results in `COMMON_UNEXPECTED_ERROR`. A refusal has no stack
 * trace, because capturing one accounts for most of the cost of an error. It is a response rather than a logged
 * failure, and the OpenAPI document creates hundreds of refusals at startup.
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
  /**
   * The refused app, if the request does not identify it, and the actual reason for the refusal. Shown to the app's
   * developer, never to the caller.
   */
  about: { clientId: string; reason?: RefusalReason } | undefined

  /** @param reason what is wrong and what to do, rendered in English for developers */
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
