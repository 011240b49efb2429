import type { onRequestHookHandler } from 'fastify'
import { countedAs } from './bearer.ts'
import { guard, type GuardRules, type GuardServices } from './guard.ts'

/**
 * Creates the guard of the catalog, which admits any token with `catalog:read` or with the route's `config.scope`, and
 * requests without a token if the rules allow them.
 */
export const catalogGuard = (
  services: GuardServices,
  rules: Required<Pick<GuardRules, 'requestsPerMinute' | 'usage'>> &
    Pick<GuardRules, 'anonymousRequestsPerMinute'>,
): onRequestHookHandler =>
  guard(services, {
    ...rules,
    usersOnly: false,
    defaultScope: 'catalog:read',
    // An agent is used by many people, so its tools are counted for each of them.
    keyOf: (caller) =>
      caller.isDelegated && caller.accountId !== undefined
        ? `catalog:${countedAs(caller)}:${caller.accountId}`
        : `catalog:${countedAs(caller)}`,
    followsOverride: true,
  })
