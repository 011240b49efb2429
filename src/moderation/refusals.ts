import { ApiError } from '../http/wire/errors/errors.ts'
import { notFound, notOneOf } from '../http/wire/errors/refusals.ts'
import { REPORT_REASONS, REPORTS_PER_HOUR } from './reasons.ts'

export const nothingToReport = () => notFound('missing.reported')
export const ownThing = () => new ApiError('COMMON_CONFLICT', { code: 'report.own' })
export const badReason = () => notOneOf('reason', REPORT_REASONS)
export const noTakedown = () => notFound('missing.takedown')
export const noAppeal = () => new ApiError('COMMON_CONFLICT', { code: 'appeal.impossible' })

/** @param seconds until there is room again */
export const tooManyReports = (seconds: number) =>
  new ApiError(
    'COMMON_RATE_LIMITED',
    { code: 'report.too_many', params: { limit: REPORTS_PER_HOUR, seconds } },
    { retryable: true, headers: { 'retry-after': String(seconds) } },
  )
