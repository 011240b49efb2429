import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withWorkRefs } from '../../../catalog/work-refs.ts'
import { notFound } from '../../../http/wire/errors/refusals.ts'
import { findUserStatistics, findUserTotals } from '../../../ratings/own/user-statistics-queries.ts'
import {
  listCommonTags,
  listFinishedWorks,
  listFinishedYears,
} from '../../../ratings/own/year-queries.ts'
import { PAGE, type PageRouteOptions } from '../../options.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import { libraryStatisticsView } from './statistics-view.ts'
import { highlightsOf, yearView } from './year-view.ts'

type StatisticsOptions = PageRouteOptions & { accountOf: (request: FastifyRequest) => number }

/** Serves the statistics of the user's own list, as a whole and by year. */
export function ownStatisticsRoutes(
  app: FastifyInstance,
  { db, accountOf }: StatisticsOptions,
): void {
  app.get('/library/statistics', PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const [totals, statistics, years] = await Promise.all([
      findUserTotals(db, accountId),
      findUserStatistics(db, accountId),
      listFinishedYears(db, accountId),
    ])
    const view = libraryStatisticsView(request.page, { totals, statistics, years }, new Date())
    return sendCatalogPage(request, reply, view)
  })

  app.get<{ Params: { year: string } }>(
    '/library/statistics/:year',
    PAGE,
    async (request, reply) => {
      const accountId = accountOf(request)
      const { year } = request.params
      const works = await listFinishedWorks(db, accountId, year)
      if (works.length === 0) throw notFound()
      const [years, tags, highlights] = await Promise.all([
        listFinishedYears(db, accountId),
        listCommonTags(
          db,
          works.map(({ work_id: id }) => id),
        ),
        withWorkRefs(db, highlightsOf(works)),
      ])
      const view = yearView(request.page, { year, works, years, tags, highlights })
      return sendCatalogPage(request, reply, view)
    },
  )
}
