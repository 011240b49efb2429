import type { FastifyRequest } from 'fastify'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import type { Identity } from '../identity.ts'
import { findClient } from '../provider/client-documents.ts'
import { requestParameter } from '../provider/requests/request-parameter.ts'

const INTERACTION_ID = /^[A-Za-z0-9_-]{21,64}$/

/** Returns the id of the interaction that a page belongs to, from its query string. */
export function interactionOf(request: FastifyRequest): string | undefined {
  const id = queryParameterOf(request, 'interaction')
  return INTERACTION_ID.test(id) ? id : undefined
}

/** Returns the URL of one of our pages with the same interaction. */
export const withInteraction = (path: string, interaction: string | undefined) =>
  interaction === undefined ? path : `${path}?interaction=${interaction}`

/**
 * Returns the path to continue at after a sign-in. It is never a URL from the request, which would be an open redirect.
 */
export const pathAfterSignIn = (interaction: string | undefined) =>
  interaction === undefined ? '/account' : `/interaction/${interaction}`

/** App whose authorization request waits for a sign-in. */
export type WaitingApp = { interaction: string; appName: string; loginHint: string }

/** @param interaction id from `interactionOf` or stored with a link */
export async function findWaitingApp(
  identity: Identity,
  interaction: string | undefined | null,
): Promise<WaitingApp | undefined> {
  if (interaction === undefined || interaction === null) return undefined
  const provider = identity.provider()
  const params = (await provider.Interaction.find(interaction))?.params
  const client = params && (await findClient(provider, requestParameter(params, 'client_id')))
  if (!client) return undefined
  const appName = client.clientName ?? client.clientId
  return { interaction, appName, loginHint: requestParameter(params, 'login_hint') }
}
