import { setTimeout as sleep } from 'node:timers/promises'
import {
  authorizationRequest,
  authorizationResponse,
  basicAuthorization,
  CALLBACK,
  completeFlow,
} from '#test/authorization.ts'
import type { SeededRandom } from '#test/seeded-random.ts'
import type { CampaignUser } from './actors.ts'
import { CampaignBrowser, RefusedError, sendToVictim, type Answer } from './client.ts'
import type { WriterContext, Writer } from './writer.ts'

/** Share of flows that start in a new browser, with the password. The others use the session. */
const NEW_BROWSERS = 0.15

/** Returns a writer that runs whole code flows, from the authorization request to the tokens. */
export function makeFlowWriter({ ledger, url, cast }: WriterContext, actor: CampaignUser): Writer {
  let browser = new CampaignBrowser(ledger, url)

  async function runFlow(): Promise<Answer> {
    const { path, verifier } = authorizationRequest(cast.app, { scope: 'openid user:read' })
    const visit = await completeFlow(browser, await browser.get(path), actor.user)
    const code = authorizationResponse(visit).get('code') ?? ''
    return sendToVictim(ledger, `${url}/oidc/token`, {
      method: 'POST',
      headers: basicAuthorization(cast.app),
      form: {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: CALLBACK,
      },
    })
  }

  return async (random: SeededRandom) => {
    if (random.chance(NEW_BROWSERS)) browser = new CampaignBrowser(ledger, url)
    const write = ledger.send('flow', `flow ${actor.user.id}`, () => null)
    const answer = await runFlow().catch((error: unknown): Answer => {
      if (error instanceof RefusedError) return { outcome: 'refused' }
      // `fetch` throws a TypeError if the connection breaks.
      if (!(error instanceof TypeError)) ledger.fail(`code flow: ${String(error).slice(0, 500)}`)
      return { outcome: 'unanswered' }
    })
    ledger.record(write, answer.outcome)
    if (answer.outcome === 'acknowledged') actor.token = answer.body.access_token
    else await sleep(40)
  }
}
