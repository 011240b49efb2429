import type { Database } from '../../src/db/database.ts'
import type { SeededRandom } from '#test/seeded-random.ts'
import type { CampaignUser, Cast } from './actors.ts'
import type { Ledger } from './ledger.ts'

/** Dependencies of a writer. `database` is open while the writers run. */
export type WriterContext = { url: string; ledger: Ledger; cast: Cast; database(): Database }

/** Sends one write and waits for its outcome. */
export type Writer = (random: SeededRandom) => Promise<void>

export type MakeWriter = (context: WriterContext, actor: CampaignUser) => Writer
