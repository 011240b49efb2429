import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ENGINES, type Engine } from '#test/databases.ts'
import { SHARING_SCORERS } from './actors.ts'
import { Campaign } from './campaign.ts'

/** Kills for each database; twice for each victim and once more with a server. docs/reliability.md has the long runs. */
const ROUNDS: Record<Engine, number> = { server: 12, embedded: 8 }
/** Time limit, in milliseconds, of all kills on a busy machine. An idle one takes half a minute. */
const LIMIT_MS = 800_000

for (const engine of ENGINES)
  describe(`a killed service, ${engine} database`, { timeout: LIMIT_MS }, () => {
    let campaign: Campaign
    before(
      async () => {
        const scorers = engine === 'server' ? SHARING_SCORERS : undefined
        campaign = await Campaign.create(engine, Math.floor(Math.random() * 2 ** 31), scorers)
      },
      { timeout: LIMIT_MS },
    )
    after(() => campaign.stage.close())

    it(
      `loses, repeats and miscounts nothing that it acknowledged, ${ROUNDS[engine]} times`,
      { timeout: LIMIT_MS },
      async () => {
        while (campaign.rounds < ROUNDS[engine] && campaign.ledger.violations.length === 0)
          await campaign.runRound()
        const stop = await campaign.write()
        await campaign.acknowledgeEveryKind()
        await stop()
        await campaign.check(true)
        assert.deepEqual(campaign.ledger.violations, [])
        // The embedded database has too few writers at a time.
        if (engine === 'server')
          assert.ok(
            campaign.shared.statements > 0,
            'a statement saved the ratings of several users',
          )
      },
    )
  })
