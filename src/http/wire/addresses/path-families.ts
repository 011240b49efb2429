import type { FastifyInstance, RouteOptions } from 'fastify'

/** Both path families of the catalog (decision 0002). Only the first is in §4.1 and the OpenAPI document. */
export const CATALOG_PREFIXES = ['/api/v3/open', '/v3'] as const

/** Both path families of the user API (decision 0002). Only the first is in §4.3 and the OpenAPI document. */
export const USER_PREFIXES = ['/v3/user/me', '/api/v3/open/user/me'] as const

/** Prefix of catalog routes that take no token. It has no second family. */
export const ANONYMOUS_PREFIX = '/api/v3'

/** Path of the routes that manage a developer's apps (§4.2). */
export const DEVELOPER_APPS_PATH = '/api/v3/user/me/developer/apps'

type PathFamily = {
  prefix: string
  /** Whether this is the family that the specification and the OpenAPI document use. */
  isFirst: boolean
}

/** Registers the same routes under both prefixes. The OpenAPI document omits the second family. */
export async function onBothFamilies(
  app: FastifyInstance,
  prefixes: readonly [first: string, second: string],
  addRoutes: (scope: FastifyInstance, family: PathFamily) => void | Promise<void>,
) {
  for (const [index, prefix] of prefixes.entries())
    await app.register(
      async (scope) => {
        if (index > 0) scope.addHook('onRoute', hideFromDocument)
        await addRoutes(scope, { prefix, isFirst: index === 0 })
      },
      { prefix },
    )
}

/** Also removes `operationId`, which must be unique. */
function hideFromDocument(route: RouteOptions) {
  const { operationId: _, ...schema } = route.schema ?? {}
  route.schema = { ...schema, hide: true }
}
