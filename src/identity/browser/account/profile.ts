import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lockAccount } from '../../../accounts/ban-queries.ts'
import { isRestored } from '../../../accounts/form-drafts.ts'
import {
  checkBio,
  checkName,
  checkNickname,
  checkPicture,
} from '../../../accounts/profile/profile-rules.ts'
import { findAccount, updateProfile, type Account } from '../../../accounts/queries.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import {
  changedFields,
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../../ui/forms/form-state.ts'
import type { Messages } from '../../../ui/messages.ts'
import { profileView, type ProfileData } from '../../views/account/profile.ts'
import {
  ACCOUNT_PAGE,
  DRAFT_ACCOUNT_PAGE,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

/** `/account/profile`: edits the public profile. */
export async function profilePageRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/profile', ACCOUNT_PAGE, async (request, reply) => {
    const stored = storedProfile(ownerOf(request).account)
    const data = { entered: enteredOf(stored), errors: {}, loaded: loadedField(stored) }
    return show(request, reply, data)
  })

  app.post('/account/profile', DRAFT_ACCOUNT_PAGE, async (request, reply) => {
    const entered = {
      name: fieldOf(request, 'name'),
      nickname: fieldOf(request, 'nickname'),
      picture: fieldOf(request, 'picture'),
      bio: fieldOf(request, 'bio'),
    }
    const loaded = sentLoadedField(request)
    if (isRestored(request)) return show(request, reply, { entered, errors: {}, loaded })
    const { messages } = request.page
    const name = checkName(entered.name)
    const nickname = checkNickname(entered.nickname)
    const picture = checkPicture(entered.picture)
    const bio = checkBio(entered.bio)
    if (name.fault || nickname.fault || picture.fault || bio.fault) {
      const faults = [name, nickname, picture, bio].flatMap(({ fault }) => fault ?? [])
      const { accountFaults: texts } = messages
      const errors = Object.fromEntries(faults.map(({ field, code }) => [field, texts[code]]))
      return show(request, reply, { entered, errors, loaded, status: 422 })
    }
    const sent = {
      name: name.value,
      nickname: nickname.value,
      picture: picture.value,
      bio: bio.value,
    }
    const { id } = ownerOf(request).account
    try {
      await inTransaction(db, async (trx) => {
        await lockAccount(trx, id)
        const account = await findAccount(trx, id)
        if (!account) return
        const stored = storedProfile(account)
        const { picture: pictureUrl, ...changes } = changedFields(request, sent, stored)
        // An empty URL removes a linked picture, but not an uploaded one.
        const changesPicture = pictureUrl !== undefined && pictureUrl !== stored.picture
        await updateProfile(trx, id, {
          ...stored,
          picture: account.picture,
          ...changes,
          ...(changesPicture && { picture: pictureUrl }),
        })
      })
    } catch (error) {
      if (!(error instanceof FormConflict)) throw error
      return show(request, reply, {
        entered: enteredOf(error.shown as StoredProfile), // as: these are the fields of the form
        errors: {},
        loaded: loadedField(error.stored),
        conflict: conflictNotice(messages, error, describeField(messages)),
        status: 409,
      })
    }
    return redirectWithAccountNotice(reply, '/account/profile', 'profile_saved')
  })

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, ...data }: Omit<ProfileData, 'picture'> & { status?: number },
  ) {
    const { picture } = ownerOf(request).account
    return sendAccountPage(request, reply, profileView(request.page, { ...data, picture }), status)
  }
}

type StoredProfile = Pick<Account, 'name' | 'nickname' | 'picture' | 'bio'>

/** Values that the form edits. An uploaded picture has its own form. */
const storedProfile = ({ name, nickname, picture, bio }: Account): StoredProfile => ({
  name,
  nickname,
  picture: isUploaded(picture) ? null : picture,
  bio,
})

const enteredOf = ({ name, nickname, picture, bio }: StoredProfile) => ({
  name,
  nickname: nickname ?? '',
  picture: picture ?? '',
  bio,
})

const describeField =
  ({ accountProfile: texts }: Messages) =>
  (name: string, value: unknown) => ({
    // as: this is a field of the form
    label: texts[name as keyof StoredProfile],
    value: typeof value === 'string' ? value : '',
  })

const isUploaded = (picture: string | null) => picture?.startsWith('/') === true
