import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { KINDS, WORK_KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { addressKey } from '../../../http/admission/throttle.ts'
import { etagOf, matchesEtag } from '../../../http/wire/etag.ts'
import { notFound, rateLimited, unavailable } from '../../../http/wire/errors/refusals.ts'
import { isId } from '../../../http/wire/requests/validation.ts'
import { JobQueue } from '../../../kernel/async/job-queue.ts'
import { findPublishedProfile, type PublishedProfile } from '../../../profiles/queries.ts'
import { listLibrary } from '../../../ratings/own/lists/library-queries.ts'
import { findReview, listUserReviews } from '../../../ratings/reviews/queries.ts'
import { entryPath } from '../../components/entry-path.ts'
import { PictureError, PicturesBusyError } from '../picture-errors.ts'
import { versionOf } from '../picture-path.ts'
import type { PictureService } from '../picture-service.ts'
import { isGraded } from '../picture.ts'
import { findPicture } from '../queries.ts'
import type { PictureRoutesOptions } from '../routes.ts'
import { composeCard, MAX_CARD_COVERS } from './compose-card.ts'

/** Number of works whose covers are looked up, because some have none. */
const MAX_WORKS = 12
/** Cached cards, of about 80 kB each. */
const MAX_CARDS = 100
/** A user may unpublish the profile or the review at any moment. */
const CACHE_CONTROL = 'public, max-age=300'

const CARDS = '/images/cards'

const tooMany = () => new PicturesBusyError('Too many cards are queued')

/** Path of the link preview of a profile: `list` shows the latest works, `reviews` the latest reviewed ones. */
export const profileCardPath = (accountId: number, part: 'list' | 'reviews') =>
  `${CARDS}/${accountId}/${part}.jpg`

/** Path of the link preview of a review, with the work's cover and the score. */
export const reviewCardPath = (kind: WorkKind, workId: number, id: number) =>
  `${CARDS}${entryPath(kind, workId)}/${id}.jpg`

/** Serves the link previews of profiles and reviews. They show covers that guests see, graded ones blurred. */
export async function cardRoutes(
  app: FastifyInstance,
  { db, throttle, requestsPerMinute, pictures }: PictureRoutesOptions,
) {
  const cards = new LRUCache<string, Buffer>({ max: MAX_CARDS })
  const jobs = new JobQueue(1, 16, tooMany)

  /** Lists the works of a part of a profile; undefined if the part is not published. */
  async function listWorks(
    { account_id: id, ...profile }: PublishedProfile,
    part: string,
  ): Promise<{ kind: WorkKind; work_id: number }[] | undefined> {
    const page = { page: 1, pageSize: MAX_WORKS }
    if (part === 'list.jpg' && profile.shows_list) {
      const all = { status: undefined, kind: undefined, title: undefined }
      return listLibrary(db, id, all, { order: 'recent', isReversed: false }, page, 'everyone')
    }
    if (part !== 'reviews.jpg' || !profile.shows_reviews) return undefined
    const { reviews } = await listUserReviews(db, id, { seesNsfw: false, spoilers: true, page })
    return reviews
  }

  async function listCovers(works: readonly { kind: WorkKind; work_id: number }[]) {
    const found = await Promise.all(
      works.map(({ kind, work_id: id }) => findPicture(db, kind, id, 0)),
    )
    return found
      .flatMap((picture) =>
        picture && !picture.nsfw && !picture.is_hidden
          ? { url: picture.media.url, blurred: isGraded(picture.media) }
          : [],
      )
      .slice(0, MAX_CARD_COVERS)
  }

  /** Draws a card, which is cached unless a cover is missing. */
  async function draw(
    key: string,
    service: PictureService,
    covers: readonly CardCover[],
    score: number | null,
  ) {
    const known = cards.get(key)
    if (known) return known
    const found = await Promise.allSettled(covers.map((cover) => readPicture(service, cover)))
    const read = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const failed = found.find((result) => result.status === 'rejected')
    if (read.length === 0 && failed) throw failed.reason
    const card = await composeCard(read, score)
    if (!failed) cards.set(key, card)
    return card
  }

  const ROUTE = {
    config: { access: 'public' },
    schema: { hide: true },
    async onRequest({ ip }: FastifyRequest) {
      const window = await throttle(addressKey(ip), requestsPerMinute)
      if (window.exceeded) throw rateLimited(window)
    },
  } as const

  app.get<{ Params: { id: string; part: string } }>(
    `${CARDS}/:id/:part`,
    ROUTE,
    async (request, reply) => {
      const { id, part } = request.params
      const profile = /^\d+$/.test(id) ? await findPublishedProfile(db, id) : undefined
      const works = profile && (await listWorks(profile, part))
      if (!works) throw notFound()
      if (!profile.may_be_found) void reply.header('x-robots-tag', 'noindex')
      return sendCard(request, reply, works)
    },
  )

  for (const kind of WORK_KINDS)
    app.get<{ Params: { id: string; file: string } }>(
      `${CARDS}/${KINDS[kind].path}/:id/:file`,
      ROUTE,
      async (request, reply) => {
        const { id, file } = request.params
        const [, review = ''] = /^(\d+)\.jpg$/.exec(file) ?? []
        if (!isId(id) || !isId(review)) throw notFound()
        const found = await findReview(db, kind, Number(id), Number(review))
        if (!found || found.nsfw) throw notFound()
        return sendCard(request, reply, [{ kind, work_id: Number(id) }], found.rate)
      },
    )

  /** Sends a card, or the general link preview if no cover may be shown. */
  async function sendCard(
    request: FastifyRequest,
    reply: FastifyReply,
    works: readonly { kind: WorkKind; work_id: number }[],
    score: number | null = null,
  ) {
    if (!pictures) throw notFound()
    const covers = await listCovers(works)
    if (covers.length === 0 && app.site?.logo) throw notFound()
    if (covers.length === 0)
      return reply.header('cache-control', 'no-store').redirect('/assets/share.png', 302)
    const key = [score, ...covers.map(({ url, blurred }) => `${versionOf(url)} ${blurred}`)].join()
    const card =
      cards.get(key) ?? (await jobs.run(() => draw(key, pictures, covers, score)).catch(refuse))
    const etag = etagOf(card)
    void reply.headers({
      'content-type': 'image/jpeg',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': CACHE_CONTROL,
      'x-request-id': request.id,
      etag,
    })
    const known = request.headers['if-none-match']
    return known !== undefined && matchesEtag(known, etag)
      ? reply.status(304).send()
      : reply.send(card)
  }
}

type CardCover = { url: string; blurred: boolean }

async function readPicture(pictures: PictureService, { url, blurred }: CardCover) {
  const picture = await pictures.find(url, { width: 640, format: 'jpg', blurred })
  if (Buffer.isBuffer(picture)) return picture
  try {
    return await picture.file.readFile()
  } finally {
    await picture.file.close()
  }
}

function refuse(error: unknown): never {
  if (error instanceof PictureError || error instanceof PicturesBusyError) throw unavailable(error)
  throw error
}
