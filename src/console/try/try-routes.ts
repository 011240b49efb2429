import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { originOf } from '../../audit/origin-of.ts'
import { applyChange } from '../../apps/rules/app-rules.ts'
import { updateOwnApp } from '../../apps/owner-queries.ts'
import type { App } from '../../apps/queries.ts'
import { isSameSecret, newToken } from '../../kernel/opaque-tokens.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SignedCookie } from '../../ui/forms/signed-cookie.ts'
import { PAGE } from '../../site/options.ts'
import { valueFaultText } from '../../ui/value-fault-text.ts'
import { sectionPath } from '../app-frame.ts'
import { deviceTryRoutes } from './device-try-routes.ts'
import { maskText, type HttpStep, type ShownStep, type TryTarget } from './http-step.ts'
import { type AppRoute, ownAppOf, type OwnedOptions, sendConsolePage } from '../options.ts'
import { tryTokenFlow } from './try-flows.ts'
import { tryResponseView, tryView } from './try-view.ts'

const PATH = '/console/apps/:client_id/try'

/** State and PKCE verifier of the current run, stored in the developer's browser only. */
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
    apiUrl: request.ip,
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

  app.post<AppRoute>(`${PATH}/application`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const steps = await tryTokenFlow(request.page, targetOf(request), own, {
      secret: fieldOf(request, 'secret'),
      form: { grant_type: 'client_credentials', scope: fieldOf(request, 'scope') },
    })
    return show(request, reply, own, { steps })
  })

  const setPictureUrl = async (
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
    setPictureUrl(request, reply, true),
  )
  app.post<AppRoute>(`${PATH}/unregister`, PAGE, (request, reply) =>
    setPictureUrl(request, reply, false),
  )

  app.post<AppRoute>(`${PATH}/begin`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const scope = fieldOf(request, 'wanted').slice(0, MAX_SCOPE)
    const run = { state: newToken(), verifier: newToken(), scope }
    const values = [
      own.client_id,
      run.state,
      run.verifier,
      Buffer.from(scope).toString('base64url'),
    ]
    cookie.set(reply, values.join('.'), accountOf(request))
    return reply.redirect(
      `/oidc/auth?${authorizationQuery(own, callbackOf(own), run).toString()}`,
      303,
    )
  })

  app.get<AppRoute>(`${PATH}/callback`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const { messages } = request.page
    const run = runOf(request, own, accountOf(request))
    const error = queryParameterOf(request, 'error')
    const fault = !run
      ? messages.console.tryGone
      : !isSameSecret(queryParameterOf(request, 'state'), run.state)
        ? messages.console.stateDiffers
        : error === ''
          ? undefined
          : `${messages.console.refusedBy} ${error} · ${queryParameterOf(request, 'error_description')}`.slice(
              0,
              500,
            )
    const steps = [
      ...(run
        ? [authorizationStep(request.page, authUrl, authorizationQuery(own, callbackOf(own), run))]
        : []),
      ...browserSteps(request.page, callbackOf(own), request),
    ]
    const code = queryParameterOf(request, 'code')
    return sendConsolePage(
      request,
      reply,
      tryResponseView(request.page, own, { steps, code, fault }),
    )
  })

  app.post<AppRoute>(`${PATH}/exchange`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const run = runOf(request, own, accountOf(request))
    if (!run)
      return show(request, reply, own, { fault: request.page.messages.console.tryGone }, 422)
    cookie.clear(reply)
    const steps = await tryTokenFlow(request.page, targetOf(request), own, {
      secret: fieldOf(request, 'secret'),
      form: {
        grant_type: 'authorization_code',
        code: fieldOf(request, 'code'),
        redirect_uri: callbackOf(own),
        code_verifier: run.verifier,
      },
    })
    return show(request, reply, own, { steps })
  })

  deviceTryRoutes(app, options, { targetOf, showFlows: show })
}

type Run = { state: string; verifier: string; scope: string }

/** Returns the current run of this browser with this app. */
function runOf(request: FastifyRequest, own: App, accountId: number): Run | undefined {
  const [clientId, state, verifier, scope = ''] = cookie.read(request, accountId)?.split('.') ?? []
  if (clientId !== own.client_id || !state || !verifier) return undefined
  return { state, verifier, scope: Buffer.from(scope, 'base64url').toString() }
}

/** Returns the parameters of the authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3). */
const authorizationQuery = (own: App, callback: string, { state, verifier, scope }: Run) =>
  new URLSearchParams({
    response_type: 'code',
    client_id: own.client_id,
    redirect_uri: callback,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    // Shows the consent page even if the app has already been allowed, because it is part of what developers test.
    prompt: 'consent',
  })

const SHOWN = ['state', 'iss', 'error', 'error_description']

/** Returns the step that sent the browser to the provider. The user signed in and decided before the response. */
const authorizationStep = (
  { messages: { console: texts } }: PageContext,
  authUrl: string,
  query: URLSearchParams,
): ShownStep => ({
  title: texts.steps.authorize,
  request: `GET ${authUrl}/oidc/auth\n?${[...query].map(([name, value]) => `${name}=${value}`).join('\n&')}`,
  response: `HTTP 303\nlocation: ${query.get('redirect_uri') ?? ''}?…`,
})

/** Returns the step in which the browser came back. */
function browserSteps(
  { messages: { console: texts } }: PageContext,
  callback: string,
  request: FastifyRequest,
): ShownStep[] {
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
