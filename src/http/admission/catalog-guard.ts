import type { onRequestHookHandler } from 'fastify'
import { guard, type GuardRules, type GuardServices } from './guard.ts'

/** The guard of the catalog: any token with `catalog:read`, or the scope that the route's `config.scope` names. */
export const catalogGuard = (
  services: GuardServices,
  rules: Required<Pick<GuardRules, 'requestsPerMinute' | 'usage'>>,
): onRequestHookHandler =>
  guard(services, {
    ...rules,
    usersOnly: false,
    defaultScope: 'catalog:read',
    keyOf: ({ clientId }) => `catalog:${clientId}`,
    followsOverride: true,
  })
