import type { FastifyInstance, FastifyRequest } from 'fastify'
import { listSummaries } from '../../../browse/summary-queries.ts'
import { withWorkRefs } from '../../../catalog/work-refs.ts'
import { listDiary, listDiaryYears } from '../../../ratings/own/diary-queries.ts'
import { queryParameterOf } from '../../../ui/forms/form-field.ts'
import { PAGE, type PageRouteOptions } from '../../options.ts'
import { readPageNumber } from '../../read-page-number.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import { diaryView } from './diary-view.ts'

type DiaryOptions = PageRouteOptions & { accountOf: (request: FastifyRequest) => number }

/** Number of entries on a page of the diary. */
const PAGE_SIZE = 100

/** Serves the user's diary: when they started and finished works, a year at a time. */
export function diaryRoutes(app: FastifyInstance, { db, accountOf }: DiaryOptions): void {
  app.get('/library/diary', PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const page = readPageNumber(request)
    const years = await listDiaryYears(db, accountId)
    const wanted = queryParameterOf(request, 'year')
    const chosen = years.find(({ year }) => year === wanted) ?? years[0]
    const found = chosen
      ? await listDiary(db, accountId, chosen.year, { page, pageSize: PAGE_SIZE })
      : []
    const seesNsfw = request.page.viewer?.nsfw ?? false
    const works = found.map(({ kind, work_id: id }) => ({ kind, id }))
    const [entries, summaries] = await Promise.all([
      withWorkRefs(db, found),
      listSummaries(db, works, seesNsfw),
    ])
    const visible = new Set(summaries.filter(({ nsfw }) => seesNsfw || !nsfw).map(({ id }) => id))
    const last = Math.max(1, Math.ceil((chosen?.amount ?? 0) / PAGE_SIZE))
    const view = diaryView(request.page, {
      years,
      year: chosen?.year,
      entries,
      visible,
      page,
      last,
    })
    return sendCatalogPage(request, reply, view)
  })
}
