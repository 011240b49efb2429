import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { guard, type GuardRules, type GuardServices } from './guard.ts'

/**
 * The guard of what users do: a user-level token with the scope that the route's `config.scope` names. Whose account it is
 * the token alone says (§1).
 */
export const userGuard = (
  services: GuardServices,
  rules: Pick<GuardRules, 'keyOf' | 'requestsPerMinute'>,
): onRequestHookHandler => guard(services, { ...rules, usersOnly: true })

/** The account of a user-level token. */
export function accountOf({ caller, routeOptions }: FastifyRequest): number {
  if (caller?.accountId === undefined)
    throw new Error(`${routeOptions.url} asked for its user and has no guard`)
  return Number(caller.accountId)
}
