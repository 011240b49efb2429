import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { kindOfWorkType, WORK_TYPES, workTypeOf } from '../catalog/work-types.ts'
import { seesNsfw } from '../catalog/visibility.ts'
import { listUserPublicCollections, toPublicCollection } from '../collections/public-queries.ts'
import type { Database } from '../db/database.ts'
import { documentedRoute } from '../http/document/operation.ts'
import { PageQuery, paged, pageOfCollection } from '../http/wire/requests/paging.ts'
import { badPage, notFound, notOneOf } from '../http/wire/errors/refusals.ts'
import { Envelope } from '../http/wire/schemas.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'
import { STATUSES } from '../ratings/fields.ts'
import { viewerOf } from '../ratings/own/lists/visibility-fragments.ts'
import { countLibrary, listLibrary, PUBLIC_ORDERS } from '../ratings/own/lists/library-queries.ts'
import { findUserStatistics } from '../ratings/own/user-statistics-queries.ts'
import { listUserReviews } from '../ratings/reviews/queries.ts'
import { absolutePictureUrl } from '../uploads/upload-path.ts'
import { findPublishedProfile, type ProfilePart, type PublishedProfile } from './queries.ts'
import {
  PROFILE_RESPONSES,
  PublicListQuery,
  PublicReviewsQuery,
  type PublicProfile,
} from './schemas.ts'
import { shownParts } from './settings-routes.ts'

const SHARED = {
  access: 'catalog',
  tag: 'Public profiles',
  params: Type.Object({
    name: Type.String({ description: 'The name of the profile, or the id of its user' }),
  }),
  missing: { notFound: notFound() },
} as const

const EXAMPLE = {
  id: 7,
  profile_name: 'nagisa',
  name: 'Nagisa',
  picture: null,
  bio: 'I read in winter.',
  since: '2026-11-21T08:00:00.000Z',
  shows: { list: true, statistics: true, reviews: true, collections: false },
}

type PublicProfiles = { app: FastifyInstance; db: Database; authUrl: string }

type NameParams = { Params: { name: string } }

/** Registers the routes of public profiles. Hidden parts are reported as missing. */
export function publicProfileRoutes({ app, db, authUrl }: PublicProfiles) {
  const profilePath = '/profiles/:name'

  async function requireProfile(
    request: FastifyRequest<NameParams>,
    part?: ProfilePart,
  ): Promise<PublishedProfile> {
    const found = await findPublishedProfile(db, request.params.name)
    if (!found || (part && !found[`shows_${part}`])) throw notFound()
    return found
  }

  app.get<NameParams>(
    profilePath,
    documentedRoute({
      ...SHARED,
      operationId: 'getPublicProfile',
      summary: 'A user with a public profile',
      success: { 200: Envelope(PROFILE_RESPONSES.profile) },
      example: EXAMPLE,
    }),
    async (request, reply) =>
      sendEnvelope(request, reply, toPublicProfile(await requireProfile(request), authUrl)),
  )

  app.get<NameParams & { Querystring: PublicListQuery }>(
    `${profilePath}/list`,
    documentedRoute({
      ...SHARED,
      operationId: 'listPublicRecords',
      summary: 'The list of a user without private ratings; nsfw works only with catalog:full',
      querystring: PublicListQuery,
      success: { 200: Envelope(PROFILE_RESPONSES.list) },
      faults: {
        badStatus: notOneOf('status', STATUSES),
        badWorkType: notOneOf('work_type', WORK_TYPES),
        badSort: notOneOf('sort', PUBLIC_ORDERS),
      },
    }),
    async (request, reply) => {
      const { account_id: id } = await requireProfile(request, 'list')
      const { status, work_type, keyword, sort = 'recent' } = request.query
      const page = pageOfCollection(request.query)
      const viewer = viewerOf(seesNsfw(request))
      const filter = { status, kind: kindOfWorkType(work_type), title: keyword }
      const [items, counts] = await Promise.all([
        listLibrary(db, id, filter, { order: sort, isReversed: false }, page, viewer),
        countLibrary(db, id, filter, viewer),
      ])
      const total =
        status === undefined
          ? [...counts.values()].reduce((sum, count) => sum + count, 0)
          : (counts.get(status) ?? 0)
      const ratings = items.map(({ kind, work_id, work, rate, updated_at, ...item }) => ({
        work_type: workTypeOf(kind),
        work_id,
        work,
        status: item.status,
        rate,
        updated_at,
      }))
      return sendEnvelope(request, reply, paged(ratings, page, total))
    },
  )

  app.get<NameParams>(
    `${profilePath}/statistics`,
    documentedRoute({
      ...SHARED,
      operationId: 'getPublicStatistics',
      summary: 'Statistics of the ratings that the caller may see',
      success: { 200: Envelope(PROFILE_RESPONSES.statistics) },
    }),
    async (request, reply) => {
      const { account_id: id } = await requireProfile(request, 'statistics')
      return sendEnvelope(
        request,
        reply,
        await findUserStatistics(db, id, viewerOf(seesNsfw(request))),
      )
    },
  )

  app.get<NameParams & { Querystring: PublicReviewsQuery }>(
    `${profilePath}/reviews`,
    documentedRoute({
      ...SHARED,
      operationId: 'listReaderReviews',
      summary: 'The public reviews of a user, newest first; nsfw works only with catalog:full',
      querystring: PublicReviewsQuery,
      success: { 200: Envelope(PROFILE_RESPONSES.reviews) },
      faults: { badPage: badPage() },
    }),
    async (request, reply) => {
      const { account_id: id } = await requireProfile(request, 'reviews')
      const page = pageOfCollection(request.query)
      const { spoilers = false } = request.query
      const found = await listUserReviews(db, id, { seesNsfw: seesNsfw(request), spoilers, page })
      const reviews = found.reviews.map(({ kind, ...review }) => ({
        work_type: workTypeOf(kind),
        ...review,
      }))
      return sendEnvelope(request, reply, paged(reviews, page, found.total))
    },
  )

  app.get<NameParams & { Querystring: PageQuery }>(
    `${profilePath}/collections`,
    documentedRoute({
      ...SHARED,
      operationId: 'listReaderCollections',
      summary: 'The public, non-empty collections of a user, last changed first',
      querystring: PageQuery,
      success: { 200: Envelope(PROFILE_RESPONSES.collections) },
      faults: { badPage: badPage() },
    }),
    async (request, reply) => {
      const { account_id: id } = await requireProfile(request, 'collections')
      const page = pageOfCollection(request.query)
      const found = await listUserPublicCollections(db, id, { seesNsfw: seesNsfw(request), page })
      return sendEnvelope(
        request,
        reply,
        paged(
          found.collections.map((collection) => toPublicCollection(collection, authUrl)),
          page,
          found.total,
        ),
      )
    },
  )
}

const toPublicProfile = (found: PublishedProfile, authUrl: string): PublicProfile => ({
  id: found.account_id,
  profile_name: found.name,
  name: found.display_name,
  picture: found.picture === null ? null : absolutePictureUrl(found.picture, authUrl),
  bio: found.bio || null,
  since: found.since.toISOString(),
  shows: shownParts(found),
})
