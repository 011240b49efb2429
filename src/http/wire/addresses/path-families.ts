import type { FastifyInstance, RouteOptions } from 'fastify'

/** Both families of paths of the catalog (decision 0002); the first is the one of §4.1 and of the document. */
export const CATALOG_PREFIXES = ['/api/v3/open', '/v3'] as const

/** Both families of paths of the user API (decision 0002); the first is the one of §4.3 and of the document. */
export const USER_PREFIXES = ['/v3/user/me', '/api/v3/open/user/me'] as const

/** Where the catalog answers what takes no token; no family of its own. */
export const ANONYMOUS_PREFIX = '/api/v3'

/** Paths that manage a developer's apps (§4.2). */
export const DEVELOPER_APPS_PATH = '/api/v3/user/me/developer/apps'

type PathFamily = {
  prefix: string
  /** The first family is the one of the specification and of the OpenAPI document. */
  isFirst: boolean
}

/** Registers the same routes below both prefixes; those below the second are left out of the OpenAPI document. */
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

/** Without its `operationId`, which stands for one operation only. */
function hideFromDocument(route: RouteOptions) {
  const { operationId: _, ...schema } = route.schema ?? {}
  route.schema = { ...schema, hide: true }
}
