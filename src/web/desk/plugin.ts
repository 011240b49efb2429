import type { FastifyInstance } from 'fastify'
import type { WebOptions } from '../options.ts'
import { guardDesk } from './guard.ts'
import { hiddenRoutes } from './hidden-routes.ts'
import { queueRoutes } from './queue-routes.ts'

const ROUTES = [queueRoutes, hiddenRoutes]

/** The pages of those who look after the service. */
export async function desk(app: FastifyInstance, options: WebOptions) {
  guardDesk(app)
  for (const routes of ROUTES) await app.register(routes, options)
}
