import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { connectIdentity, useIdentity } from '../../../accounts/credentials/upstream-identities.ts'
import { SessionEndedError } from '../../../accounts/sign-in/lock-session.ts'
import {
  saveFlow,
  takeStartedFlow,
  type UpstreamFlow,
} from '../../../accounts/sign-in/upstream-flows.ts'
import { checkInvitation } from '../../../accounts/sign-up/admit-account.ts'
import { hashToken, newToken } from '../../../kernel/opaque-tokens.ts'
import { fieldOf, queryParameterOf } from '../../../ui/forms/form-field.ts'
import { PageError } from '../../../ui/page/errors.ts'
import type { UpstreamClient, UpstreamUser } from '../../upstream/upstream-client.ts'
import { UpstreamError } from '../../upstream/upstream-error.ts'
import { changeContext, redirectWithAccountNotice } from '../account/account-page.ts'
import { interactionOf, withInteraction } from '../interaction.ts'
import { invitationIn } from '../invitation-in.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'
import { RequestingBrowser } from '../requesting-browser.ts'
import { continueSignIn } from '../sign-in/continue-sign-in.ts'
import { bannedText, showSignIn } from '../sign-in/show-sign-in.ts'
import { beginFlow, flowSecrets } from './begin-flow.ts'

type Params = { Params: { provider: string } }

/** Page of the account's providers. */
const PROVIDERS_PATH = '/account/security/providers'

/** Sends users to other providers, and receives them back. */
export async function upstreamRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, authUrl, upstream, signUp: mode, sessions, wakeOutbox, log } = options
  if (upstream.length === 0) return
  const browser = new RequestingBrowser(authUrl)

  // A form instead of a link, so that no other site can start a sign-in.
  app.post<Params>('/sign-in/with/:provider', PUBLIC_PAGE, async (request, reply) => {
    const client = requireClient(request)
    const interaction = interactionOf(request)
    // The form after the provider reports an invalid code: the identity may have an account.
    const { invitation } = await checkInvitation(
      db,
      mode,
      invitationIn(fieldOf(request, 'invitation')),
    )
    try {
      const purpose = {
        account_id: null,
        session_uid: null,
        interaction: interaction ?? null,
        invitation_id: invitation ?? null,
        // Pages and apps that need a recent sign-in ask a signed-in user to sign in again.
        requires_sign_in: (await sessions.current(request)) !== undefined,
      }
      return await beginFlow(options, request, reply, client, purpose)
    } catch (error) {
      const { status, text } = explain(request, client, error)
      return showSignIn(options, request, reply, { interaction, status, error: text })
    }
  })

  app.get<Params>('/sign-in/with/:provider/callback', PUBLIC_PAGE, async (request, reply) => {
    const client = requireClient(request)
    const state = queryParameterOf(request, 'state')
    const browserToken = browser.token(request)
    const provider = client.provider.name
    const flow =
      browserToken === undefined
        ? undefined
        : await takeStartedFlow(db, { state, browserHash: hashToken(browserToken), provider })
    if (!flow || browserToken === undefined)
      return showSignIn(options, request, reply, {
        interaction: undefined,
        status: 400,
        error: request.page.messages.upstream.expired,
      })
    const interaction = flow.interaction ?? undefined
    try {
      const url = new URL(request.url, authUrl)
      const user = await client.redeem({
        url,
        state,
        signedInSince: flow.requires_sign_in ? flow.created_at : undefined,
        ...flowSecrets(browserToken, state),
      })
      return flow.account_id === null
        ? await signIn(request, reply, { user, flow, browserToken })
        : await connect(request, reply, { client, user, flow })
    } catch (error) {
      const isConnecting = flow.account_id !== null
      if (error instanceof UpstreamError && error.failure === 'denied')
        return reply.redirect(
          isConnecting ? PROVIDERS_PATH : withInteraction('/sign-in', interaction),
          303,
        )
      const { status, text } = explain(request, client, error)
      if (isConnecting) throw new PageError(status, undefined, text)
      return showSignIn(options, request, reply, { interaction, status, error: text })
    }
  })

  async function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { user, flow, browserToken }: { user: UpstreamUser; flow: UpstreamFlow; browserToken: string },
  ) {
    const interaction = flow.interaction ?? undefined
    const account = await useIdentity(db, user)
    if (account?.banned_at)
      return showSignIn(options, request, reply, {
        interaction,
        status: 403,
        error: bannedText(request, account),
      })
    if (account)
      return continueSignIn(options, request, reply, { account, methods: ['fed'], interaction })
    const token = newToken()
    await saveFlow(db, {
      ...flow,
      token,
      browserHash: hashToken(browserToken),
      identity: await user.readIdentity(),
    })
    return reply.redirect(`/sign-up/with?flow=${token}`, 303)
  }

  async function connect(
    request: FastifyRequest,
    reply: FastifyReply,
    { client, user, flow }: { client: UpstreamClient; user: UpstreamUser; flow: UpstreamFlow },
  ) {
    const { account_id: accountId, session_uid: session } = flow
    if (accountId === null || session === null) throw new Error('The flow connects no account')
    const connected = await connectIdentity(db, accountId, await user.readIdentity(), {
      session,
      label: client.provider.label,
      ...changeContext(request),
    }).catch((error: unknown) => {
      if (error instanceof SessionEndedError) return 'ended'
      throw error
    })
    if (connected === 'ended') return reply.redirect('/sign-in', 303)
    if (!connected)
      throw new PageError(409, undefined, request.page.messages.accountProviders.taken)
    wakeOutbox()
    return redirectWithAccountNotice(reply, PROVIDERS_PATH, 'provider_connected')
  }

  function requireClient(request: FastifyRequest<Params>): UpstreamClient {
    const client = upstream.find(({ provider }) => provider.name === request.params.provider)
    if (!client) throw new PageError(404, undefined, request.page.messages.accountProviders.gone)
    return client
  }

  /** Logs a failure at a provider. @returns status and text of the page */
  function explain(request: FastifyRequest, { provider }: UpstreamClient, error: unknown) {
    if (!(error instanceof UpstreamError)) throw error
    const { failure, message } = error
    log.warn({ provider: provider.name, reason: message }, 'Sign-in at a provider failed')
    const { unavailable, rejected, stale } = request.page.messages.upstream
    if (failure === 'stale') return { status: 403, text: stale({ provider: provider.label }) }
    return failure === 'unavailable'
      ? { status: 503, text: unavailable({ provider: provider.label }) }
      : { status: 502, text: rejected({ provider: provider.label }) }
  }
}
