import type { FastifyInstance } from 'fastify'
import type { Database } from '../db/database.ts'
import { IMMUTABLE } from '../http/wire/errors/headers.ts'
import { notFound } from '../http/wire/errors/refusals.ts'
import { hashOfUploadFile } from './upload-path.ts'
import type { UploadBucket } from './upload-bucket.ts'
import { findUpload } from './upload-queries.ts'

type Route = { Params: { file: string } }

/** A picture must not run scripts or load anything. Other sites may embed it, as apps do with the claim `picture`. */
const HEADERS = {
  'content-type': 'image/webp',
  'cache-control': IMMUTABLE,
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** `GET /uploads/{hash}.webp`: uploaded pictures, as encoded by this service. */
export async function uploadRoutes(
  app: FastifyInstance,
  { db, uploadBucket }: { db: Database; uploadBucket: UploadBucket | undefined },
) {
  app.get<Route>(
    '/uploads/:file',
    { config: { access: 'page' }, schema: { hide: true } },
    async (request, reply) => {
      const hash = hashOfUploadFile(request.params.file)
      if (hash === undefined) throw notFound()
      const etag = `"${hash}"`
      void reply.headers({ 'x-request-id': request.id })
      // The name is a hash of the content, so a cached copy is always current.
      if (request.headers['if-none-match'] === etag)
        return reply.status(304).headers({ etag, 'cache-control': HEADERS['cache-control'] }).send()
      const bytes = await findUpload(db, hash, uploadBucket)
      if (!bytes) throw notFound()
      return reply.headers({ ...HEADERS, etag }).send(bytes)
    },
  )
}
