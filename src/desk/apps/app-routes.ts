import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  allowDocumentHost,
  denyDocumentHost,
  listDeniedHosts,
} from '../../apps/client-document-queries.ts'
import { findAppForDesk, searchApps } from '../../apps/operator/search-queries.ts'
import { searchEvents } from '../../audit/search-queries.ts'
import type { ActionFilter } from '../../audit/undo-queries.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import {
  setAppEnabledAtDesk,
  setAppLimitAtDesk,
  type CheckedDeskAction,
} from '../../moderation/desk-action-queries.ts'
import { PageError } from '../../ui/page/errors.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { conflictIn, FormConflict } from '../../ui/forms/form-state.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import {
  actorOf,
  changedMeanwhile,
  readActionReason,
  readReason,
  type ActionReason,
} from '../moderator-action.ts'
import { deskAppPath, deskAppsView, deskAppView, type AppData } from './app-view.ts'
import { FOR_ADMINS } from '../guard.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'

const EVENTS = 20
const MAX_LIMIT = 1_000_000

type IdParams = { Params: { id: string } }

/** Registers the pages that search and administer users' apps. */
export async function deskAppRoutes(app: FastifyInstance, options: PageRouteOptions) {
  const { db, operations, contact } = options
  const actionOf = (request: FastifyRequest, actionReason: ActionReason): CheckedDeskAction => ({
    origin: actorOf(request),
    ...actionReason,
    contact,
  })
  /** Selects logged operator changes to one of an app's settings. */
  const actionsOn = (clientId: string, changed: string): ActionFilter => ({
    kinds: ['app_changed'],
    clientId,
    about: { by: 'operator', changed: [changed] },
  })
  const appOf = async (request: FastifyRequest<IdParams>) => {
    const found = await findAppForDesk(db, request.params.id)
    if (!found) throw notFound()
    return found
  }

  app.get('/desk/apps', FOR_ADMINS, async (request, reply) => {
    const query = queryParameterOf(request, 'q').trim()
    return sendCatalogPage(
      request,
      reply,
      deskAppsView(request.page, {
        apps: await searchApps(db, query),
        query,
        denied: (await listDeniedHosts(db)).map(({ host }) => host),
      }),
    )
  })

  app.get<IdParams>('/desk/apps/:id', FOR_ADMINS, async (request, reply) =>
    show(request, reply, { notice: await takeDoneNotice(db, request, reply) }),
  )

  async function show(
    request: FastifyRequest<IdParams>,
    reply: FastifyReply,
    { status = 200, ...data }: Pick<AppData, 'notice' | 'typed'> & { status?: number },
  ) {
    const found = await appOf(request)
    const events = await searchEvents(db, { clientId: found.client_id }, { limit: EVENTS })
    const view = deskAppView(request.page, { app: found, events, ...data })
    return sendCatalogPage(request, reply, view, { status })
  }

  for (const [name, isEnabled] of [
    ['disable', false],
    ['enable', true],
  ] as const)
    app.post<IdParams>(`/desk/apps/:id/${name}`, FOR_ADMINS, async (request, reply) => {
      const { client_id: id } = await appOf(request)
      const undoneAction = { kinds: ['app_changed'], details: { enabled: !isEnabled } } as const
      const actionReason = readActionReason(request, actionsOn(id, 'enabled'), undoneAction)
      const { outcome } = await setAppEnabledAtDesk(
        db,
        id,
        isEnabled,
        actionOf(request, actionReason),
      )
      if (outcome === 'missing') throw notFound()
      const path = deskAppPath(id)
      if (outcome === 'same') return redirectWithDone(reply, path, { done: 'already' })
      operations.wakeOutbox()
      return redirectWithDone(reply, path, {
        done: isEnabled ? 'enabled' : 'disabled',
        undo: { action: isEnabled ? 'disableApp' : 'enableApp', id },
      })
    })

  app.post<IdParams>('/desk/apps/:id/deny-host', FOR_ADMINS, async (request, reply) => {
    const { document_host: host } = await appOf(request)
    if (host === null) throw notFound()
    await denyDocumentHost(db, host, readReason(request), actorOf(request))
    return reply.redirect('/desk/apps', 303)
  })

  app.post('/desk/denied-hosts/allow', FOR_ADMINS, async (request, reply) => {
    await allowDocumentHost(db, fieldOf(request, 'host'), readReason(request), actorOf(request))
    return reply.redirect('/desk/apps', 303)
  })

  app.post<IdParams>('/desk/apps/:id/limit', FOR_ADMINS, async (request, reply) => {
    const found = await appOf(request)
    const typed = fieldOf(request, 'limit').trim()
    const limit = typed === '' ? null : Number(typed)
    if (limit !== null && (!/^\d{1,7}$/.test(typed) || limit < 1 || limit > MAX_LIMIT))
      throw new PageError(422, undefined, request.page.messages.desk.apps.badLimit)
    const id = found.client_id
    const undoneAction = { kinds: ['app_changed'], details: { before: limit } } as const
    const actionReason = readActionReason(
      request,
      actionsOn(id, 'requests_per_minute'),
      undoneAction,
      { requests_per_minute: limit },
    )
    const result = await conflictIn(
      setAppLimitAtDesk(db, id, limit, actionOf(request, actionReason)),
    )
    if (result instanceof FormConflict) {
      const label = request.page.messages.desk.columns.limit
      const notice = changedMeanwhile(request, result, (_name, stored) => ({
        label,
        value: typeof stored === 'number' ? String(stored) : '–',
      }))
      return show(request, reply, {
        notice,
        typed: { limit: typed, note: actionReason.reason },
        status: 409,
      })
    }
    if (result.outcome === 'missing') throw notFound()
    const path = deskAppPath(id)
    if (result.outcome === 'same') return redirectWithDone(reply, path, { done: 'already' })
    operations.wakeOutbox()
    return redirectWithDone(reply, path, { done: 'limited', undo: { action: 'appLimit', id } })
  })
}
