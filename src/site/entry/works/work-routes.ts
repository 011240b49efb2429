import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CatalogReader } from '../../../catalog/cache/catalog-reader.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../http/wire/errors/refusals.ts'
import { REVIEW_ORDERS } from '../../../ratings/reviews/schemas.ts'
import { parseId } from '../../../http/wire/requests/validation.ts'
import { queryParameterOf } from '../../../ui/forms/form-field.ts'
import { findProfilePaths } from '../../../profiles/queries.ts'
import { findActiveTakedown, type Takedown } from '../../../moderation/takedown-queries.ts'
import { entryPath, reviewPath } from '../../components/entry-path.ts'
import { PAGE, type PageRouteOptions } from '../../options.ts'
import { readPageNumber } from '../../read-page-number.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import { loadOwnRating } from '../../library/rating/own-rating.ts'
import { loadMarks } from '../../library/rating/load-marks.ts'
import type { WorkData } from '../entry-data.ts'
import { findEntryPage } from '../find-entry.ts'
import { toShownWork } from './shown-work.ts'
import { WorkParts } from './work-parts.ts'
import { castPage, reviewPage, reviewsPage, staffPage } from '../part-views.ts'
import { blurredWorkView } from './blurred-work-view.ts'
import { workView } from './work-view.ts'

/** Maximum number of items of each part on the main page. The rest are on separate pages. */
const MAX_SHOWN_CAST = 12
const MAX_SHOWN_STAFF = 40
const MAX_SHOWN_REVIEWS = 3
const MAX_SHOWN_COLLECTIONS = 6
const REVIEWS_PER_PAGE = 20

type Request = FastifyRequest<{ Params: { id: string } }>
type OfReview = { Params: { id: string; review: string } }

/** Serves pages such as `/galgames/42`, with separate pages for long parts. */
export async function workPageRoutes(app: FastifyInstance, { db, reads, cache }: PageRouteOptions) {
  const catalog = new CatalogReader(reads, cache, app.pictureUrls)

  async function load(request: Request, reply: FastifyReply, kind: WorkKind, rest = '') {
    const found = await findEntryPage(request, reply, { db: reads, catalog, kind, rest })
    if (!found) return undefined
    const { id, data, seesNsfw, isBlurred } = found
    // as: the detail of this kind of work
    const work = { kind, data } as WorkData
    const parts = new WorkParts({ db, reads }, catalog, { kind, id, seesNsfw })
    if (isBlurred) {
      if (rest === '') {
        const view = blurredWorkView(request.page, work, await parts.producers())
        await sendCatalogPage(request, reply, view)
      } else await reply.redirect(entryPath(kind, id))
      return undefined
    }
    return { work, parts }
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
        parts.cast(MAX_SHOWN_CAST),
        parts.staff(MAX_SHOWN_STAFF),
        parts.producers(),
        parts.volumes(),
        parts.relations(),
        parts.statistics(),
        parts.reviews('top', { page: 1, pageSize: MAX_SHOWN_REVIEWS }),
        parts.similar(),
        parts.collections(MAX_SHOWN_COLLECTIONS),
        loadOwnRating(db, request, {
          kind,
          id: work.data.id,
          title: toShownWork(request.page, work).titles[0].text,
        }),
      ])
      await loadMarks(db, request, [
        ...similar.map(({ work: other }) => other),
        ...relations.map(({ entry }) => entry),
      ])
      request.page.profilePaths = await findProfilePaths(db, [
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
      const [{ credits }, totals] = await Promise.all([
        found.parts.staff(null),
        totalsOf(found.parts),
      ])
      const view = staffPage(request.page, found.work, totals, [...totals.producers, ...credits])
      return sendCatalogPage(request, reply, view)
    })

    app.get<{ Params: { id: string } }>(`${path}/reviews`, PAGE, async (request, reply) => {
      const found = await load(request, reply, kind, '/reviews')
      if (!found) return reply
      const requested = queryParameterOf(request, 'order')
      const order = REVIEW_ORDERS.find((known) => known === requested) ?? 'newest'
      const page = readPageNumber(request)
      const [{ total, reviews }, totals] = await Promise.all([
        found.parts.reviews(order, { page, pageSize: REVIEWS_PER_PAGE }),
        totalsOf(found.parts),
      ])
      const last = Math.ceil(total / REVIEWS_PER_PAGE)
      const authors = reviews.map(({ user }) => user.id)
      request.page.profilePaths = await findProfilePaths(db, authors)
      const view = reviewsPage(request.page, found.work, totals, { reviews, order, page, last })
      return sendCatalogPage(request, reply, view)
    })

    app.get<OfReview>(`${path}/reviews/:review`, PAGE, async (request, reply) => {
      const reviewId = parseId(request.params.review)
      const found = await load(request, reply, kind, `/reviews/${reviewId}`)
      if (!found) return reply
      const [review, totals] = await Promise.all([
        found.parts.review(reviewId),
        totalsOf(found.parts),
      ])
      if (!review) {
        const takedown = await findHiddenReview(
          db,
          request,
          reviewPath(kind, found.work.data.id, reviewId),
          reviewId,
        )
        if (!takedown) throw notFound()
        return reply.redirect(`/desk/hidden/${takedown.id}`, 303)
      }
      request.page.profilePaths = await findProfilePaths(db, [review.user.id])
      return sendCatalogPage(request, reply, reviewPage(request.page, found.work, totals, review))
    })
  }
}

/** Finds the takedown of a hidden review for moderators. Others get the response of a missing review. */
async function findHiddenReview(
  db: Database,
  { page }: FastifyRequest,
  path: string,
  reviewId: number,
): Promise<Takedown | undefined> {
  if (!page.viewer?.role) return undefined
  const takedown = await findActiveTakedown(db, { kind: 'REVIEW', subject: String(reviewId) })
  return takedown?.place === path ? takedown : undefined
}

/** Loads the totals that the header of every page of a work shows. */
async function totalsOf(parts: WorkParts) {
  const [statistics, producers, cast, staff, reviews] = await Promise.all([
    parts.statistics(),
    parts.producers(),
    parts.cast(MAX_SHOWN_CAST),
    parts.staff(MAX_SHOWN_STAFF),
    parts.reviews('top', { page: 1, pageSize: MAX_SHOWN_REVIEWS }),
  ])
  return {
    statistics,
    producers,
    castTotal: cast.total,
    staffTotal: staff.total,
    reviewsTotal: reviews.total,
  }
}
