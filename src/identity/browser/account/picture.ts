import type { FastifyInstance } from 'fastify'
import { setPicture, uploadPicture } from '../../../accounts/profile/picture-queries.ts'
import { statusOfFault } from '../../../uploads/encode-upload.ts'
import { acceptUploadForms, readUpload } from '../../../uploads/read-upload.ts'
import { pictureView } from '../../views/account/picture.ts'
import {
  ACCOUNT_PAGE,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

const PATH = '/account/profile/picture'

/** `/account/profile/picture`: uploads or removes the user's picture. */
export async function accountPictureRoutes(
  app: FastifyInstance,
  { db, uploadBucket, ownerOf }: AccountOptions,
) {
  acceptUploadForms(app)

  app.get(PATH, ACCOUNT_PAGE, async (request, reply) =>
    sendAccountPage(request, reply, pictureView(request.page, ownerOf(request).account)),
  )

  app.post(PATH, ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const fault = await uploadPicture(db, account.id, readUpload(request), uploadBucket)
    if (fault === undefined)
      return redirectWithAccountNotice(reply, '/account/profile', 'profile_saved')
    const error = request.page.messages.uploadFaults[fault]
    return sendAccountPage(
      request,
      reply,
      pictureView(request.page, account, error),
      statusOfFault(fault),
    )
  })

  app.post(`${PATH}/remove`, ACCOUNT_PAGE, async (request, reply) => {
    await setPicture(db, ownerOf(request).account.id, null)
    return redirectWithAccountNotice(reply, '/account/profile', 'profile_saved')
  })
}
