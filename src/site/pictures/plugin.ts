import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { BucketOptions } from '../../storage/bucket-client.ts'
import { Bucket } from '../../storage/bucket.ts'
import { SharedCache } from '../../storage/shared-cache.ts'
import { isPicture } from '../../uploads/load-sharp.ts'
import { cardRoutes } from './cards/card-routes.ts'
import { PictureMirrors } from './picture-mirrors.ts'
import { PictureService, type PicturesOptions } from './picture-service.ts'
import { signedPictureRoutes } from './signed-routes.ts'
import { pictureRoutes, type PictureRoutesOptions } from './routes.ts'

type Options = Omit<PictureRoutesOptions, 'pictures' | 'requestsPerMinute'> & {
  config: Config
  onPicture?: PicturesOptions['onOutcome']
  /** Called after each request to the bucket. */
  onBucket?: BucketOptions['onRequest']
}

/** Limits of one short attempt, because a request is waiting for it. */
const BUCKET_LIMITS = { maxAttempts: 1, timeoutMs: 5_000 }

/** Serves the sources' pictures from this service. */
export async function servePictures(
  app: FastifyInstance,
  { config, log, onPicture, onBucket, ...options }: Options,
) {
  const {
    bucket,
    images,
    imageCacheBytes,
    imageOrigins,
    pictureMirrors,
    imageRequestsPerMinute,
    dataDir,
  } = config
  const pictures =
    images === 'on'
      ? new PictureService({
          folder: join(dataDir, 'images'),
          maxBytes: imageCacheBytes,
          fetch: { origins: imageOrigins, mirrors: new PictureMirrors(pictureMirrors) },
          shared: bucket?.contents.includes('pictures')
            ? new SharedCache(new Bucket(bucket, { limits: BUCKET_LIMITS, onRequest: onBucket }), {
                folder: 'pictures/',
                isValid: isPicture,
                onFailure: (err) =>
                  log.warn({ err }, 'Cannot use the bucket; pictures are fetched without it'),
              })
            : undefined,
          onOutcome: onPicture,
          onFailure: (err, url) => log.warn({ err, url }, 'Cannot fetch or encode a picture'),
        })
      : undefined
  const routes = { ...options, log, pictures, requestsPerMinute: imageRequestsPerMinute }
  await app.register(pictureRoutes, routes)
  await app.register(signedPictureRoutes, routes)
  await app.register(cardRoutes, routes)
}
