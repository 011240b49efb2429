import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  createPersonalToken,
  listPersonalTokens,
  MAX_PERSONAL_TOKENS,
  revokePersonalTokens,
  tokenGeneration,
} from '../../../accounts/personal-tokens/queries.ts'
import { checkName } from '../../../accounts/profile/profile-rules.ts'
import { PERSONAL_TOKEN_SCOPES } from '../../../apps/rules/scopes.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { isId } from '../../../http/wire/requests/validation.ts'
import { fieldOf, submittedGeneration } from '../../../ui/forms/form-field.ts'
import { newTokenView, tokensView, type TokenErrors } from '../../views/account/tokens.ts'
import { scopeFieldName } from '../../views/consent-scopes.ts'
import { checkCurrentPassword } from './security/current-password.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

const PATH = '/account/tokens'

/** Lifetimes that users can choose, in days. `0` means that the token does not expire. */
const LIFETIMES = [30, 90, 365, 0]

/** Returns the lifetimes within the operator's maximum, or only the maximum if all of them are longer. */
function lifetimesWithin(maxDays: number | undefined): number[] {
  if (maxDays === undefined) return LIFETIMES
  const allowed = LIFETIMES.filter((days) => days > 0 && days <= maxDays)
  return allowed.length > 0 ? allowed : [maxDays]
}

/** `/account/tokens`: lists personal access tokens, creates and revokes them. */
export async function tokenRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, apiUrl, personalTokenDays, wakeOutbox, ownerOf } = options
  const lifetimes = lifetimesWithin(personalTokenDays)

  app.get(PATH, ACCOUNT_PAGE, async (request, reply) => show(request, reply))

  app.post(PATH, ACCOUNT_PAGE, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const { messages } = request.page
    const refused = await checkCurrentPassword(options, request, reply, account)
    const name = checkName(fieldOf(request, 'name'))
    const scopes = tickedScopesOf(request)
    const days = lifetimes.find((choice) => String(choice) === fieldOf(request, 'days'))
    const errors: TokenErrors = {
      ...(name.fault && { name: messages.accountFaults.name_invalid }),
      ...(scopes.length === 0 && { scopes: messages.accountTokens.scopesMissing }),
      ...(days === undefined && { days: messages.accountTokens.lifetimeInvalid }),
      ...(refused && { current_password: refused.error }),
    }
    if (name.fault || days === undefined || Object.keys(errors).length > 0)
      return show(request, reply, refused?.status ?? 422, errors)
    const settings = {
      name: name.value,
      scopes,
      days: days || undefined,
      generation: submittedGeneration(request),
      session: session.uid,
    }
    const created = await createPersonalToken(db, account.id, settings, changeContext(request))
    if ('fault' in created) {
      const { full, createdBefore } = messages.accountTokens
      const form = created.fault === 'full' ? full({ limit: MAX_PERSONAL_TOKENS }) : createdBefore
      return show(request, reply, 409, { form })
    }
    wakeOutbox()
    const { token } = created
    return sendAccountPage(request, reply, newTokenView(request.page, { token, scopes, apiUrl }))
  })

  app.post(`${PATH}/revoke`, ACCOUNT_PAGE, async (request, reply) => {
    const id = fieldOf(request, 'token')
    const { account } = ownerOf(request)
    const revoked = isId(id)
      ? await revokePersonalTokens(db, account.id, Number(id), originOf(request))
      : []
    if (revoked.length === 0) return reply.redirect(PATH, 303)
    return redirectWithAccountNotice(reply, PATH, 'token_revoked')
  })

  app.post(`${PATH}/revoke-all`, ACCOUNT_PAGE, async (request, reply) => {
    await revokePersonalTokens(db, ownerOf(request).account.id, 'all', originOf(request))
    return redirectWithAccountNotice(reply, PATH, 'tokens_revoked')
  })

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    status = 200,
    errors: TokenErrors = {},
  ) {
    const { id } = ownerOf(request).account
    const [tokens, generation] = await Promise.all([
      listPersonalTokens(db, id),
      tokenGeneration(db, id),
    ])
    const entered = {
      name: fieldOf(request, 'name'),
      scopes: tickedScopesOf(request),
      days: fieldOf(request, 'days'),
    }
    const data = { tokens, generation, lifetimes, entered, errors }
    return sendAccountPage(request, reply, tokensView(request.page, data), status)
  }
}

const tickedScopesOf = (request: FastifyRequest) =>
  PERSONAL_TOKEN_SCOPES.filter((scope) => fieldOf(request, scopeFieldName(scope)) === 'yes')
