import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  deletePasskey,
  listPasskeys,
  renamePasskey,
} from '../../../../accounts/credentials/passkey-list.ts'
import {
  finishRegistration,
  registrationOptions,
} from '../../../../accounts/credentials/passkeys.ts'
import { checkName } from '../../../../accounts/profile/profile-rules.ts'
import { PageError } from '../../../../ui/page/errors.ts'
import { fieldOf, jsonFieldOf, queryParameterOf } from '../../../../ui/forms/form-field.ts'
import {
  changedFields,
  conflictIn,
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../../../ui/forms/form-state.ts'
import {
  passkeysView,
  passkeyView,
  type PasskeyData,
  type PasskeyErrors,
} from '../../../views/account/security/passkeys.ts'
import { checkCurrentPassword } from './current-password.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from '../account-page.ts'

const PATH = '/account/security/passkeys'

/** Adds, renames and removes the account's passkeys. */
export async function passkeyRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, authUrl, wakeOutbox, ownerOf } = options

  app.get(PATH, ACCOUNT_PAGE, async (request, reply) => showAll(request, reply))

  /**
   * The page's script sends the whole form here before the browser creates a passkey. If the form is invalid (422,
   * 429), the script submits it unchanged, so that the page shows the errors.
   */
  app.post(`${PATH}/options`, ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const { refused, name } = await checkForm(request, reply)
    if (refused || name.fault) return reply.status(refused?.status ?? 422).send({})
    return reply
      .header('cache-control', 'no-store')
      .send(await registrationOptions(db, authUrl, account, request.page.siteName))
  })

  app.post(PATH, ACCOUNT_PAGE, async (request, reply) => {
    const { refused, name } = await checkForm(request, reply)
    const { messages } = request.page
    const { account, session } = ownerOf(request)
    if (refused || name.fault)
      return showAll(request, reply, refused?.status ?? 422, {
        ...(refused && { current_password: refused.error }),
        ...(name.fault && { name: messages.accountFaults.name_invalid }),
      })
    const credentialId = await finishRegistration(db, authUrl, account.id, {
      session: session.uid,
      response: jsonFieldOf(request, 'response'),
      name: name.value,
      ...changeContext(request),
    })
    if (credentialId === undefined)
      return showAll(request, reply, 422, { form: messages.accountPasskeys.failed })
    wakeOutbox()
    return redirectWithAccountNotice(reply, PATH, 'passkey_added')
  })

  app.get(`${PATH}/change`, ACCOUNT_PAGE, async (request, reply) =>
    showOne(request, reply, queryParameterOf(request, 'passkey')),
  )

  app.post(`${PATH}/rename`, ACCOUNT_PAGE, async (request, reply) => {
    const id = fieldOf(request, 'passkey')
    const entered = fieldOf(request, 'name')
    const { messages } = request.page
    const name = checkName(entered)
    if (name.fault) {
      const errors = { name: messages.accountFaults.name_invalid }
      const loaded = sentLoadedField(request)
      return showOne(request, reply, id, { entered, errors, loaded, status: 422 })
    }
    const nameOf = (stored: string) =>
      changedFields(request, { name: name.value }, { name: stored }).name ?? stored
    const renamed = await conflictIn(renamePasskey(db, ownerOf(request).account.id, id, nameOf))
    if (renamed instanceof FormConflict) {
      const label = messages.accountPasskeys.name
      const describe = (_name: string, value: unknown) => ({ label, value: String(value) })
      const conflict = conflictNotice(messages, renamed, describe)
      const loaded = loadedField(renamed.stored)
      return showOne(request, reply, id, { entered, loaded, conflict, status: 409 })
    }
    if (!renamed) throw goneError(request)
    return redirectWithAccountNotice(reply, PATH, 'passkey_renamed')
  })

  app.post(`${PATH}/remove`, ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const id = fieldOf(request, 'passkey')
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) {
      const errors = { current_password: refused.error }
      return showOne(request, reply, id, { errors, status: refused.status })
    }
    const outcome = await deletePasskey(db, account.id, id, changeContext(request))
    if (outcome === 'gone') throw goneError(request)
    if (outcome === 'last')
      throw new PageError(409, undefined, request.page.messages.accountProviders.last)
    wakeOutbox()
    return redirectWithAccountNotice(reply, PATH, 'passkey_removed')
  })

  async function checkForm(request: FastifyRequest, reply: FastifyReply) {
    const refused = await checkCurrentPassword(options, request, reply, ownerOf(request).account)
    return { refused, name: checkName(fieldOf(request, 'name')) }
  }

  async function showAll(
    request: FastifyRequest,
    reply: FastifyReply,
    status = 200,
    errors: PasskeyErrors = {},
  ) {
    const passkeys = await listPasskeys(db, ownerOf(request).account.id)
    const data = { passkeys, entered: fieldOf(request, 'name'), errors }
    return sendAccountPage(request, reply, passkeysView(request.page, data), status)
  }

  async function showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    { status = 200, ...data }: Partial<Omit<PasskeyData, 'passkey'>> & { status?: number } = {},
  ) {
    const passkeys = await listPasskeys(db, ownerOf(request).account.id)
    const passkey = passkeys.find(({ credential_id }) => credential_id === id)
    if (!passkey) throw goneError(request)
    const { name } = passkey
    const shown = { passkey, entered: name, errors: {}, loaded: loadedField({ name }), ...data }
    return sendAccountPage(request, reply, passkeyView(request.page, shown), status)
  }
}

const goneError = ({ page }: FastifyRequest) =>
  new PageError(404, undefined, page.messages.accountPasskeys.gone)
