import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { kindOfWorkType, WORK_TYPES, workTypeOf } from '../catalog/work-types.ts'
import { seesNsfw } from '../catalog/visibility.ts'
import { toPublicCollection } from '../collections/public-queries.ts'
import { listUserPublicCollections } from '../collections/public-list-queries.ts'
import type { Database } from '../db/database.ts'
import { operation } from '../http/document/operation.ts'
import { PageQuery, paged, pageOfCollection } from '../http/wire/requests/paging.ts'
import { badPage, notFound, notOneOf } from '../http/wire/errors/refusals.ts'
import { Envelope } from '../http/wire/schemas.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'
import { STATUSES } from '../ratings/fields.ts'
import { viewerOf } from '../ratings/own/lists/visibility-fragments.ts'
import { countLibrary, LIBRARY_ORDERS, listLibrary } from '../ratings/own/lists/library-queries.ts'
import { findUserStatistics } from '../ratings/own/user-statistics-queries.ts'
import { listUserReviews } from '../ratings/reviews/user-reviews-queries.ts'
import { absolutePictureUrl } from '../uploads/upload-path.ts'
import { PROFILE } from './examples.ts'
import { findPublishedProfile, type ProfilePart, type PublishedProfile } from './queries.ts'
import {
  PROFILE_RESPONSES,
  PublicListQuery,
  PublicReviewsQuery,
  type PublicProfile,
} from './schemas.ts'
import { shownParts } from './settings-routes.ts'

const ACCESS = { access: 'catalog' } as const
const SHARED = {
  ...ACCESS,
  tag: 'Public profiles',
  params: Type.Object({
    name: Type.String({ description: 'The name its reader has given it, or the id of the reader' }),
  }),
  missing: { notFound: notFound() },
}

type PublicProfiles = {
  app: FastifyInstance
  db: Database
  /** Where pictures of readers are. */
  authUrl: string
}

type One = { Params: { name: string } }

/** What readers show of theirs, for everybody who may read the catalog. What is not shown answers as what is not there. */
export function publicProfileRoutes({ app, db, authUrl }: PublicProfiles) {
  const one = '/profiles/:name'

  async function shownPart(
    request: FastifyRequest<One>,
    part?: ProfilePart,
  ): Promise<PublishedProfile> {
    const found = await findPublishedProfile(db, request.params.name)
    if (!found || (part && !found[`shows_${part}`])) throw notFound()
    return found
  }

  app.get<One>(
    one,
    {
      config: ACCESS,
      schema: operation({
        ...SHARED,
        operationId: 'getPublicProfile',
        summary: 'A reader who shows a profile',
        success: { 200: Envelope(PROFILE_RESPONSES.profile) },
        example: PROFILE,
      }),
    },
    async (request, reply) =>
      sendEnvelope(request, reply, toPublicProfile(await shownPart(request), authUrl)),
  )

  app.get<One & { Querystring: PublicListQuery }>(
    `${one}/list`,
    {
      config: ACCESS,
      schema: operation({
        ...SHARED,
        operationId: 'listPublicRecords',
        summary:
          'What is on their list, private records left out; nsfw works with catalog:full only',
        querystring: PublicListQuery,
        success: { 200: Envelope(PROFILE_RESPONSES.list) },
        faults: {
          badStatus: notOneOf('status', STATUSES),
          badWorkType: notOneOf('work_type', WORK_TYPES),
          badSort: notOneOf('sort', LIBRARY_ORDERS),
        },
      }),
    },
    async (request, reply) => {
      const { account_id: id } = await shownPart(request, 'list')
      const { status, work_type, keyword, sort = 'recent' } = request.query
      const page = pageOfCollection(request.query)
      const looker = viewerOf(seesNsfw(request))
      const filter = { status, kind: kindOfWorkType(work_type), title: keyword }
      const [items, counts] = await Promise.all([
        listLibrary(db, id, filter, sort, page, looker),
        countLibrary(db, id, filter, looker),
      ])
      const total =
        status === undefined
          ? [...counts.values()].reduce((sum, amount) => sum + amount, 0)
          : (counts.get(status) ?? 0)
      const records = items.map(({ kind, work_id, work, status: recorded, rate, updated_at }) => ({
        work_type: workTypeOf(kind),
        work_id,
        work,
        status: recorded,
        rate,
        updated_at,
      }))
      return sendEnvelope(request, reply, paged(records, page, total))
    },
  )

  app.get<One>(
    `${one}/statistics`,
    {
      config: ACCESS,
      schema: operation({
        ...SHARED,
        operationId: 'getPublicStatistics',
        summary: 'Their list in numbers; what is not on it for the caller is not counted',
        success: { 200: Envelope(PROFILE_RESPONSES.statistics) },
      }),
    },
    async (request, reply) => {
      const { account_id: id } = await shownPart(request, 'statistics')
      return sendEnvelope(
        request,
        reply,
        await findUserStatistics(db, id, viewerOf(seesNsfw(request))),
      )
    },
  )

  app.get<One & { Querystring: PublicReviewsQuery }>(
    `${one}/reviews`,
    {
      config: ACCESS,
      schema: operation({
        ...SHARED,
        operationId: 'listReaderReviews',
        summary:
          'What they have written of works, the newest first; nsfw works with catalog:full only',
        querystring: PublicReviewsQuery,
        success: { 200: Envelope(PROFILE_RESPONSES.reviews) },
        faults: { badPage: badPage() },
      }),
    },
    async (request, reply) => {
      const { account_id: id } = await shownPart(request, 'reviews')
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

  app.get<One & { Querystring: PageQuery }>(
    `${one}/collections`,
    {
      config: ACCESS,
      schema: operation({
        ...SHARED,
        operationId: 'listReaderCollections',
        summary:
          'Their collections that are not private and hold something, the last changed first',
        querystring: PageQuery,
        success: { 200: Envelope(PROFILE_RESPONSES.collections) },
        faults: { badPage: badPage() },
      }),
    },
    async (request, reply) => {
      const { account_id: id } = await shownPart(request, 'collections')
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
