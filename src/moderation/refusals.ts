import { ApiError } from '../http/wire/errors/errors.ts'
import { notFound, notOneOf } from '../http/wire/errors/refusals.ts'
import { REPORT_REASONS, MAX_REPORTS_PER_HOUR } from './reasons.ts'

export const nothingToReport = () => notFound('missing.reported')
export const ownSubject = () => new ApiError('COMMON_CONFLICT', { code: 'report.own' })
export const invalidReason = () => notOneOf('reason', REPORT_REASONS)
export const noSuchTakedown = () => notFound('missing.takedown')
export const appealNotPossible = () =>
  new ApiError('COMMON_CONFLICT', { code: 'appeal.impossible' })

/** @param seconds until the next report is allowed */
export const tooManyReports = (seconds: number) =>
  new ApiError(
    'COMMON_RATE_LIMITED',
    { code: 'report.too_many', params: { limit: MAX_REPORTS_PER_HOUR, seconds } },
    { retryable: true, headers: { 'retry-after': String(seconds) } },
  )
