import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { guard, type GuardRules, type GuardServices } from './guard.ts'

/**
 * Creates the guard of the user API, which admits user-level tokens with the route's `config.scope`. Only the token
 * determines the account (§1).
 */
export const userGuard = (
  services: GuardServices,
  rules: Pick<GuardRules, 'keyOf' | 'requestsPerMinute'>,
): onRequestHookHandler => guard(services, { ...rules, usersOnly: true })

/** Returns the account id of a user-level token. */
export function accountOf({ caller, routeOptions }: FastifyRequest): number {
  if (caller?.accountId === undefined)
    throw new Error(`${routeOptions.url} reads its user but has no guard`)
  return Number(caller.accountId)
}
