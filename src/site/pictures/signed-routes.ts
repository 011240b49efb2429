import type { FastifyInstance, FastifyReply } from 'fastify'
import { addressKey } from '../../http/admission/throttle.ts'
import { API_HEADERS } from '../../http/wire/errors/headers.ts'
import { notFound, rateLimited, unavailable } from '../../http/wire/errors/refusals.ts'
import { ReadThroughCache } from '../../kernel/async/read-through-cache.ts'
import { detectPictureType } from '../../uploads/load-sharp.ts'
import { PictureError, PicturesBusyError } from './picture-errors.ts'
import type { StoredPicture } from './picture-store.ts'
import { isPictureHidden } from './queries.ts'
import type { PictureRoutesOptions } from './routes.ts'

/** Other origins may show and read the picture; it cannot run or load anything. */
const HEADERS = {
  ...API_HEADERS,
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
}
/** One week. The URL always names the same picture, but a moderator may hide it. */
const CACHE_CONTROL = 'public, max-age=604800'
const CACHE_LIMITS = { max: 5_000, ttl: 60_000 }

/** Serves `/pictures/{signature}/…`: original pictures with signed URLs from API responses. */
export async function signedPictureRoutes(app: FastifyInstance, options: PictureRoutesOptions) {
  const { db, throttle, requestsPerMinute, signals, pictures } = options
  const hidden = new ReadThroughCache<boolean>(CACHE_LIMITS)
  signals.on('takedowns', () => hidden.clear())

  app.get(
    '/pictures/*',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const url = app.pictureUrls?.read(request.url)
      if (url === undefined) throw notFound()
      const window = await throttle(addressKey(request.ip), requestsPerMinute)
      if (window.exceeded) throw rateLimited(window)
      const isHidden = await hidden.get(url, () => isPictureHidden(db, url))
      if (isHidden || !pictures) throw notFound()
      void reply.headers({ ...HEADERS, 'x-request-id': request.id })
      try {
        const found = await pictures.findOriginal(url)
        void reply.header('cache-control', CACHE_CONTROL)
        return await sendPicture(reply, found)
      } catch (error) {
        if (error instanceof PicturesBusyError) throw unavailable(error)
        if (!(error instanceof PictureError)) throw error
        // The client may reach the source where this service does not.
        return reply.header('cache-control', 'no-store').redirect(url, 302)
      }
    },
  )
}

async function sendPicture(reply: FastifyReply, picture: Buffer | StoredPicture) {
  if (Buffer.isBuffer(picture)) return reply.type(detectPictureType(picture) ?? '').send(picture)
  const start = Buffer.alloc(16)
  await picture.file.read(start, 0, start.length, 0)
  return reply
    .type(detectPictureType(start) ?? '')
    .header('content-length', picture.bytes)
    .send(picture.file.createReadStream({ start: 0 }))
}
