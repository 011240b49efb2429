import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/config.ts'
import { PictureMirrors } from './picture-mirrors.ts'
import { PictureService, type PicturesOptions } from './picture-service.ts'
import { signedPictureRoutes } from './signed-routes.ts'
import { pictureRoutes, type PictureRoutesOptions } from './routes.ts'

type Options = Omit<PictureRoutesOptions, 'pictures' | 'requestsPerMinute'> & {
  config: Config
  onPicture?: PicturesOptions['onOutcome']
}

/** Serves the sources' pictures from this service. */
export async function servePictures(
  app: FastifyInstance,
  { config, log, onPicture, ...options }: Options,
) {
  const { images, imageCacheBytes, imageOrigins, pictureMirrors, imageRequestsPerMinute, dataDir } =
    config
  const pictures =
    images === 'on'
      ? new PictureService({
          folder: join(dataDir, 'images'),
          maxBytes: imageCacheBytes,
          fetch: { origins: imageOrigins, mirrors: new PictureMirrors(pictureMirrors) },
          onOutcome: onPicture,
          onFailure: (err, url) => log.warn({ err, url }, 'Cannot fetch or encode a picture'),
        })
      : undefined
  const routes = { ...options, log, pictures, requestsPerMinute: imageRequestsPerMinute }
  await app.register(pictureRoutes, routes)
  await app.register(signedPictureRoutes, routes)
}
