import type { FastifyInstance } from 'fastify'
import { originOf } from '../audit/origin-of.ts'
import type { Database } from '../db/database.ts'
import { documentedRoute } from '../http/document/operation.ts'
import type { Fault } from '../http/wire/errors/fault.ts'
import { unavailable, validationError } from '../http/wire/errors/refusals.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'
import { Envelope, Ref } from '../http/wire/schemas.ts'
import type { UploadFault } from '../uploads/encode-upload.ts'
import type { UploadBucket } from '../uploads/upload-bucket.ts'
import { RAW_UPLOAD_TYPES, acceptRawUploads, readUpload } from '../uploads/read-upload.ts'
import { toAppResponse } from './app-response.ts'
import { uploadOwnLogo } from './logo-queries.ts'
import {
  type ClientIdParams,
  ONE_APP_OPERATION,
  ownerAndId,
  requestedApp,
} from './app-operations.ts'
import { DeveloperApp } from './schemas.ts'
import { DEVELOPER_APPS_PATH } from '../http/wire/addresses/path-families.ts'
import { MAX_UPLOADS_PER_ACCOUNT } from '../uploads/upload-queries.ts'
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_PIXELS, MAX_UPLOAD_SIDE } from '../uploads/encode-upload.ts'
import { MEBIBYTE } from '../kernel/mebibyte.ts'

/** Errors of the API for rejected pictures. */
const FAULTS: Record<Exclude<UploadFault, 'picture_busy' | 'picture_unavailable'>, Fault> = {
  picture_missing: { code: 'picture.missing' },
  picture_too_large: { code: 'picture.too_large', params: { mib: MAX_UPLOAD_BYTES / MEBIBYTE } },
  picture_unreadable: { code: 'picture.unreadable' },
  picture_is_drawing: { code: 'picture.drawing' },
  picture_too_many_pixels: {
    code: 'picture.too_many_pixels',
    params: { megapixels: MAX_UPLOAD_PIXELS / 1_000_000 },
  },
  picture_too_many_frames: { code: 'picture.too_many_frames' },
  picture_too_many: { code: 'picture.too_many', params: { max: MAX_UPLOADS_PER_ACCOUNT } },
}

/** `PUT …/logo`: the request body is the picture. A PATCH of `logo` removes it. */
export async function logoRoutes(
  app: FastifyInstance,
  {
    db,
    baseUrl,
    uploadBucket,
  }: { db: Database; baseUrl: string; uploadBucket: UploadBucket | undefined },
) {
  acceptRawUploads(app)
  app.put<ClientIdParams>(
    `${DEVELOPER_APPS_PATH}/:client_id/logo`,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'uploadDeveloperAppLogo',
      summary: `Upload the logo of an app, which is stored as a square of at most ${MAX_UPLOAD_SIDE} pixels`,
      description: 'To remove it, PATCH `logo` with null.',
      body: {
        content: Object.fromEntries(
          RAW_UPLOAD_TYPES.map((type) => [type, { schema: { description: 'The picture' } }]),
        ),
      },
      success: { 200: Envelope(Ref(DeveloperApp)) },
      faults: { badPicture: validationError([{ field: 'logo', ...FAULTS.picture_unreadable }]) },
    }),
    async (request, reply) => {
      // Checked before the picture is encoded, which is expensive.
      await requestedApp(db, request)
      const outcome = await uploadOwnLogo(
        db,
        ...ownerAndId(request),
        readUpload(request),
        originOf(request),
        uploadBucket,
      )
      if (!('fault' in outcome))
        return sendEnvelope(request, reply, toAppResponse(outcome.app, baseUrl))
      const { fault } = outcome
      throw fault === 'picture_busy' || fault === 'picture_unavailable'
        ? unavailable()
        : validationError([{ field: 'logo', ...FAULTS[fault] }])
    },
  )
}
