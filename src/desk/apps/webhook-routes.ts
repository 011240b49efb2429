import type { FastifyInstance } from 'fastify'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { setEndpointEnabledAtDesk } from '../../moderation/desk-action-queries.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { originOfUrl } from '../../webhooks/endpoint-queries.ts'
import { listAllEndpoints, type FoundEndpoint } from '../../webhooks/operator-queries.ts'
import { deskTable, deskView, expandableActionForm, timeText, type DeskPage } from '../desk-view.ts'
import { FOR_ADMINS } from '../guard.ts'
import { deskAppPath } from './app-view.ts'
import { actorOf, readReason } from '../moderator-action.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'

const PATH = '/desk/webhooks'

/** Registers the page that lists the webhooks of all apps, and disables or enables them. */
export async function deskWebhookRoutes(
  app: FastifyInstance,
  { db, operations, contact }: PageRouteOptions,
) {
  app.get(PATH, FOR_ADMINS, async (request, reply) => {
    const notice = await takeDoneNotice(db, request, reply)
    const view = webhooksOfAppsView(request.page, await listAllEndpoints(db), notice)
    return sendCatalogPage(request, reply, view)
  })

  for (const [action, isEnabled, done] of [
    ['disable', false, 'endpointDisabled'],
    ['enable', true, 'endpointEnabled'],
  ] as const)
    app.post<{ Params: { id: string } }>(
      `${PATH}/:id/${action}`,
      FOR_ADMINS,
      async (request, reply) => {
        const id = parseId(request.params.id)
        const { outcome } = await setEndpointEnabledAtDesk(db, id, isEnabled, {
          origin: actorOf(request),
          reason: readReason(request),
          contact,
        })
        if (outcome === 'missing') throw notFound()
        if (outcome === 'same') return redirectWithDone(reply, PATH, { done: 'already' })
        operations.wakeOutbox()
        return redirectWithDone(reply, PATH, { done })
      },
    )
}

function webhooksOfAppsView(
  context: PageContext,
  endpoints: FoundEndpoint[],
  notice: DeskPage['notice'],
): View {
  const { desk: texts, console: ofConsole } = context.messages
  const { columns, webhooks: own } = texts
  const { states, url } = ofConsole.webhooks
  const stateText = ({ failing_since: failing, disabled_because: because }: FoundEndpoint) =>
    states[because ?? (failing ? 'fails' : 'works')]
  const actionOf = ({ id, disabled_at: disabledAt }: FoundEndpoint) => {
    const action = disabledAt === null ? 'disable' : 'enable'
    return expandableActionForm(context, {
      action: `${PATH}/${id}/${action}`,
      button: own[action],
      isDangerous: action === 'disable',
    })
  }
  return deskView(context, {
    part: 'webhooks',
    lead: own.lead,
    notice,
    body: deskTable(
      context,
      [
        { text: columns.app },
        { text: url, isLong: true },
        { text: columns.state },
        { text: columns.at },
        { text: own.pending, isNumber: true },
        { text: '' },
      ],
      endpoints.map((endpoint) => [
        html`<a href="${deskAppPath(endpoint.client_id)}">${endpoint.client_name}</a>`,
        originOfUrl(endpoint.url),
        stateText(endpoint),
        timeText(context, endpoint.disabled_at ?? endpoint.failing_since),
        endpoint.pending,
        (endpoint.disabled_at === null || endpoint.disabled_because === 'operator') &&
          actionOf(endpoint),
      ]),
    ),
  })
}
