import type { FastifyInstance, FastifyRequest } from 'fastify'
import { COLLECTION_ORDERS, listPublicCollections } from '../../collections/listed-queries.ts'
import { listCoverMosaics } from '../../collections/public-queries.ts'
import { PROFILE_ORDERS, ProfileDirectory } from '../../profiles/directory.ts'
import { findProfilePaths } from '../../profiles/queries.ts'
import {
  listPublicReviews,
  positionOf,
  PUBLIC_REVIEW_ORDERS,
} from '../../ratings/reviews/latest-queries.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { html } from '../../ui/html.ts'
import { collectionCards, collectionPath } from '../collections/mosaic.ts'
import { pager } from '../components/pager.ts'
import { pathWith } from '../components/path-with.ts'
import { LISTED_PAGE, PAGE, type PageRouteOptions } from '../options.ts'
import { profileCards } from '../profile/profile-cards.ts'
import { userReviewsView } from '../profile/reviews-view.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { listFrameView, listFrameParameters } from './list-frame.ts'
import { positionLinks, readPosition } from './position.ts'

const PAGE_SIZE = 24
/** Maximum of votes and of works in a collection: an `integer`. */
const MAX_INTEGER = 2 ** 31 - 1
const MAX_SEARCH_LENGTH = 100

/** Serves `/reviews`, `/collections` and `/users`: what users have published. */
export async function communityRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  const directory = new ProfileDirectory(db)

  app.get('/reviews', LISTED_PAGE, async (request, reply) => {
    const { page: context } = request
    const order = orderOf(request, PUBLIC_REVIEW_ORDERS)
    const after = readPosition(request, order === 'top' ? MAX_INTEGER : undefined)
    const found = await listPublicReviews(db, order, {
      seesNsfw: context.viewer?.nsfw ?? false,
      after,
      limit: PAGE_SIZE + 1,
    })
    const reviews = found.slice(0, PAGE_SIZE)
    context.profilePaths = await findProfilePaths(
      db,
      reviews.map(({ author }) => author.id),
    )
    const last = found.length > PAGE_SIZE ? reviews.at(-1) : undefined
    const { community, entry } = context.messages
    const texts = community.reviews
    const view = listFrameView(context, {
      path: '/reviews',
      title: texts.title,
      lead: texts.lead,
      order,
      isIndexable: true,
      orders: { newest: entry.orders.newest, top: entry.orders.top },
      isFirst: !after,
      empty: reviews.length === 0 ? texts.empty : undefined,
      next: { href: '/library', text: context.messages.library.title },
      body: html`<h2 class="unseen">${entry.orders[order]}</h2>${userReviewsView(context, reviews)}
${positionLinks(context, '/reviews', listFrameParameters(order, 'newest'), { isFirst: !after, next: last && positionOf(last, order) })}`,
    })
    return sendCatalogPage(request, reply, view)
  })

  app.get('/collections', LISTED_PAGE, async (request, reply) => {
    const { page: context } = request
    const order = orderOf(request, COLLECTION_ORDERS)
    const after = readPosition(request, order === 'largest' ? MAX_INTEGER : undefined)
    const q = searchTermOf(request)
    const seesNsfw = context.viewer?.nsfw ?? false
    const found = await listPublicCollections(db, order, {
      name: q,
      seesNsfw,
      after,
      limit: PAGE_SIZE + 1,
    })
    const collections = found.slice(0, PAGE_SIZE)
    const owners = collections.map(({ owner }) => owner.id)
    const ids = collections.map(({ id }) => id)
    const [mosaics, paths] = await Promise.all([
      listCoverMosaics(db, owners, ids, seesNsfw),
      findProfilePaths(db, owners),
    ])
    context.profilePaths = paths
    const last = found.length > PAGE_SIZE ? collections.at(-1) : undefined
    const texts = context.messages.community.collections
    const view = listFrameView(context, {
      path: '/collections',
      title: texts.title,
      lead: texts.lead,
      order,
      q,
      orders: texts.orders,
      isIndexable: true,
      isFirst: !after,
      empty: collections.length === 0 ? texts.empty : undefined,
      next: { href: '/library/collections', text: context.messages.collectionPage.create },
      body: html`${collectionCards(context, collections, mosaics, collectionPath, true)}
${positionLinks(context, '/collections', listFrameParameters(order, 'recent', q), { isFirst: !after, next: last?.position })}`,
    })
    return sendCatalogPage(request, reply, view)
  })

  // Not listed, because users decide whether search engines index their profiles.
  app.get('/users', PAGE, async (request, reply) => {
    const { page: context } = request
    const order = orderOf(request, PROFILE_ORDERS)
    const page = readPageNumber(request)
    const q = searchTermOf(request)
    const { profiles, total } = await directory.list(order, { name: q, page, pageSize: PAGE_SIZE })
    const { community, collectionPage, profilePage } = context.messages
    const texts = community.users
    const parameters = listFrameParameters(order, 'active', q)
    const view = listFrameView(context, {
      path: '/users',
      title: texts.title,
      lead: texts.lead,
      order,
      q,
      orders: texts.orders,
      isIndexable: false,
      isFirst: page === 1,
      empty: profiles.length === 0 ? texts.empty : undefined,
      next: { href: '/library/profile', text: profilePage.shown },
      body: html`${profileCards(profiles, ({ works }) => works > 0 && html`<p class="entry-facts">${collectionPage.works({ amount: works })}</p>`)}
${pager(context, { page, last: Math.ceil(total / PAGE_SIZE), pathOf: (number) => pathWith('/users', parameters, { page: number === 1 ? null : String(number) }) })}`,
    })
    return sendCatalogPage(request, reply, view, { isCacheable: false })
  })
}

/** Returns the order in the query, or the default order, which is the first. */
function orderOf<Order extends string>(
  request: FastifyRequest,
  orders: readonly [Order, ...Order[]],
): Order {
  const sort = queryParameterOf(request, 'sort')
  return orders.find((name) => name === sort) ?? orders[0]
}

const searchTermOf = (request: FastifyRequest) =>
  queryParameterOf(request, 'q').trim().slice(0, MAX_SEARCH_LENGTH).toWellFormed()
