import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withWorkRefs } from '../../../catalog/work-refs.ts'
import { notFound } from '../../../http/wire/errors/refusals.ts'
import { findUserStatistics, findUserTotals } from '../../../ratings/own/user-statistics-queries.ts'
import {
  listCommonTags,
  listFinishedWorks,
  listFinishedYears,
} from '../../../ratings/own/year-queries.ts'
import { queryParameterOf } from '../../../ui/forms/form-field.ts'
import { PAGE, type PageRouteOptions } from '../../options.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import { contentTags } from '../../tags/telling-tags.ts'
import { libraryStatisticsView } from './statistics-view.ts'
import { highlightsOf, yearView } from './year-view.ts'

type StatisticsOptions = PageRouteOptions & { accountOf: (request: FastifyRequest) => number }

/** Serves the statistics of the user's own list, as a whole or of a year. */
export function ownStatisticsRoutes(
  app: FastifyInstance,
  { db, reads, accountOf }: StatisticsOptions,
): void {
  app.get('/library/statistics', PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const year = queryParameterOf(request, 'year')
    const view =
      year === '' ? await wholeView(request, accountId) : await viewOfYear(request, accountId, year)
    return sendCatalogPage(request, reply, view)
  })

  async function wholeView({ page }: FastifyRequest, accountId: number) {
    const [totals, statistics, years] = await Promise.all([
      findUserTotals(db, accountId),
      findUserStatistics(db, accountId, 'owner', true),
      listFinishedYears(db, accountId),
    ])
    const tags = await contentTags(reads, statistics.tags)
    return libraryStatisticsView(
      page,
      { totals, statistics: { ...statistics, tags }, years },
      new Date(),
    )
  }

  /** @throws {ApiError} `COMMON_NOT_FOUND` if the user finished nothing in the year */
  async function viewOfYear({ page }: FastifyRequest, accountId: number, year: string) {
    const works = /^\d{4}$/.test(year) ? await listFinishedWorks(db, accountId, year) : []
    if (works.length === 0) throw notFound()
    const ids = works.map(({ work_id: id }) => id)
    const [years, tags, highlights] = await Promise.all([
      listFinishedYears(db, accountId),
      listCommonTags(db, ids).then((found) => contentTags(reads, found)),
      withWorkRefs(db, highlightsOf(works)),
    ])
    return yearView(page, { year, works, years, tags, highlights })
  }
}
