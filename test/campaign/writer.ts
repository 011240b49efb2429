import type { Database } from '../../src/db/database.ts'
import type { SeededRandom } from '#test/seeded-random.ts'
import type { CampaignUser, Cast } from './actors.ts'
import { sendToVictim, type CampaignRequest } from './client.ts'
import type { Ledger } from './ledger.ts'

/** Dependencies of a writer. `database` is open while the writers run. */
export type WriterContext = { url: string; ledger: Ledger; cast: Cast; database(): Database }

/** Sends one write and waits for its outcome. */
export type Writer = (random: SeededRandom) => Promise<void>

export type MakeWriter = (context: WriterContext, actor: CampaignUser) => Writer

/** Returns a function that sends requests of a user. */
export const api =
  ({ url, ledger }: WriterContext, actor: CampaignUser) =>
  (path: string, request: CampaignRequest) =>
    sendToVictim(ledger, url + path, { token: actor.token, ...request })

/** Prefers keys with a single possible value, because their next value is checked exactly. */
export function pickKey(ledger: Ledger, random: SeededRandom, keys: string[]) {
  const settled = keys.filter(ledger.isSettled)
  return random.pick(settled.length > 0 ? settled : keys)
}

/** Returns the last word of a key. */
export const lastOf = (key: string) => key.slice(key.lastIndexOf(' ') + 1)
