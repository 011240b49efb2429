import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction, InteractionResults } from 'oidc-provider'
import { USER_SCOPES, withImplied } from '../../apps/scopes.ts'
import { recordEvent } from '../../audit/events.ts'
import { isForeignKeyViolation } from '../../db/constraint-errors.ts'
import { PageError } from '../../pages/errors.ts'
import { fieldOf, parameterOf } from '../../pages/form-field.ts'
import { keepLanguage } from '../../pages/page-context.ts'
import { sendPage } from '../../pages/send-page.ts'
import { isAddressOfThisMachine } from '../../apps/redirect-uris.ts'
import { giveConsent } from '../provider/consent.ts'
import { errors } from '../provider/oidc-provider.ts'
import { findConsent } from '../provider/queries.ts'
import { requestedScopes, requestParameter } from '../provider/request-parameter.ts'
import { signedInFor } from '../provider/session-queries.ts'
import { chooseAccountView } from '../views/choose-account.ts'
import { consentView } from '../views/consent.ts'
import type { BrowserSession } from './browser-session.ts'
import { withInteraction } from './interaction-id.ts'
import type { BrowserOptions } from './options.ts'

type Params = { Params: { uid: string } }
type Request = FastifyRequest<Params>

/** Where the provider sends somebody whom an app's request waits for: to sign in, to choose an account, to consent. */
export async function interactionRoutes(app: FastifyInstance, { db, identity, sessions }: BrowserOptions) {
  const common = { config: { access: 'public' }, schema: { hide: true } } as const

  app.get<Params>('/interaction/:uid', common, async (request, reply) => {
    const interaction = await find(request, reply)
    if (parameterOf(request, 'ui_locales') !== '') keepLanguage(request, reply)
    const { name, reasons } = interaction.prompt
    const current = await sessions.current(request)
    if (name === 'consent') {
      if (!current) return signIn(interaction, reply)
      return askForConsent(request, reply, interaction, current)
    }
    if (!current) return signIn(interaction, reply)
    // What only wanted to know who is there is answered by a sign-in of meanwhile.
    const answered = name === 'login' && reasons.every((reason) => reason === 'no_session')
    if (answered || (await signedInFor(db, current.uid, interaction.uid)))
      return finish(request, reply, {
        ...login(current),
        ...(name === 'select_account' && { select_account: {} }),
      })
    if (name === 'select_account') return chooseAccount(request, reply, interaction, current)
    return signIn(interaction, reply)
  })

  app.post<Params>('/interaction/:uid', common, async (request, reply) => {
    const interaction = await find(request, reply)
    if (fieldOf(request, 'decision') === 'deny') {
      return finish(request, reply, {
        error: 'access_denied',
        error_description: 'the user refused',
      })
    }
    const current = await sessions.current(request)
    if (!current) return signIn(interaction, reply)
    // To whoever saw the page: another may have signed in meanwhile, and is shown it next.
    const isTheirs = fieldOf(request, 'account') === String(current.accountId)
    if (interaction.prompt.name === 'consent' && fieldOf(request, 'decision') === 'allow' && isTheirs)
      return consent(request, reply, interaction, current)
    if (interaction.prompt.name === 'select_account' && fieldOf(request, 'choice') === 'continue')
      // No sign-in: with prompt=login the password is asked for next.
      return finish(request, reply, { select_account: {} })
    if (fieldOf(request, 'choice') === 'other') return signIn(interaction, reply)
    return reply.redirect(`/interaction/${interaction.uid}`, 303)
  })

  /** The interaction that this browser began: the cookie must name it too. */
  async function find(request: Request, reply: FastifyReply): Promise<Interaction> {
    identity.prepareRequest(request.raw)
    const interaction = await identity
      .provider()
      .interactionDetails(request.raw, reply.raw)
      .catch(() => undefined)
    if (interaction?.uid !== request.params.uid)
      throw new PageError(400, undefined, request.page.messages.error.expired)
    await clientOf(interaction, request.page)
    return interaction
  }

  const signIn = ({ uid }: Interaction, reply: FastifyReply) =>
    reply.redirect(withInteraction('/sign-in', uid), 303)

  /** Hands the outcome to the provider, which goes on with the request of the app. */
  async function finish(request: Request, reply: FastifyReply, result: InteractionResults) {
    const returnTo = await identity
      .provider()
      .interactionResult(request.raw, reply.raw, result)
      .catch((error: unknown) => {
        // It was answered meanwhile, in another tab or by a second press of the button.
        if (!(error instanceof errors.SessionNotFound)) throw error
        throw new PageError(400, undefined, request.page.messages.error.expired)
      })
    return reply.redirect(returnTo, 303)
  }

  async function clientOf({ params }: Interaction, { messages }: Request['page']) {
    const client = await identity.provider().Client.find(requestParameter(params, 'client_id'))
    if (!client) throw new PageError(400, undefined, messages.error.unknownApp)
    // Missing: a device asks. The provider compared the address when the request began, which may be an hour ago.
    const { redirect_uri: redirectUri } = params
    if (typeof redirectUri === 'string' && !client.redirectUriAllowed(redirectUri))
      throw new PageError(400, undefined, messages.error.invalidRedirectUri)
    return client
  }

  async function accountOf({ accountId }: BrowserSession) {
    const claims = await identity.claimsOf(String(accountId))
    return { id: accountId, name: claims?.name ?? '', email: claims?.email ?? '' }
  }

  async function chooseAccount(
    request: Request,
    reply: FastifyReply,
    interaction: Interaction,
    current: BrowserSession,
  ) {
    const { messages, csrfField } = request.page
    const client = await clientOf(interaction, request.page)
    return sendPage(
      request,
      reply,
      chooseAccountView({
        messages,
        csrf: csrfField(),
        action: `/interaction/${interaction.uid}`,
        account: await accountOf(current),
        appName: client.clientName ?? client.clientId,
        cancelAction: `/interaction/${interaction.uid}`,
      }),
    )
  }

  async function askForConsent(
    request: Request,
    reply: FastifyReply,
    interaction: Interaction,
    current: BrowserSession,
  ) {
    const { messages, csrfField } = request.page
    const client = await clientOf(interaction, request.page)
    const asked = requestedScopes(interaction.params)
    const already = (await findConsent(db, current.accountId, client.clientId)) ?? []
    const implied = withImplied(asked)
    const redirectUri = requestParameter(interaction.params, 'redirect_uri')
    return sendPage(
      request,
      reply,
      consentView({
        messages,
        csrf: csrfField(),
        action: `/interaction/${interaction.uid}`,
        app: {
          name: client.clientName ?? client.clientId,
          uri: client.clientUri ?? null,
          redirectHost: hostOf(redirectUri),
          isPublic: client.clientAuthMethod === 'none' && isAddressOfThisMachine(redirectUri),
        },
        account: await accountOf(current),
        asked: asked.filter((scope) => scope !== 'offline_access'),
        already: asked.filter((scope) => already.includes(scope)),
        notAllowed: ['email', ...Object.keys(USER_SCOPES)].filter((scope) => !implied.has(scope)),
        offline: asked.includes('offline_access'),
      }),
    )
  }

  async function consent(
    request: Request,
    reply: FastifyReply,
    interaction: Interaction,
    current: BrowserSession,
  ) {
    const client = await clientOf(interaction, request.page)
    const scopes = requestedScopes(interaction.params)
    // as: what the provider's own check of claims has found missing
    const { missingOIDCClaims: claims = [] } = interaction.prompt.details as { missingOIDCClaims?: string[] }
    const grantId = await giveConsent(db, identity.provider(), {
      audience: identity.audience,
      accountId: String(current.accountId),
      clientId: client.clientId,
      grantId: interaction.grantId,
      scopes,
      claims,
    }).catch((error: unknown) => {
      // The consent, the app or the account went away at this very moment.
      if (!isForeignKeyViolation(error)) throw error
      throw new PageError(400, undefined, request.page.messages.error.expired)
    })
    await recordEvent(db, {
      kind: 'consent_given',
      accountId: current.accountId,
      clientId: client.clientId,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      details: { scopes },
    })
    return finish(request, reply, { consent: { grantId } })
  }
}

const login = ({ accountId, at, methods }: BrowserSession): InteractionResults => ({
  login: { accountId: String(accountId), ts: at, amr: methods },
})

/** What of an address tells where it leads: the host, or the scheme of a program. */
function hostOf(uri: string) {
  const url = URL.parse(uri)
  if (!url) return ''
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol
}
