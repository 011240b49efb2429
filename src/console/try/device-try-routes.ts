import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { finishDevice, startDevice, type Device, type MokurokuError } from '../../../sdk/index.js'
import type { App } from '../../apps/queries.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SignedCookie } from '../../ui/forms/signed-cookie.ts'
import { PAGE } from '../../site/options.ts'
import { sectionPath } from '../app-frame.ts'
import { deviceTryView } from './device-try-view.ts'
import type { HttpStep, TryTarget } from './http-step.ts'
import { type AppRoute, ownAppOf, type OwnedOptions, sendConsolePage } from '../options.ts'
import { sdkRefusalOf, sdkRefusalText, startTryRun, tryTokenFlow } from './try-flows.ts'

const PATH = '/console/apps/:client_id/try/device'

/** Device code of the current run, stored in the developer's browser only. */
const cookie = new SignedCookie('mokuroku-try-device', {
  // Lifetime of a device code.
  lifetimeSeconds: 600,
  path: '/console',
})

type Run = { deviceCode: string; userCode: string }

/** Functions shared with the other flows on the page. */
type TryPage = {
  targetOf: (request: FastifyRequest) => TryTarget
  showFlows: (
    request: FastifyRequest,
    reply: FastifyReply,
    own: App,
    data: { steps?: HttpStep[]; fault?: string },
    status?: number,
  ) => FastifyReply
}

/** Registers the device flow. The developer's browser acts as the device and, in another tab, as the user. */
export function deviceTryRoutes(
  app: FastifyInstance,
  options: OwnedOptions,
  { targetOf, showFlows }: TryPage,
) {
  const { authUrl, accountOf } = options
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    own: App,
    { userCode }: Run,
    steps: HttpStep[] = [],
    outcome?: ReturnType<typeof outcomeOf>,
  ) =>
    sendConsolePage(
      request,
      reply,
      deviceTryView(request.page, own, {
        steps,
        userCode,
        verificationUri: `${authUrl}/oidc/device`,
        outcome,
      }),
    )

  app.get<AppRoute>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const run = runOf(request, own, accountOf(request))
    return run ? show(request, reply, own, run) : reply.redirect(sectionPath(own, 'try'), 303)
  })

  app.post<AppRoute>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const { client, steps } = startTryRun(
      request.page,
      targetOf(request),
      own,
      fieldOf(request, 'secret'),
    )
    let device: Device | undefined
    const start = async () =>
      (device = await startDevice(client, { scope: fieldOf(request, 'asked') }))
    if ((await sdkRefusalOf(start())) || !device) return showFlows(request, reply, own, { steps })
    const { device_code: deviceCode, user_code: userCode } = device
    cookie.set(reply, `${own.client_id}.${deviceCode}.${userCode}`, accountOf(request))
    return show(request, reply, own, { deviceCode, userCode }, steps)
  })

  app.post<AppRoute>(`${PATH}/poll`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const run = runOf(request, own, accountOf(request))
    if (!run) {
      const fault = request.page.messages.console.tryGone
      return showFlows(request, reply, own, { fault }, 422)
    }
    const attempt = startTryRun(request.page, targetOf(request), own, fieldOf(request, 'secret'))
    // A lifetime of zero seconds makes `finishDevice` poll once. The developer decides when to poll again.
    const device = { device_code: run.deviceCode, interval: 0, expires_in: 0 }
    const poll = async () =>
      outcomeOf(
        request.page,
        await tryTokenFlow(attempt, () => finishDevice(attempt.client, device)),
      )
    let outcome = await poll()
    if (!outcome.isFinal && fieldOf(request, 'times') === '2') outcome = await poll()
    if (outcome.isFinal) cookie.clear(reply)
    return show(request, reply, own, run, attempt.steps, outcome)
  })
}

/** Interprets the token response for a device (RFC 8628 §3.5). After a wrong secret, the developer can try again. */
function outcomeOf(context: PageContext, refusal: MokurokuError | undefined) {
  const { console: texts } = context.messages
  if (refusal === undefined) return { text: texts.deviceAllowed, isFinal: true }
  if (refusal.code === 'authorization_pending') return { text: texts.pending, isFinal: false }
  if (refusal.code === 'slow_down') return { text: texts.slowDown, isFinal: false }
  return {
    text: sdkRefusalText(context, refusal),
    isFinal: refusal.status === 400,
    isRefused: true,
  }
}

/** Returns the current device flow of this browser with this app. */
function runOf(request: FastifyRequest, own: App, accountId: number): Run | undefined {
  const [clientId, deviceCode, userCode] = cookie.read(request, accountId)?.split('.') ?? []
  return clientId === own.client_id && deviceCode && userCode ? { deviceCode, userCode } : undefined
}
