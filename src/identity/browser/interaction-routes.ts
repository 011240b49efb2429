import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Client, Interaction, InteractionResults } from 'oidc-provider'
import { findAppCard, type AppCard } from '../../apps/app-card-queries.ts'
import { saveDocumentApp, type DocumentApp } from '../../apps/client-document-queries.ts'
import { USER_SCOPES, withImplied } from '../../apps/rules/scopes.ts'
import { recordEvent } from '../../audit/events.ts'
import { isForeignKeyViolation } from '../../db/constraint-errors.ts'
import { PageError } from '../../ui/page/errors.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { storeLanguage } from '../../ui/page/page-context.ts'
import { sendPage } from '../../ui/page/send-page.ts'
import { isLocalRedirectUri, redirectTargetOf } from '../../apps/rules/redirect-uris.ts'
import { offlineAccessLimits } from '../lifetimes.ts'
import { requiredScopes } from '../provider/storage/clients.ts'
import { documentAppOf, findClient, fingerprintOfDocument } from '../provider/client-documents.ts'
import { providerRefusalMessage } from '../provider/provider-refusal.ts'
import { DEVICE_DONE } from '../provider/endpoints.ts'
import { giveConsent } from '../provider/consent.ts'
import { readDeviceRequest } from '../provider/requests/device-request.ts'
import { errors } from '../provider/oidc-provider.ts'
import { findConsent } from '../provider/storage/consent-queries.ts'
import { requestedScopes, requestParameter } from '../provider/requests/request-parameter.ts'
import { hasSignedInFor } from '../provider/storage/session-queries.ts'
import { deviceDoneView } from '../views/device.ts'
import { chooseAccountView } from '../views/choose-account.ts'
import { scopeFieldName, mandatoryScopes, tickedScopes } from '../views/consent-scopes.ts'
import { consentPage } from '../views/consent.ts'
import type { BrowserSession, CurrentSession } from './browser-session.ts'
import { withInteraction } from './interaction.ts'
import { PUBLIC_PAGE, type BrowserOptions } from './options.ts'

type Params = { Params: { uid: string } }
type Request = FastifyRequest<Params>

/** Interaction and the signed-in account that continues it. */
type PendingInteraction = { interaction: Interaction; client: Client; current: CurrentSession }

/** Serves the pages where the provider asks the user to sign in, choose an account or consent. */
export async function interactionRoutes(
  app: FastifyInstance,
  { db, identity, sessions }: BrowserOptions,
) {
  app.get<Params>('/interaction/:uid', PUBLIC_PAGE, async (request, reply) => {
    const { interaction, client } = await requireInteraction(request, reply)
    if (queryParameterOf(request, 'ui_locales') !== '') storeLanguage(request, reply)
    const { name, reasons } = interaction.prompt
    const current = await sessions.current(request)
    if (!current) return signIn(interaction, reply)
    if (name === 'consent') return requestConsent(request, reply, { interaction, client, current })
    // A request that only requires a session is satisfied by a sign-in that happened after it began.
    const isSatisfied = name === 'login' && reasons.every((reason) => reason === 'no_session')
    if (isSatisfied || (await hasSignedInFor(db, current.uid, interaction.uid)))
      return finish(request, reply, {
        ...login(current),
        ...(name === 'select_account' && { select_account: {} }),
      })
    if (name !== 'select_account') return signIn(interaction, reply)
    const view = chooseAccountView(request.page, {
      interaction: interaction.uid,
      account: accountOf(current),
      appName: client.clientName ?? client.clientId,
    })
    return sendPage(request, reply, view)
  })

  app.get(DEVICE_DONE, PUBLIC_PAGE, (request, reply) =>
    sendPage(request, reply, deviceDoneView(request.page)),
  )

  const decision = {
    ...PUBLIC_PAGE,
    config: { ...PUBLIC_PAGE.config, checksFormOwner: true },
  } as const
  app.post<Params>('/interaction/:uid', decision, async (request, reply) => {
    const { interaction, client } = await requireInteraction(request, reply)
    if (fieldOf(request, 'decision') === 'deny') return deny(request, reply, 'the user refused')
    const current = await sessions.current(request)
    if (!current) return signIn(interaction, reply)
    // Whether the session still belongs to the account that the page was shown to. If not, the page is shown again.
    const isOwnAccount = fieldOf(request, 'account') === String(current.accountId)
    if (
      interaction.prompt.name === 'consent' &&
      fieldOf(request, 'decision') === 'allow' &&
      isOwnAccount
    )
      return consent(request, reply, { interaction, client, current })
    if (interaction.prompt.name === 'select_account' && fieldOf(request, 'choice') === 'continue')
      // This does not count as a sign-in: with prompt=login, the password is still required.
      return finish(request, reply, { select_account: {} })
    if (fieldOf(request, 'choice') === 'other') return signIn(interaction, reply)
    return reply.redirect(`/interaction/${interaction.uid}`, 303)
  })

  /** Returns the interaction that this browser began. The browser's cookie must also name it. */
  async function requireInteraction(request: Request, reply: FastifyReply) {
    identity.prepareRequest(request.raw)
    const interaction = await identity
      .provider()
      .interactionDetails(request.raw, reply.raw)
      .catch(expiredOr(request))
    if (interaction.uid !== request.params.uid) throw expiredError(request)
    return { interaction, client: await requireClient(interaction, request.page) }
  }

  const signIn = ({ uid }: Interaction, reply: FastifyReply) =>
    reply.redirect(withInteraction('/sign-in', uid), 303)

  /** Passes the result to the provider, which continues the app's request. */
  async function finish(request: Request, reply: FastifyReply, result: InteractionResults) {
    const returnTo = await identity
      .provider()
      .interactionResult(request.raw, reply.raw, result)
      // The user has already answered in another tab or by a double click.
      .catch(expiredOr(request))
    return reply.redirect(returnTo, 303)
  }

  const deny = (request: Request, reply: FastifyReply, error_description: string) =>
    finish(request, reply, { error: 'access_denied', error_description })

  async function requireClient({ params }: Interaction, { messages }: Request['page']) {
    const client = await findClient(identity.provider(), requestParameter(params, 'client_id'))
    if (!client) throw new PageError(400, undefined, messages.error.unknownApp)
    // Devices send no redirect URI. The provider compared it when the request began, up to an hour ago.
    const { redirect_uri: redirectUri } = params
    if (typeof redirectUri === 'string' && !client.redirectUriAllowed(redirectUri))
      throw new PageError(400, undefined, messages.error.invalidRedirectUri)
    return client
  }

  async function requestConsent(
    request: Request,
    reply: FastifyReply,
    { interaction, client, current }: PendingInteraction,
  ) {
    const { page } = request
    const document = documentAppOf(client)
    const card = await cardOf(client, document)
    if (!card) throw new PageError(400, undefined, page.messages.error.unknownApp)
    const requested = requestedScopes(interaction.params)
    const known = await findConsent(db, current.accountId, client.clientId)
    const { scopes: already = [], withheld = [] } = known ?? {}
    const implied = withImplied(requested)
    const redirectUri = requestParameter(interaction.params, 'redirect_uri')
    const leadsTo = redirectTargetOf(redirectUri, page.origin)
    const device =
      interaction.deviceCode === undefined
        ? undefined
        : await identity.provider().DeviceCode.find(interaction.deviceCode)
    return sendPage(
      request,
      reply,
      consentPage(
        {
          action: `/interaction/${interaction.uid}`,
          app: {
            ...card,
            redirectHost: hostOf(redirectUri),
            leadsTo,
            // No other program can receive what is sent to this site.
            isPublic:
              client.clientAuthMethod === 'none' &&
              leadsTo !== 'us' &&
              isLocalRedirectUri(redirectUri),
          },
          account: accountOf(current),
          requested,
          required: requiredScopes(client),
          already: requested.filter((scope) => already.includes(scope)),
          withheld,
          notAllowed: ['email', ...Object.keys(USER_SCOPES)].filter((scope) => !implied.has(scope)),
          offline: requested.includes('offline_access')
            ? offlineAccessLimits(new Date())
            : undefined,
          device: readDeviceRequest(device?.deviceInfo),
          document: fingerprintOfDocument(document),
        },
        page,
      ),
    )
  }

  /** Returns what the consent page shows about an app: for one without registration, what its document says now. */
  async function cardOf(
    { clientId }: Client,
    document: DocumentApp | undefined,
  ): Promise<AppCard | undefined> {
    const card = await findAppCard(db, clientId)
    if (!document) return card
    return {
      ...(card ?? NEW_CARD),
      name: document.clientName,
      homepage: document.clientUri,
      documentHost: new URL(clientId).host,
    }
  }

  async function consent(
    request: Request,
    reply: FastifyReply,
    { interaction, client, current }: PendingInteraction,
  ) {
    const requested = requestedScopes(interaction.params)
    const document = documentAppOf(client)
    // The document has changed since the page was shown, so the page is shown again.
    if (fieldOf(request, 'document') !== fingerprintOfDocument(document))
      return reply.redirect(`/interaction/${interaction.uid}`, 303)
    if (document && !(await saveDocumentApp(db, document)))
      throw new PageError(400, undefined, request.page.messages.error.unknownApp)
    // Never grants more than the app requested, whatever the form says.
    const scopes =
      fieldOf(request, 'scopes_shown') === 'yes'
        ? tickedScopes(
            requested,
            (scope) => fieldOf(request, scopeFieldName(scope)) === 'yes',
            mandatoryScopes(requiredScopes(client)),
          )
        : requested
    const withheld = requested.filter((scope) => !scopes.includes(scope))
    // as: the provider's own check lists the missing claims here
    const { missingOIDCClaims: claims = [] } = interaction.prompt.details as {
      missingOIDCClaims?: string[]
    }
    const grantId = await giveConsent(db, identity.provider(), {
      audiences: identity.audiences,
      accountId: String(current.accountId),
      clientId: client.clientId,
      grantId: interaction.grantId,
      scopes,
      withheld,
      claims,
    }).catch((error: unknown) => {
      // The consent, the app or the account has just been deleted.
      throw isForeignKeyViolation(error) ? expiredError(request) : error
    })
    // The developer was banned while the consent page was open.
    if (grantId === undefined)
      return deny(request, reply, providerRefusalMessage({ code: 'owner.banned' }))
    await recordEvent(db, {
      kind: 'consent_given',
      accountId: current.accountId,
      clientId: client.clientId,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      details: { scopes, ...(withheld.length > 0 && { withheld }) },
    })
    return finish(request, reply, { consent: { grantId } })
  }
}

/** Card of an app that no user has allowed yet. */
const NEW_CARD = {
  logo: null,
  privacy: null,
  terms: null,
  developer: null,
  createdAt: null,
  readers: 0,
}

const expiredError = ({ page }: Request) =>
  new PageError(400, undefined, page.messages.error.expired)

/** Converts the library's error for a missing interaction into an error page. */
const expiredOr = (request: Request) => (error: unknown) => {
  throw error instanceof errors.SessionNotFound ? expiredError(request) : error
}

const accountOf = ({ accountId, account }: CurrentSession) => ({ ...account, id: accountId })

const login = ({ accountId, signedInAt: at, methods }: BrowserSession): InteractionResults => ({
  login: { accountId: String(accountId), ts: at, amr: methods },
})

/** Returns the host of a redirect URI, or the scheme of a native app's redirect URI. */
function hostOf(uri: string) {
  const url = URL.parse(uri)
  if (!url) return ''
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol
}
