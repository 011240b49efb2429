import type { Identity } from '../identity.ts'
import { requestParameter } from '../provider/requests/request-parameter.ts'

/** The request of an app that waits for somebody to sign in, while it still waits. */
export type WaitingApp = { interaction: string; appName: string }

/** @param interaction as `interactionOf` reads it, or as it is stored with a link */
export async function findWaitingApp(
  identity: Identity,
  interaction: string | undefined | null,
): Promise<WaitingApp | undefined> {
  if (interaction === undefined || interaction === null) return undefined
  const found = await identity.provider().Interaction.find(interaction)
  const client =
    found && (await identity.provider().Client.find(requestParameter(found.params, 'client_id')))
  return client && { interaction, appName: client.clientName ?? client.clientId }
}
