import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../apps/queries.ts'
import { originOf } from '../../audit/origin-of.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { isId } from '../../http/wire/requests/validation.ts'
import { isLoopback } from '../../kernel/networks.ts'
import { PAGE } from '../../site/options.ts'
import { fieldOf, submittedGeneration } from '../../ui/forms/form-field.ts'
import { redirectWithNotice, takeNotice } from '../../ui/page/notice.ts'
import { listDeliveries, redeliver, sendTestEvent } from '../../webhooks/delivery-queries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateWebhookSecret,
  setEndpointEnabled,
  updateEndpoint,
  type WebhookEndpoint,
  type EndpointFault,
  type AppDeveloper,
} from '../../webhooks/endpoint-queries.ts'
import { readEndpointUrl } from '../../webhooks/endpoint-url.ts'
import { WEBHOOK_EVENTS } from '../../webhooks/events.ts'
import { sectionPath } from '../app-frame.ts'
import { ownAppOf, sendConsolePage, type OwnedOptions } from '../options.ts'
import {
  endpointPath,
  endpointView,
  webhookSecretView,
  webhooksView,
  type EndpointForm,
} from './webhook-view.ts'

type Route = { Params: { client_id: string; endpoint: string } }

const PATH = '/console/apps/:client_id/webhooks'
const ONE = `${PATH}/:endpoint`
const NOTICES = [
  'webhook_saved',
  'webhook_deleted',
  'webhook_queued',
  'webhook_refused',
  'webhook_secret_replaced',
] as const

/** Registers the pages on which developers manage the webhooks of an app, and see what was delivered. */
export function webhookRoutes(app: FastifyInstance, options: OwnedOptions) {
  const { db, accountOf, authUrl, secretKey } = options
  const isLocal = isLoopback(new URL(authUrl).hostname)

  const ownerOf = (request: FastifyRequest<Route>): AppDeveloper => ({
    accountId: accountOf(request),
    clientId: request.params.client_id,
    origin: originOf(request),
  })
  async function endpointOf(request: FastifyRequest<Route>) {
    const own = await ownAppOf(options, request)
    const { endpoint: id } = request.params
    const endpoint = isId(id) ? await findEndpoint(db, own.client_id, Number(id)) : undefined
    if (!endpoint) throw notFound()
    return { own, endpoint }
  }
  const noticeOf = (request: FastifyRequest, reply: FastifyReply) => {
    const notice = takeNotice(request, reply, NOTICES)
    const { webhooks, replacedBefore } = request.page.messages.console
    return notice === 'webhook_secret_replaced'
      ? replacedBefore
      : notice && webhooks.notices[notice]
  }

  /** Returns the submitted form, and the valid values or the errors in it. */
  function readForm(request: FastifyRequest) {
    const { faults: texts } = request.page.messages.console.webhooks
    const events = WEBHOOK_EVENTS.filter((event) => fieldOf(request, `event_${event}`) === 'yes')
    const typed = fieldOf(request, 'url').trim()
    const url = readEndpointUrl(typed, isLocal)
    const form: EndpointForm = {
      url: typed,
      events,
      faults: {
        ...(url === undefined && { url: texts.url }),
        ...(events.length === 0 && { events: texts.events }),
      },
    }
    return { form, change: { url: url ?? '', events } }
  }
  const withFault = (request: FastifyRequest, form: EndpointForm, fault: EndpointFault) => {
    if (fault !== 'limit' && fault !== 'duplicate') throw notFound()
    return { ...form, faults: { url: request.page.messages.console.webhooks.faults[fault] } }
  }
  const isFaulty = ({ faults }: EndpointForm) => Object.keys(faults).length > 0

  async function showList(
    request: FastifyRequest,
    reply: FastifyReply,
    own: App,
    form?: EndpointForm,
  ) {
    const endpoints = await listEndpoints(db, own.client_id)
    const view = webhooksView(request.page, own, {
      endpoints,
      form,
      notice: noticeOf(request, reply),
    })
    return sendConsolePage(request, reply, view, { status: form ? 422 : 200 })
  }
  async function showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    { own, endpoint }: { own: App; endpoint: WebhookEndpoint },
    form?: EndpointForm,
  ) {
    const deliveries = await listDeliveries(db, endpoint.id)
    const view = endpointView(request.page, own, endpoint, {
      deliveries,
      form,
      notice: noticeOf(request, reply),
    })
    return sendConsolePage(request, reply, view, { status: form ? 422 : 200 })
  }

  app.get<Route>(PATH, PAGE, async (request, reply) =>
    showList(request, reply, await ownAppOf(options, request)),
  )

  app.post<Route>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const { form, change } = readForm(request)
    if (isFaulty(form)) return showList(request, reply, own, form)
    const created = await createEndpoint(db, ownerOf(request), change, secretKey)
    if ('fault' in created)
      return showList(request, reply, own, withFault(request, form, created.fault))
    const view = webhookSecretView(request.page, own, created)
    return sendConsolePage(request, reply, view)
  })

  app.get<Route>(ONE, PAGE, async (request, reply) =>
    showOne(request, reply, await endpointOf(request)),
  )

  app.post<Route>(ONE, PAGE, async (request, reply) => {
    const found = await endpointOf(request)
    const { form, change } = readForm(request)
    if (isFaulty(form)) return showOne(request, reply, found, form)
    const fault = await updateEndpoint(db, ownerOf(request), found.endpoint.id, change)
    if (fault) return showOne(request, reply, found, withFault(request, form, fault))
    return redirectWithNotice(reply, endpointPath(found.own, found.endpoint), 'webhook_saved')
  })

  app.post<Route>(`${ONE}/secret`, PAGE, async (request, reply) => {
    const { own, endpoint } = await endpointOf(request)
    const { id } = endpoint
    const submitted = { id, generation: submittedGeneration(request) }
    const rotated = await rotateWebhookSecret(db, ownerOf(request), submitted, secretKey)
    if ('fault' in rotated) {
      if (rotated.fault !== 'stale') throw notFound()
      return redirectWithNotice(reply, endpointPath(own, endpoint), 'webhook_secret_replaced')
    }
    const view = webhookSecretView(request.page, own, { id, secret: rotated.secret })
    return sendConsolePage(request, reply, view)
  })

  app.post<Route>(`${ONE}/enabled`, PAGE, async (request, reply) => {
    const { own, endpoint } = await endpointOf(request)
    const isEnabled = fieldOf(request, 'enabled') === 'yes'
    const fault = await setEndpointEnabled(db, ownerOf(request), endpoint.id, isEnabled)
    const notice = fault ? 'webhook_refused' : 'webhook_saved'
    return redirectWithNotice(reply, endpointPath(own, endpoint), notice)
  })

  app.post<Route>(`${ONE}/delete`, PAGE, async (request, reply) => {
    const { own, endpoint } = await endpointOf(request)
    if (await deleteEndpoint(db, ownerOf(request), endpoint.id))
      return redirectWithNotice(reply, endpointPath(own, endpoint), 'webhook_refused')
    return redirectWithNotice(reply, sectionPath(own, 'webhooks'), 'webhook_deleted')
  })

  app.post<Route>(`${ONE}/test`, PAGE, async (request, reply) => {
    const { own, endpoint } = await endpointOf(request)
    const isQueued = await sendTestEvent(db, endpoint.id)
    const notice = isQueued ? 'webhook_queued' : 'webhook_refused'
    return redirectWithNotice(reply, endpointPath(own, endpoint), notice)
  })

  app.post<Route>(`${ONE}/redeliver`, PAGE, async (request, reply) => {
    const { own, endpoint } = await endpointOf(request)
    const id = fieldOf(request, 'delivery')
    const isQueued = isId(id) && (await redeliver(db, endpoint.id, Number(id)))
    const notice = isQueued ? 'webhook_queued' : 'webhook_refused'
    return redirectWithNotice(reply, endpointPath(own, endpoint), notice)
  })
}
