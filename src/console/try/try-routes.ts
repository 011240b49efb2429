import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { appTokens, finishSignIn, startSignIn, type PendingSignIn } from '../../../sdk/index.js'
import { originOf } from '../../audit/origin-of.ts'
import { applyChange } from '../../apps/rules/app-rules.ts'
import { updateOwnApp } from '../../apps/owner-queries.ts'
import type { App } from '../../apps/queries.ts'
import { isSameSecret } from '../../kernel/opaque-tokens.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SignedCookie } from '../../ui/forms/signed-cookie.ts'
import { PAGE } from '../../site/options.ts'
import { valueFaultText } from '../../ui/value-fault-text.ts'
import { sectionPath } from '../app-frame.ts'
import { deviceTryRoutes } from './device-try-routes.ts'
import { maskText, type HttpStep, type TryTarget } from './http-step.ts'
import { type AppRoute, ownAppOf, type OwnedOptions, sendConsolePage } from '../options.ts'
import { sdkRefusalText, startTryRun, tryTokenFlow, type TryRun } from './try-flows.ts'
import { tryResponseView, tryView } from './try-view.ts'

const PATH = '/console/apps/:client_id/try'

/** Authorization request and PKCE verifier of the current run, stored in the developer's browser only. */
const cookie = new SignedCookie('mokuroku-try', {
  // Time allowed for granting access to an app.
  lifetimeSeconds: 15 * 60,
  path: '/console',
})
/** Maximum length of the requested scopes, three times the length of all scopes together. */
const MAX_SCOPE = 500

/**
 * Registers a page to try each flow. The console has no privileged access to an app: the developer enters the app's
 * secret, and public apps rely on PKCE.
 */
export function tryRoutes(app: FastifyInstance, options: OwnedOptions) {
  const { db, authUrl, accountOf } = options
  const callbackOf = (own: App) => `${authUrl}${sectionPath(own, 'try')}/callback`
  const targetOf = (request: FastifyRequest): TryTarget => ({
    server: app,
    address: request.ip,
    authUrl,
  })
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    own: App,
    data: { steps?: HttpStep[]; fault?: string } = {},
    status = 200,
  ) =>
    sendConsolePage(
      request,
      reply,
      tryView(request.page, own, { callback: callbackOf(own), ...data }),
      { status },
    )

  app.get<AppRoute>(PATH, PAGE, async (request, reply) =>
    show(request, reply, await ownAppOf(options, request)),
  )

  const startRun = (request: FastifyRequest, own: App) =>
    startTryRun(request.page, targetOf(request), own, fieldOf(request, 'secret'))
  /** Shows a run, and why it ended if no step shows that. */
  const showRun = async (
    request: FastifyRequest,
    reply: FastifyReply,
    own: App,
    run: TryRun,
    obtain: () => Promise<unknown>,
  ) => {
    const refusal = await tryTokenFlow(run, obtain)
    const isShown = refusal === undefined || refusal.status !== undefined
    return show(request, reply, own, {
      steps: run.steps,
      ...(!isShown && { fault: sdkRefusalText(request.page, refusal) }),
    })
  }

  app.post<AppRoute>(`${PATH}/application`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const run = startRun(request, own)
    const { client } = run
    const tokens = appTokens({ ...client, scope: fieldOf(request, 'scope') }, client.store)
    return showRun(request, reply, own, run, tokens)
  })

  const setCallback = async (
    request: FastifyRequest<AppRoute>,
    reply: FastifyReply,
    isWanted: boolean,
  ) => {
    const own = await ownAppOf(options, request)
    const callback = callbackOf(own)
    const changeOf = ({ redirect_uris: stored }: App) => {
      const others = stored.filter((uri) => uri !== callback)
      return { redirect_uris: isWanted ? [...others, callback] : others }
    }
    const outcome = applyChange(own, changeOf(own))
    if ('faults' in outcome) {
      const fault = outcome.faults
        .map((each) => valueFaultText(request.page.language, each))
        .join(' ')
      return show(request, reply, own, { fault }, 422)
    }
    await updateOwnApp(db, accountOf(request), own.client_id, changeOf, originOf(request))
    return reply.redirect(sectionPath(own, 'try'), 303)
  }
  app.post<AppRoute>(`${PATH}/register`, PAGE, (request, reply) =>
    setCallback(request, reply, true),
  )
  app.post<AppRoute>(`${PATH}/unregister`, PAGE, (request, reply) =>
    setCallback(request, reply, false),
  )

  app.post<AppRoute>(`${PATH}/begin`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    // Scopes are ASCII (RFC 6749 §3.3).
    const scope = fieldOf(request, 'wanted')
      .replaceAll(/[^ -~]/g, '')
      .slice(0, MAX_SCOPE)
    const { url, pending } = await startSignIn(startRun(request, own).client, {
      redirectUri: callbackOf(own),
      scope,
      // Shows the consent page even if the app has already been allowed, because it is part of what developers test.
      prompt: 'consent',
    })
    const { search } = new URL(url)
    const values = [own.client_id, pending.verifier, Buffer.from(search).toString('base64url')]
    cookie.set(reply, values.join('.'), accountOf(request))
    return reply.redirect(`/oidc/auth${search}`, 303)
  })

  app.get<AppRoute>(`${PATH}/callback`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const { messages } = request.page
    const run = runOf(request, own, accountOf(request))
    const error = queryParameterOf(request, 'error')
    const fault = !run
      ? messages.console.tryGone
      : !isSameSecret(queryParameterOf(request, 'state'), run.pending.state)
        ? messages.console.stateDiffers
        : error === ''
          ? undefined
          : `${messages.console.refusedBy} ${error} · ${queryParameterOf(request, 'error_description')}`.slice(
              0,
              500,
            )
    const steps = [
      ...(run ? [authorizationStep(request.page, authUrl, run.query)] : []),
      ...browserSteps(request.page, callbackOf(own), request),
    ]
    const { search } = new URL(request.url, authUrl)
    return sendConsolePage(
      request,
      reply,
      tryResponseView(request.page, own, { steps, search, fault }),
    )
  })

  app.post<AppRoute>(`${PATH}/exchange`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const begun = runOf(request, own, accountOf(request))
    if (!begun)
      return show(request, reply, own, { fault: request.page.messages.console.tryGone }, 422)
    cookie.clear(reply)
    const run = startRun(request, own)
    const redirected = callbackOf(own) + fieldOf(request, 'response')
    return showRun(request, reply, own, run, () =>
      finishSignIn(run.client, begun.pending, redirected),
    )
  })

  deviceTryRoutes(app, options, { targetOf, showFlows: show })
}

type Run = { query: URLSearchParams; pending: PendingSignIn }

/** Returns the current run of this browser with this app. */
function runOf(request: FastifyRequest, own: App, accountId: number): Run | undefined {
  const [clientId, verifier, search = ''] = cookie.read(request, accountId)?.split('.') ?? []
  if (clientId !== own.client_id || !verifier) return undefined
  const query = new URLSearchParams(Buffer.from(search, 'base64url').toString())
  const parameter = (name: string) => query.get(name) ?? ''
  const pending = {
    redirectUri: parameter('redirect_uri'),
    scope: parameter('scope'),
    state: parameter('state'),
    nonce: parameter('nonce'),
    verifier,
  }
  return { query, pending }
}

const SHOWN = ['state', 'iss', 'error', 'error_description']

/** Returns the step that sent the browser to the provider. The user signed in and decided before the response. */
const authorizationStep = (
  { messages: { console: texts } }: PageContext,
  authUrl: string,
  query: URLSearchParams,
): HttpStep => ({
  title: texts.steps.authorize,
  request: `GET ${authUrl}/oidc/auth\n?${[...query].map(([name, value]) => `${name}=${value}`).join('\n&')}`,
  response: `HTTP 303\nlocation: ${query.get('redirect_uri') ?? ''}?…`,
})

/** Returns the step in which the browser came back. */
function browserSteps(
  { messages: { console: texts } }: PageContext,
  callback: string,
  request: FastifyRequest,
): HttpStep[] {
  const code = queryParameterOf(request, 'code')
  const parameters = [
    ...(code === '' ? [] : [`code=${maskText(code)}`]),
    ...SHOWN.flatMap((name) => {
      const value = queryParameterOf(request, name).slice(0, 300)
      return value === '' ? [] : [`${name}=${value}`]
    }),
  ]
  return [
    {
      title: texts.steps.response,
      request: `GET ${callback}\n?${parameters.join('\n&')}`,
      response: 'HTTP 200',
    },
  ]
}
