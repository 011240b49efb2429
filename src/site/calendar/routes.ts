import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findNearestReleases, listReleases } from '../../browse/calendar/queries.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { notOneOf, validationError } from '../../http/wire/errors/refusals.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { LISTED_PAGE, type PageRouteOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { calendarView } from './calendar-view.ts'
import { addDays, addMonths, MAX_MONTH, MIN_MONTH, parseDay, parseMonth, todayIn } from './month.ts'

/** Maximum number of releases per day of a month, and on the page of one day. */
const MAX_PER_DAY = 8
const MAX_ON_DAY = 500

/** Serves `/calendar`, the releases of a month. */
export async function calendarRoutes(app: FastifyInstance, { reads }: PageRouteOptions) {
  app.get('/calendar', LISTED_PAGE, async (request, reply) => {
    const context = request.page
    const today = todayIn(context.timeZone, context.site?.now() ?? Date.now())
    const kind = readReleaseKind(request)
    const period = readPeriod(request)
    const day = period?.day
    const month = period?.month ?? today.slice(0, 7)
    const days = period ?? monthPeriod(month)
    const kinds = kind ? [kind] : WORK_KINDS
    const filter = { kinds, seesNsfw: listsAdultWorks(context) }
    const releases = await listReleases(reads, filter, {
      ...days,
      ...(day === undefined ? { month, limit: MAX_PER_DAY } : { month: null, limit: MAX_ON_DAY }),
    })
    const nearest =
      releases.length === 0 ? await findNearestReleases(reads, filter, days) : undefined
    const view = calendarView(context, { month, day, kind, today, releases, nearest })
    return sendCatalogPage(request, reply, view)
  })
}

/** A month or a day: `from` is its first day, and `to` the day after its last. */
type CalendarPeriod = { from: string; to: string; month: string; day?: string }

const monthPeriod = (month: string): CalendarPeriod => ({
  from: `${month}-01`,
  to: `${addMonths(month, 1)}-01`,
  month,
})

/**
 * Reads the month or the day from the query.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if there is no such month or day
 */
export function readPeriod(request: FastifyRequest): CalendarPeriod | undefined {
  const day = readDate(request, 'day', parseDay)
  const month = readDate(request, 'month', parseMonth)
  if (day !== undefined) return { from: day, to: addDays(day, 1), month: day.slice(0, 7), day }
  return month === undefined ? undefined : monthPeriod(month)
}

function readDate(
  request: FastifyRequest,
  name: 'day' | 'month',
  parse: (text: string) => string | undefined,
): string | undefined {
  const text = queryParameterOf(request, name)
  if (text === '') return undefined
  const parsed = parse(text)
  if (parsed === undefined)
    throw validationError([
      { field: name, code: `date.${name}`, params: { min: MIN_MONTH, max: MAX_MONTH } },
    ])
  return parsed
}

const PATHS = WORK_KINDS.map((kind) => KINDS[kind].path)

/**
 * Reads the kind of releases from the query, as the path of its list.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if there is no such kind
 */
export function readReleaseKind(request: FastifyRequest): WorkKind | undefined {
  const text = queryParameterOf(request, 'kind')
  if (text === '') return undefined
  const kind = WORK_KINDS.find((name) => KINDS[name].path === text)
  if (!kind) throw notOneOf('kind', PATHS)
  return kind
}
