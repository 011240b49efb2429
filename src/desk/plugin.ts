import type { FastifyInstance } from 'fastify'
import type { PageRouteOptions } from '../site/options.ts'
import { deskAccountRoutes } from './accounts/account-routes.ts'
import { deskAppRoutes } from './apps/app-routes.ts'
import { deskWebhookRoutes } from './apps/webhook-routes.ts'
import { entryFieldRoutes } from './entries/entry-routes.ts'
import { deskInvitationRoutes } from './accounts/invitation-routes.ts'
import { guardDesk } from './guard.ts'
import { hiddenRoutes } from './reports/hidden-routes.ts'
import { matchRoutes } from './entries/match-routes.ts'
import { mergeRoutes } from './entries/merge-routes.ts'
import { queueRoutes } from './reports/queue-routes.ts'
import { announcementRoutes } from './system/announcement-routes.ts'
import { systemRoutes } from './system/system-routes.ts'

const ROUTES = [
  queueRoutes,
  hiddenRoutes,
  matchRoutes,
  mergeRoutes,
  entryFieldRoutes,
  deskAccountRoutes,
  deskInvitationRoutes,
  deskAppRoutes,
  deskWebhookRoutes,
  announcementRoutes,
  systemRoutes,
]

/** Registers the pages for moderators and administrators. */
export async function desk(app: FastifyInstance, options: PageRouteOptions) {
  guardDesk(app)
  for (const routes of ROUTES) await app.register(routes, options)
}
