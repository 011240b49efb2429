import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listCoverMosaics, listUserPublicCollections } from '../../collections/public-queries.ts'
import { tagName } from '../../browse/tags/tag-concepts.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { html, type Html } from '../../ui/html.ts'
import { listFavorites } from '../../profiles/favorite-queries.ts'
import { isFollowed } from '../../profiles/follow-queries.ts'
import {
  findPublishedProfile,
  PROFILE_PARTS,
  profilePath,
  profileKey,
  type ProfilePart,
  type PublishedProfile,
} from '../../profiles/queries.ts'
import { listProfileActivity } from '../../profiles/timeline-queries.ts'
import { viewerOf } from '../../ratings/own/lists/visibility-fragments.ts'
import { countLibrary, listLibrary } from '../../ratings/own/lists/library-queries.ts'
import {
  findUserStatistics,
  findUserTotals,
  listUserTags,
} from '../../ratings/own/user-statistics-queries.ts'
import { listUserReviews } from '../../ratings/reviews/queries.ts'
import { collectionCards } from '../collections/mosaic.ts'
import { chips } from '../components/chips.ts'
import { entryGrid } from '../components/entry-grid.ts'
import { pager } from '../components/pager.ts'
import { partSection } from '../entry/section.ts'
import { loadMarks } from '../library/rating/load-marks.ts'
import { libraryCovers } from '../library/library-items.ts'
import { readPublicQuery } from '../library/library-query.ts'
import { LIST_PAGE_SIZE } from '../library/library-view.ts'
import { statisticsTables, totalsLine } from '../library/statistics/statistics-view.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { tagPath } from '../tags/tags-view.ts'
import { contentTags } from '../tags/telling-tags.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { sendFeed } from '../send-feed.ts'
import { publicListView } from './list-view.ts'
import { publicProfileView } from './profile-view.ts'
import { activityFeed, reviewsFeed } from './profile-feeds.ts'
import { userReviewsView } from './reviews-view.ts'

const MOST_RECENT = { order: 'recent', isReversed: false } as const

const REVIEWS_SIZE = 20
const COLLECTIONS_SIZE = 24
const FEED_LENGTH = 30
/** Number of items in each section of the overview. */
const OVERVIEW_SIZES = { tags: 6, list: 6, reviews: 3, collections: 4 }

type Request = FastifyRequest<{ Params: { name: string } }>
type Part = (request: Request, profile: PublishedProfile) => Promise<Html>

/** Serves `/u/…`, the public profiles of users (decision 0023). Unpublished parts return 404. */
export async function publicProfilePageRoutes(
  app: FastifyInstance,
  { db, reads }: PageRouteOptions,
) {
  const seesNsfw = ({ page }: Request) => page.viewer?.nsfw ?? false

  /** Returns undefined after redirecting to the canonical path. */
  async function load(request: Request, reply: FastifyReply, rest: string, part?: ProfilePart) {
    const { name } = request.params
    const profile = await findPublishedProfile(db, name)
    if (!profile || (part && !profile[`shows_${part}`])) throw notFound()
    if (name === profileKey(profile)) return profile
    const query = request.url.split('?', 2)[1]
    const path = `${profilePath(profile)}${rest}${query === undefined ? '' : `?${query}`}`
    // The redirect must not be cached, because the name may change.
    await reply.header('cache-control', 'no-store').redirect(path, 302)
    return undefined
  }

  const PARTS: Record<ProfilePart, Part> = {
    async list(request, profile) {
      const query = readPublicQuery(request)
      const page = readPageNumber(request)
      const viewer = viewerOf(seesNsfw(request))
      const { account_id: id } = profile
      const [items, counts] = await Promise.all([
        listLibrary(db, id, query.filter, query.sort, { page, pageSize: LIST_PAGE_SIZE }, viewer),
        countLibrary(db, id, query.filter, viewer),
      ])
      const path = `${profilePath(profile)}/list`
      const { profilePage: texts } = request.page.messages
      return html`${publicListView(request.page, { path, query, page, items, counts })}
<p class="ways"><a href="${profilePath(profile)}/activity.xml">${texts.activityFeed}</a></p>`
    },

    async statistics(request, { account_id: id }) {
      const viewer = viewerOf(seesNsfw(request))
      const [totals, statistics] = await Promise.all([
        findUserTotals(db, id, viewer),
        findUserStatistics(db, id, viewer, true),
      ])
      const tags = await contentTags(reads, statistics.tags)
      const { profilePage: texts } = request.page.messages
      const empty = html`<p class="empty">${texts.empty.statistics}</p>`
      return statisticsTables(request.page, totals, { ...statistics, tags }, new Date(), {
        ...texts,
        empty,
      })
    },

    async reviews(request, profile) {
      const page = readPageNumber(request)
      const { reviews, total } = await listUserReviews(db, profile.account_id, {
        seesNsfw: seesNsfw(request),
        spoilers: true,
        page: { page, pageSize: REVIEWS_SIZE },
      })
      const { profilePage: texts } = request.page.messages
      const path = `${profilePath(profile)}/reviews`
      return html`${reviews.length === 0 ? html`<p class="empty">${texts.empty.reviews}</p>` : userReviewsView(request.page, reviews)}
${pager(request.page, { page, last: Math.ceil(total / REVIEWS_SIZE), pathOf: pageOf(path) })}
<p class="ways"><a href="${path}.xml">${texts.feed}</a></p>`
    },

    async collections(request, profile) {
      const page = readPageNumber(request)
      const { cards, total } = await collectionsOf(request, profile, {
        page,
        pageSize: COLLECTIONS_SIZE,
      })
      const { profilePage: texts } = request.page.messages
      const path = `${profilePath(profile)}/collections`
      return html`${total === 0 ? html`<p class="empty">${texts.empty.collections}</p>` : cards}
${pager(request.page, { page, last: Math.ceil(total / COLLECTIONS_SIZE), pathOf: pageOf(path) })}`
    },
  }

  async function collectionsOf(
    request: Request,
    { account_id: id }: PublishedProfile,
    page: { page: number; pageSize: number },
  ) {
    const nsfw = seesNsfw(request)
    const { collections, total } = await listUserPublicCollections(db, id, { seesNsfw: nsfw, page })
    const ids = collections.map((collection) => collection.id)
    const mosaics = await listCoverMosaics(db, [id], ids, nsfw)
    return { cards: collectionCards(request.page, collections, mosaics), total }
  }

  /** Whether the viewer follows the profile; undefined for guests and the owner. */
  const followedBy = ({ page: { viewer } }: Request, { account_id: id }: PublishedProfile) =>
    viewer && viewer.accountId !== id ? isFollowed(db, viewer.accountId, id) : undefined

  /** Renders the first items of each part, with a link to the rest. */
  async function overview(request: Request, profile: PublishedProfile): Promise<Html> {
    const { page: context } = request
    const { profilePage: texts } = context.messages
    const { account_id: id } = profile
    const first = (pageSize: number) => ({ page: 1, pageSize })
    const more = (part: ProfilePart) => ({
      more: { href: `${profilePath(profile)}/${part}`, text: texts.all },
    })
    const nsfw = seesNsfw(request)
    const noFilters = { status: undefined, kind: undefined, title: undefined }
    const viewer = viewerOf(nsfw)
    const [favorites, totals, tags, items, written, collections] = await Promise.all([
      listFavorites(db, id, nsfw),
      profile.shows_statistics ? findUserTotals(db, id, viewer) : undefined,
      profile.shows_statistics
        ? listUserTags(db, id, viewer).then((found) => contentTags(reads, found))
        : [],
      profile.shows_list
        ? listLibrary(db, id, noFilters, MOST_RECENT, first(OVERVIEW_SIZES.list), viewer)
        : [],
      profile.shows_reviews
        ? listUserReviews(db, id, {
            seesNsfw: nsfw,
            spoilers: true,
            page: first(OVERVIEW_SIZES.reviews),
          })
        : undefined,
      profile.shows_collections
        ? collectionsOf(request, profile, first(OVERVIEW_SIZES.collections))
        : undefined,
    ])
    const reviews = written?.reviews ?? []
    await loadMarks(db, request, favorites)
    const parts = [
      favorites.length > 0 &&
        html`<div class="favorites">${partSection(texts.favorites, entryGrid(context, favorites, { showsKind: true }))}</div>`,
      totals !== undefined && totals.amount > 0 && totalsLine(context, totals, texts),
      tags.length > 0 &&
        html`<div class="cluster"><span class="quiet">${texts.tags}</span>${chips(
          texts.tags,
          tags
            .slice(0, OVERVIEW_SIZES.tags)
            .map(({ name }) => ({ href: tagPath(name), text: tagName(name, context.language) })),
        )}</div>`,
      items.length > 0 && partSection(texts.lately, libraryCovers(context, items), more('list')),
      reviews.length > 0 &&
        partSection(texts.lastReviews, userReviewsView(context, reviews), more('reviews')),
      collections !== undefined &&
        collections.total > 0 &&
        partSection(texts.parts.collections, collections.cards, more('collections')),
    ]
    return parts.some(Boolean) ? html`${parts}` : html`<p class="empty">${texts.nothingShown}</p>`
  }

  app.get<{ Params: { name: string } }>('/u/:name', PAGE, async (request, reply) => {
    const profile = await load(request, reply, '')
    if (!profile) return reply
    const view = publicProfileView(request.page, {
      profile,
      isFollowed: await followedBy(request, profile),
      body: await overview(request, profile),
    })
    return sendCatalogPage(request, reply, view, { isCacheable: false })
  })

  for (const part of PROFILE_PARTS)
    app.get<{ Params: { name: string } }>(`/u/:name/${part}`, PAGE, async (request, reply) => {
      const profile = await load(request, reply, `/${part}`, part)
      if (!profile) return reply
      const view = publicProfileView(request.page, {
        profile,
        part,
        isFollowed: await followedBy(request, profile),
        body: await PARTS[part](request, profile),
      })
      return sendCatalogPage(request, reply, view, { isCacheable: false })
    })

  /** Sends a feed, which is the same for all viewers because feed readers are not signed in. */
  const sendProfileFeed = (
    request: Request,
    reply: FastifyReply,
    profile: PublishedProfile,
    text: string,
  ) =>
    sendFeed(request, reply, text, {
      headers: {
        'content-type': 'application/atom+xml; charset=utf-8',
        'cache-control': 'private, no-cache',
        ...(!profile.may_be_found && { 'x-robots-tag': 'noindex' }),
      },
      isCacheable: false,
    })

  app.get<{ Params: { name: string } }>('/u/:name/reviews.xml', PAGE, async (request, reply) => {
    const profile = await load(request, reply, '/reviews.xml', 'reviews')
    if (!profile) return reply
    const { reviews } = await listUserReviews(db, profile.account_id, {
      seesNsfw: false,
      spoilers: false,
      page: { page: 1, pageSize: FEED_LENGTH },
    })
    return sendProfileFeed(request, reply, profile, reviewsFeed(request.page, profile, reviews))
  })

  app.get<{ Params: { name: string } }>('/u/:name/activity.xml', PAGE, async (request, reply) => {
    const profile = await load(request, reply, '/activity.xml', 'list')
    if (!profile) return reply
    const activity = await listProfileActivity(db, profile.account_id, FEED_LENGTH)
    return sendProfileFeed(request, reply, profile, activityFeed(request.page, profile, activity))
  })
}

const pageOf = (path: string) => (number: number) =>
  number === 1 ? path : `${path}?page=${number}`
