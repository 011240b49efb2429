import type { FastifyInstance } from 'fastify'
import {
  listDailyRequests,
  listEndpointUsage,
  listLastUses,
} from '../apps/usage/endpoint-usage-queries.ts'
import { listOwnApps } from '../apps/owner-queries.ts'
import { listRefusedRequests } from '../apps/usage/refused-request-queries.ts'
import { findUsage } from '../apps/usage/usage-queries.ts'
import { queryParameterOf } from '../ui/forms/form-field.ts'
import { takeNotice } from '../ui/page/notice.ts'
import { requireSignIn } from '../site/require-sign-in.ts'
import { PAGE } from '../site/options.ts'
import { appListView, lastDays, signedInView } from './list-view.ts'
import { newAppRoutes } from './settings/new-app-routes.ts'
import {
  type AppRoute,
  type ConsoleOptions,
  ownAppOf,
  type OwnedOptions,
  sendConsolePage,
} from './options.ts'
import { appOverviewView } from './overview-view.ts'
import { REFUSED_HOURS } from './refused-view.ts'
import { secretRoutes } from './secret-routes.ts'
import { appSettingsRoutes } from './settings/settings-routes.ts'
import { tryRoutes } from './try/try-routes.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'
import { usageView } from './usage-view.ts'

/** Number of days of usage shown. */
const DAYS_SHOWN = 7

/**
 * Registers the pages on which developers create, edit, monitor and try their apps. Guests are redirected to sign in.
 */
export async function consoleRoutes(app: FastifyInstance, options: ConsoleOptions) {
  const { db } = options
  const owned: OwnedOptions = { ...options, accountOf: requireSignIn(app, db, '/console') }

  app.get('/console', PAGE, async (request, reply) => {
    const accountId = owned.accountOf(request)
    const [apps, days, lastUses] = await Promise.all([
      listOwnApps(db, accountId),
      listDailyRequests(db, accountId, DAYS_SHOWN),
      listLastUses(db, accountId),
    ])
    const data = {
      apps,
      days,
      lastUses,
      now: new Date(),
      wasDeleted: takeNotice(request, reply, ['app_deleted']) !== undefined,
    }
    return sendConsolePage(request, reply, appListView(request.page, data))
  })

  /**
   * Redirect URI of the client `mokuroku-console`. A program that uses this client to sign a developer in reads the
   * code from the URL.
   */
  app.get('/console/callback', PAGE, async (request, reply) =>
    sendConsolePage(request, reply, signedInView(request.page)),
  )

  app.get<AppRoute>('/console/apps/:client_id', PAGE, async (request, reply) => {
    const own = await ownAppOf(owned, request)
    const [usage, lastUses, refused] = await Promise.all([
      findUsage(db, own.client_id),
      listLastUses(db, owned.accountOf(request)),
      listRefusedRequests(db, own.client_id),
    ])
    const { authUrl, baseUrl } = options
    const data = {
      wasMadeBefore: takeNotice(request, reply, ['app_made_before']) !== undefined,
      readers: usage.connected_users,
      lastUse: lastUses.get(own.client_id),
      refused,
      authUrl,
      baseUrl,
    }
    return sendConsolePage(request, reply, appOverviewView(request.page, own, data))
  })

  app.get<AppRoute>('/console/apps/:client_id/usage', PAGE, async (request, reply) => {
    const own = await ownAppOf(owned, request)
    const [usage, refused] = await Promise.all([
      listEndpointUsage(db, own.client_id, DAYS_SHOWN),
      listRefusedRequests(db, own.client_id),
    ])
    const now = new Date()
    const status = Number(queryParameterOf(request, 'status'))
    const hours = Number(queryParameterOf(request, 'hours'))
    const filter = {
      status: refused.find((each) => each.status === status)?.status,
      hours: REFUSED_HOURS.find((known) => known === hours) ?? 168,
    } as const
    const data = { usage, refused, filter, now, dates: lastDays(now, DAYS_SHOWN) }
    return sendConsolePage(request, reply, usageView(request.page, own, data))
  })

  newAppRoutes(app, owned)
  secretRoutes(app, owned)
  tryRoutes(app, owned)
  if (options.webhooks === 'on') webhookRoutes(app, owned)
  await app.register(appSettingsRoutes, owned)
}
