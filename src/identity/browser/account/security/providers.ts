import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  connectIdentity,
  disconnectIdentity,
  listIdentities,
} from '../../../../accounts/credentials/upstream-identities.ts'
import { endFlow, findOpenFlow } from '../../../../accounts/sign-in/upstream-flows.ts'
import { hashToken } from '../../../../kernel/opaque-tokens.ts'
import { fieldOf, queryParameterOf } from '../../../../ui/forms/form-field.ts'
import { storeReturnPath } from '../../../../ui/forms/return-path.ts'
import { PageError } from '../../../../ui/page/errors.ts'
import { UpstreamError } from '../../../upstream/upstream-error.ts'
import {
  confirmProviderView,
  providersView,
  providerView,
  type ProviderRow,
} from '../../../views/account/security/providers.ts'
import { pathAfterSignIn } from '../../interaction.ts'
import { RequestingBrowser } from '../../requesting-browser.ts'
import { beginFlow } from '../../upstream/begin-flow.ts'
import {
  ACCOUNT_PAGE,
  changeContext,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from '../account-page.ts'
import { checkCurrentPassword } from './current-password.ts'

const PATH = '/account/security/providers'

/** Connects and disconnects the account's identities at other providers. */
export async function providerRoutes(app: FastifyInstance, options: AccountOptions) {
  const { db, authUrl, upstream, wakeOutbox, ownerOf } = options
  if (upstream.length === 0) return
  const browser = new RequestingBrowser(authUrl)

  app.get(PATH, ACCOUNT_PAGE, async (request, reply) => {
    const rows = await listProviders(request)
    return sendAccountPage(request, reply, providersView(request.page, rows))
  })

  app.get(`${PATH}/change`, ACCOUNT_PAGE, async (request, reply) =>
    showOne(request, reply, queryParameterOf(request, 'issuer')),
  )

  app.post(`${PATH}/connect`, ACCOUNT_PAGE, async (request, reply) => {
    const { account, session } = ownerOf(request)
    const issuer = fieldOf(request, 'issuer')
    const client = upstream.find(({ provider }) => provider.issuer === issuer)
    if (!client) throw goneError(request)
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) return showOne(request, reply, issuer, refused)
    const purpose = {
      account_id: account.id,
      session_uid: session.uid,
      interaction: null,
      invitation_id: null,
      requires_sign_in: true,
    }
    return beginFlow(options, request, reply, client, purpose).catch((error: unknown) => {
      if (!(error instanceof UpstreamError)) throw error
      const { unavailable } = request.page.messages.upstream
      throw new PageError(503, undefined, unavailable({ provider: client.provider.label }))
    })
  })

  app.post(`${PATH}/disconnect`, ACCOUNT_PAGE, async (request, reply) => {
    const { account } = ownerOf(request)
    const issuer = fieldOf(request, 'issuer')
    const { label } = await requireProvider(request, issuer)
    const refused = await checkCurrentPassword(options, request, reply, account)
    if (refused) return showOne(request, reply, issuer, refused)
    const change = { label, ...changeContext(request) }
    const outcome = await disconnectIdentity(db, account.id, issuer, change)
    if (outcome === 'gone') throw goneError(request)
    if (outcome === 'last' || outcome === 'vouches')
      throw new PageError(409, undefined, request.page.messages.accountProviders[outcome])
    wakeOutbox()
    return redirectWithAccountNotice(reply, PATH, 'provider_disconnected')
  })

  /** Reached after a sign-in at a provider and then to an existing account (`/sign-up/with`). */
  app.get(`${PATH}/confirm`, ACCOUNT_PAGE, async (request, reply) => {
    const flow = await requireFlow(request)
    if (!hasSignedInSince(request, flow.created_at)) return signInAgain(request, reply)
    const { account } = ownerOf(request)
    const data = {
      token: queryParameterOf(request, 'flow'),
      provider: flow.label,
      identity: flow.identity.email,
      email: account.email,
    }
    return sendAccountPage(request, reply, confirmProviderView(request.page, data))
  })

  app.post(`${PATH}/confirm`, ACCOUNT_PAGE, async (request, reply) => {
    const flow = await requireFlow(request)
    if (!hasSignedInSince(request, flow.created_at)) return signInAgain(request, reply)
    const { account, session } = ownerOf(request)
    const connected = await connectIdentity(db, account.id, flow.identity, {
      session: session.uid,
      label: flow.label,
      ...changeContext(request),
    })
    await endFlow(db, queryParameterOf(request, 'flow'))
    if (!connected)
      throw new PageError(409, undefined, request.page.messages.accountProviders.taken)
    wakeOutbox()
    return flow.interaction === null
      ? redirectWithAccountNotice(reply, PATH, 'provider_connected')
      : reply.redirect(pathAfterSignIn(flow.interaction), 303)
  })

  /** Whether the user signed in after the flow began. An older session does not prove whose account this is. */
  const hasSignedInSince = (request: FastifyRequest, time: Date) =>
    ownerOf(request).session.signedInAt >= Math.floor(time.getTime() / 1_000)

  function signInAgain(request: FastifyRequest, reply: FastifyReply) {
    storeReturnPath(reply, request.url)
    return reply.header('cache-control', 'no-store').redirect('/sign-in?again=yes', 303)
  }

  /** Returns the flow if it began in this browser, at a provider that is still configured. */
  async function requireFlow(request: FastifyRequest) {
    const token = browser.token(request)
    const flow =
      token === undefined
        ? undefined
        : await findOpenFlow(db, queryParameterOf(request, 'flow'), hashToken(token))
    const client = upstream.find(({ provider }) => provider.name === flow?.provider)
    if (!flow || !client) throw new PageError(410, undefined, request.page.messages.linkGone.text)
    return { ...flow, label: client.provider.label }
  }

  /** Lists the configured providers, and identities of providers that are not configured any more. */
  async function listProviders(request: FastifyRequest): Promise<ProviderRow[]> {
    const identities = await listIdentities(db, ownerOf(request).account.id)
    const rows = upstream.map(({ provider: { issuer, label } }) => ({
      issuer,
      label,
      identity: identities.find((identity) => identity.issuer === issuer),
    }))
    const others = identities.filter(({ issuer }) => !rows.some((row) => row.issuer === issuer))
    return [
      ...rows,
      ...others.map((identity) => ({ issuer: identity.issuer, label: identity.issuer, identity })),
    ]
  }

  async function requireProvider(request: FastifyRequest, issuer: string): Promise<ProviderRow> {
    const row = (await listProviders(request)).find((item) => item.issuer === issuer)
    if (!row) throw goneError(request)
    return row
  }

  async function showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    issuer: string,
    { status = 200, error }: { status?: number; error?: string } = {},
  ) {
    const row = await requireProvider(request, issuer)
    return sendAccountPage(request, reply, providerView(request.page, row, error), status)
  }
}

const goneError = ({ page }: FastifyRequest) =>
  new PageError(404, undefined, page.messages.accountProviders.gone)
