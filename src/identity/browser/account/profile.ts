import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkBio, checkName, checkNickname, checkPicture } from '../../../accounts/profile/profile-rules.ts'
import { updateProfile } from '../../../accounts/queries.ts'
import { fieldOf } from '../../../pages/form-field.ts'
import { profileView } from '../../views/account/profile.ts'
import { redirectWithNotice } from './notices.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account/profile`: what others see. */
export async function profilePageRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/profile', GUARDED, async (request, reply) => {
    const { name, nickname, picture, bio } = ownerOf(request).account
    const address = isUploaded(picture) ? '' : (picture ?? '')
    return show(request, reply, { name, nickname: nickname ?? '', picture: address, bio }, {})
  })

  app.post('/account/profile', GUARDED, async (request, reply) => {
    const entered = {
      name: fieldOf(request, 'name'),
      nickname: fieldOf(request, 'nickname'),
      picture: fieldOf(request, 'picture'),
      bio: fieldOf(request, 'bio'),
    }
    const name = checkName(entered.name)
    const nickname = checkNickname(entered.nickname)
    const picture = checkPicture(entered.picture)
    const bio = checkBio(entered.bio)
    if (name.fault || nickname.fault || picture.fault || bio.fault) {
      const faults = [name, nickname, picture, bio].flatMap(({ fault }) => fault ?? [])
      const words = request.page.messages.accountFaults
      const errors = Object.fromEntries(faults.map(({ field, code }) => [field, words[code]]))
      return show(request, reply, entered, errors, 422)
    }
    const { id, picture: before } = ownerOf(request).account
    await updateProfile(db, id, {
      name: name.value,
      nickname: nickname.value,
      // An empty address takes away an address, and no picture that was uploaded.
      ...((picture.value !== null || !isUploaded(before)) && { picture: picture.value }),
      bio: bio.value,
    })
    return redirectWithNotice(reply, '/account/profile', 'profile_saved')
  })

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    entered: { name: string; nickname: string; picture: string; bio: string },
    errors: Record<string, string>,
    status = 200,
  ) {
    const { picture } = ownerOf(request).account
    return sendAccountPage(request, reply, profileView(request.page, { entered, picture, errors }), {
      status,
    })
  }
}

const isUploaded = (picture: string | null) => picture?.startsWith('/') === true
