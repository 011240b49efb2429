import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CatalogReader } from '../../../catalog/cache/catalog-reader.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { REVIEW_ORDERS } from '../../../ratings/reviews/schemas.ts'
import { parameterOf } from '../../../ui/forms/form-field.ts'
import { findProfilePaths } from '../../../profiles/queries.ts'
import { PAGE, type WebOptions } from '../../options.ts'
import { readPageNumber } from '../../read-page-number.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import { ownMark } from '../../library/record/own-mark.ts'
import { showMarks } from '../../library/record/show-marks.ts'
import type { WorkData } from '../entry-data.ts'
import { findEntryPage } from '../find-entry.ts'
import { WorkParts } from './load-work.ts'
import { castPage, reviewsPage, staffPage } from '../part-views.ts'
import { workView } from './work-view.ts'

/** What the page of a work shows of its longer parts; the rest is on pages of their own. */
const SHOWN_CAST = 12
const SHOWN_STAFF = 40
const SHOWN_REVIEWS = 3
const SHOWN_COLLECTIONS = 6
const REVIEWS_OF_A_PAGE = 20

type Request = FastifyRequest<{ Params: { id: string } }>

/** `/galgames/42` and its like, with the pages of what is long. */
export async function workPageRoutes(app: FastifyInstance, { db, cache }: WebOptions) {
  const catalog = new CatalogReader(db, cache, app.pictureAddresses)

  async function load(request: Request, reply: FastifyReply, kind: WorkKind, rest = '') {
    const found = await findEntryPage(request, reply, { db, catalog, kind, rest })
    if (!found) return undefined
    const { id, data, seesNsfw } = found
    const parts = new WorkParts(db, catalog, { kind, id, seesNsfw })
    // as: the detail of a work of that kind
    return { work: { kind, data } as WorkData, parts }
  }

  for (const kind of WORK_KINDS) {
    const path = `/${KINDS[kind].path}/:id`

    app.get<{ Params: { id: string } }>(path, PAGE, async (request, reply) => {
      const found = await load(request, reply, kind)
      if (!found) return reply
      const { work, parts } = found
      const [
        cast,
        staff,
        producers,
        volumes,
        relations,
        statistics,
        reviews,
        similar,
        collections,
        own,
      ] = await Promise.all([
        parts.cast(SHOWN_CAST),
        parts.staff(SHOWN_STAFF),
        parts.producers(),
        parts.volumes(),
        parts.relations(),
        parts.statistics(),
        parts.reviews('top', { page: 1, pageSize: SHOWN_REVIEWS }),
        parts.similar(),
        parts.collections(SHOWN_COLLECTIONS),
        ownMark(db, request, { kind, id: work.data.id, title: titleOf(work) }),
      ])
      await showMarks(db, request, [...similar, ...relations.map(({ entry }) => entry)])
      request.page.profileAddresses = await findProfilePaths(db, [
        ...reviews.reviews.map(({ user }) => user.id),
        ...collections.map(({ owner_id }) => owner_id),
      ])
      const view = workView(request.page, {
        work,
        cast: cast.cast,
        castTotal: cast.total,
        staff: staff.credits,
        staffTotal: staff.total,
        producers,
        volumes,
        relations,
        statistics,
        reviews: reviews.reviews,
        reviewsTotal: reviews.total,
        similar,
        collections,
        own,
        hasCollections: app.hasRoute({ method: 'GET', url: '/collections/:id' }),
      })
      return sendCatalogPage(request, reply, view)
    })

    app.get<{ Params: { id: string } }>(`${path}/characters`, PAGE, async (request, reply) => {
      const found = await load(request, reply, kind, '/characters')
      if (!found) return reply
      const [{ cast }, totals] = await Promise.all([found.parts.cast(null), totalsOf(found.parts)])
      return sendCatalogPage(request, reply, castPage(request.page, found.work, totals, cast))
    })

    app.get<{ Params: { id: string } }>(`${path}/staff`, PAGE, async (request, reply) => {
      const found = await load(request, reply, kind, '/staff')
      if (!found) return reply
      const [{ credits }, producers, totals] = await Promise.all([
        found.parts.staff(null),
        found.parts.producers(),
        totalsOf(found.parts),
      ])
      const view = staffPage(request.page, found.work, totals, [...producers, ...credits])
      return sendCatalogPage(request, reply, view)
    })

    app.get<{ Params: { id: string } }>(`${path}/reviews`, PAGE, async (request, reply) => {
      const found = await load(request, reply, kind, '/reviews')
      if (!found) return reply
      const asked = parameterOf(request, 'order')
      const order = REVIEW_ORDERS.find((known) => known === asked) ?? 'newest'
      const page = readPageNumber(request)
      const [{ total, reviews }, totals] = await Promise.all([
        found.parts.reviews(order, { page, pageSize: REVIEWS_OF_A_PAGE }),
        totalsOf(found.parts),
      ])
      const last = Math.ceil(total / REVIEWS_OF_A_PAGE)
      const authors = reviews.map(({ user }) => user.id)
      request.page.profileAddresses = await findProfilePaths(db, authors)
      const view = reviewsPage(request.page, found.work, totals, { reviews, order, page, last })
      return sendCatalogPage(request, reply, view)
    })
  }
}

/** What the head of every page of a work says. */
async function totalsOf(parts: WorkParts) {
  const [statistics, cast, staff, reviews] = await Promise.all([
    parts.statistics(),
    parts.cast(SHOWN_CAST),
    parts.staff(SHOWN_STAFF),
    parts.reviews('top', { page: 1, pageSize: SHOWN_REVIEWS }),
  ])
  return { statistics, castTotal: cast.total, staffTotal: staff.total, reviewsTotal: reviews.total }
}

const titleOf = (work: WorkData) =>
  work.kind === 'galgame' ? work.data.origin_title : work.data.name
