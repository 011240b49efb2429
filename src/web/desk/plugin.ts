import type { FastifyInstance } from 'fastify'
import type { WebOptions } from '../options.ts'
import { deskAccountRoutes } from './account-routes.ts'
import { deskAppRoutes } from './app-routes.ts'
import { entryFieldRoutes } from './entry-routes.ts'
import { guardDesk } from './guard.ts'
import { hiddenRoutes } from './hidden-routes.ts'
import { matchRoutes } from './match-routes.ts'
import { queueRoutes } from './queue-routes.ts'
import { systemRoutes } from './system-routes.ts'

const ROUTES = [
  queueRoutes,
  hiddenRoutes,
  matchRoutes,
  entryFieldRoutes,
  deskAccountRoutes,
  deskAppRoutes,
  systemRoutes,
]

/** The pages of those who look after the service. */
export async function desk(app: FastifyInstance, options: WebOptions) {
  guardDesk(app)
  for (const routes of ROUTES) await app.register(routes, options)
}
