import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import type { Signals } from '../../db/upkeep/signals.ts'
import { addressKey, type Throttle } from '../../http/admission/throttle.ts'
import { resetSeconds } from '../../http/wire/errors/rate-limit.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { ReadThroughCache } from '../../kernel/async/read-through-cache.ts'
import { parsePicturePath, versionOf, type PicturePath } from './picture-path.ts'
import { PictureError, PicturesBusyError } from './picture-errors.ts'
import { fallbackPicture } from './fallback-picture.ts'
import type { PictureService } from './picture-service.ts'
import { isGraded } from './picture.ts'
import { findPicture, type FoundPicture } from './queries.ts'
import { IMMUTABLE } from '../../http/wire/errors/headers.ts'

export type PictureRoutesOptions = {
  db: Database
  /** Undefined with `IMAGES=off`. */
  pictures: PictureService | undefined
  throttle: Throttle
  requestsPerMinute: number
  signals: Signals
  log: Logger
}

type Route = { Params: { kind: string; id: string; file: string }; Querystring: { v?: unknown } }

const TYPES = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' } as const

/** A picture must not run scripts or load anything. */
const PICTURE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** `Cache-Control` of an unversioned URL, whose picture may change with the catalog. */
const UNVERSIONED_CACHE_CONTROL = 'public, max-age=300'
/** Restricted pictures are revalidated on every use, because the session may have changed. */
const PRIVATE_CACHE_CONTROL = 'private, no-cache'

/** Maximum number of cached rows, and their lifetime in milliseconds. */
const CACHE_LIMITS = { max: 5_000, ttl: 60_000 }

/** Serves `/images/{kind}/{id}/{n}-{width}.{format}`: the sources' pictures. */
export async function pictureRoutes(app: FastifyInstance, options: PictureRoutesOptions) {
  const { db, throttle, requestsPerMinute, signals, pictures, log } = options
  const found = new ReadThroughCache<FoundPicture | 'none'>(CACHE_LIMITS)
  signals.on('catalog', () => found.clear())
  signals.on('takedowns', () => found.clear())

  const find = async ({ kind, id, index }: PicturePath): Promise<FoundPicture> => {
    const key = `${kind}/${id}/${index}`
    const known = await found.get(
      key,
      async () => (await findPicture(db, kind, id, index)) ?? 'none',
    )
    if (known === 'none') throw notFound()
    return known
  }

  /** Whether lists show the cover of an adult work, blurred. */
  const isListedCover = ({ kind, index }: PicturePath) =>
    app.site?.adultWorks === 'blurred' && index === 0 && WORK_KINDS.some((name) => name === kind)

  app.get<Route>(
    '/images/:kind/:id/:file',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const { kind, id, file } = request.params
      const path = parsePicturePath(kind, id, file)
      if (!path) throw notFound()
      void reply.headers({ ...PICTURE_HEADERS, 'x-request-id': request.id })
      const window = await throttle(addressKey(request.ip), requestsPerMinute)
      if (window.exceeded) return sendFallback(reply, path, '', 429, resetSeconds(window))

      const { media, title, nsfw, is_hidden: isHidden } = await find(path)
      const graded = isGraded(media)
      const isForAll = nsfw ? path.blurred && isListedCover(path) : !graded || path.blurred
      const mayBePlain = isForAll || (await app.site?.resolveViewer(request))?.nsfw === true
      if (nsfw && !mayBePlain) throw notFound()
      if (isHidden || !pictures) return sendFallback(reply, path, title, 404)

      const variant = { ...path, ...(!mayBePlain && { blurred: true, width: 160 as const }) }
      const isVersion = request.query.v === versionOf(media.url)
      try {
        const picture = await pictures.find(media.url, variant)
        void reply.headers({
          'cache-control': isForAll
            ? isVersion && !nsfw
              ? IMMUTABLE
              : UNVERSIONED_CACHE_CONTROL
            : PRIVATE_CACHE_CONTROL,
          ...(!isForAll && { vary: 'Cookie' }),
          'content-type': TYPES[path.format],
        })
        if (Buffer.isBuffer(picture)) return await reply.send(picture)
        void reply.header('content-length', picture.bytes)
        return await reply.send(picture.file.createReadStream())
      } catch (error) {
        if (error instanceof PicturesBusyError) return sendFallback(reply, path, title, 503, 5)
        if (error instanceof PictureError) return sendFallback(reply, path, title, 502, 60)
        log.error({ err: error, request_id: request.id }, 'Cannot send a picture')
        return sendFallback(reply, path, title, 503, 60)
      }
    },
  )
}

/** @param seconds time after which a retry is useful */
function sendFallback(
  reply: FastifyReply,
  { kind, id }: PicturePath,
  title: string,
  status: number,
  seconds?: number,
) {
  if (seconds !== undefined) void reply.header('retry-after', seconds)
  return reply
    .status(status)
    .headers({ 'cache-control': 'no-store', 'content-type': 'image/svg+xml; charset=utf-8' })
    .send(fallbackPicture(kind, id, title))
}
