import { ApiError } from '../http/wire/errors.ts'
import { notFound, notOneOf } from '../http/wire/refusals.ts'
import { REPORT_REASONS, REPORTS_PER_HOUR } from './reasons.ts'

export const nothingToReport = () => notFound('There is no such review, picture or profile.')
export const ownThing = () =>
  new ApiError('COMMON_CONFLICT', 'This is your own. Change or delete it instead.')
export const badReason = () => notOneOf('reason', REPORT_REASONS)
export const noTakedown = () => notFound('Nothing of yours was hidden under this id.')
export const noAppeal = () =>
  new ApiError('COMMON_CONFLICT', 'You have objected to it already, or it is shown again.')

/** @param seconds until there is room again */
export const tooManyReports = (seconds: number) =>
  new ApiError(
    'COMMON_RATE_LIMITED',
    `More than ${REPORTS_PER_HOUR} reports in an hour. Wait ${seconds} seconds.`,
    {
      retryable: true,
      headers: { 'retry-after': String(seconds) },
    },
  )
