import type { FastifyRequest } from 'fastify'
import { parameterOf } from '../../ui/forms/form-field.ts'

/** Form of the provider's ids of requests that wait for somebody to sign in. */
const INTERACTION_ID = /^[A-Za-z0-9_-]{21,64}$/

/** The interaction a page is shown for, from its query. */
export function interactionOf(request: FastifyRequest): string | undefined {
  const id = parameterOf(request, 'interaction')
  return INTERACTION_ID.test(id) ? id : undefined
}

/** The address of one of our pages, for the same interaction. */
export const withInteraction = (path: string, interaction: string | undefined) =>
  interaction === undefined ? path : `${path}?interaction=${interaction}`

/** Where a sign-in leads. Never an address from the request: that would be an open redirect. */
export const afterSignIn = (interaction: string | undefined) =>
  interaction === undefined ? '/account' : `/interaction/${interaction}`
