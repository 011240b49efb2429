import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DEVICE_GRANT } from '../../apps/rules/grant-types.ts'
import type { App } from '../../apps/queries.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SignedCookie } from '../../ui/forms/signed-cookie.ts'
import { PAGE } from '../../site/options.ts'
import { sectionPath } from '../app-frame.ts'
import { deviceTryView } from './device-try-view.ts'
import { tryStep, type HttpStep, type TryTarget } from './http-step.ts'
import { type AppRoute, ownAppOf, type OwnedOptions, sendConsolePage } from '../options.ts'
import { clientAuthentication, tryTokenFlow } from './try-flows.ts'

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
    const proof = clientAuthentication(own, fieldOf(request, 'secret'))
    const step = await tryStep(targetOf(request), request.page.messages.console.steps.device, {
      method: 'POST',
      path: '/oidc/device/auth',
      ...proof,
      form: { scope: fieldOf(request, 'asked'), ...proof.form },
    })
    const { device_code: deviceCode, user_code: userCode } = step.body
    if (typeof deviceCode !== 'string' || typeof userCode !== 'string')
      return showFlows(request, reply, own, { steps: [step] })
    cookie.set(reply, `${own.client_id}.${deviceCode}.${userCode}`, accountOf(request))
    return show(request, reply, own, { deviceCode, userCode }, [step])
  })

  app.post<AppRoute>(`${PATH}/poll`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const { messages } = request.page
    const run = runOf(request, own, accountOf(request))
    if (!run) return showFlows(request, reply, own, { fault: messages.console.tryGone }, 422)
    const poll = () =>
      tryTokenFlow(request.page, targetOf(request), own, {
        secret: fieldOf(request, 'secret'),
        form: { grant_type: DEVICE_GRANT, device_code: run.deviceCode },
        title: messages.console.steps.poll,
      })
    const steps = await poll()
    let outcome = outcomeOf(request.page, steps)
    if (!outcome.isFinal && fieldOf(request, 'times') === '2') {
      const repeated = await poll()
      steps.push(...repeated)
      outcome = outcomeOf(request.page, repeated)
    }
    if (outcome.isFinal) cookie.clear(reply)
    return show(request, reply, own, run, steps, outcome)
  })
}

/** Interprets the token response for a device (RFC 8628 §3.5). After a wrong secret, the developer can try again. */
function outcomeOf({ messages: { console: texts } }: PageContext, [token]: HttpStep[]) {
  const { error, error_description: description } = token?.body ?? {}
  if (token?.status === 200) return { text: texts.deviceAllowed, isFinal: true }
  if (error === 'authorization_pending') return { text: texts.pending, isFinal: false }
  if (error === 'slow_down') return { text: texts.slowDown, isFinal: false }
  const reported = [error, description].filter((text) => typeof text === 'string')
  return {
    text: `${texts.refusedBy} ${reported.join(' · ')}`.slice(0, 500),
    isFinal: token?.status === 400,
    isRefused: true,
  }
}

/** Returns the current device flow of this browser with this app. */
function runOf(request: FastifyRequest, own: App, accountId: number): Run | undefined {
  const [clientId, deviceCode, userCode] = cookie.read(request, accountId)?.split('.') ?? []
  return clientId === own.client_id && deviceCode && userCode ? { deviceCode, userCode } : undefined
}
