import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { redisMissing } from '#test/redis.ts'
import { Campaign } from './campaign.ts'
import { runFaults } from './faults/run-faults.ts'
import { FAULTS_IN_TESTS } from './faults/test-files.ts'

/** Time limit, in milliseconds, of one fault on a busy machine. An idle one takes ten seconds. */
const LIMIT_MS = 400_000

/** A few of the faults in docs/reliability.md, which has them all. */
const FAULTS: { name: string; skip?: string | false }[] = [
  { name: 'PostgreSQL restarted' },
  { name: 'database read-only' },
  { name: 'Redis killed', skip: redisMissing() },
  { name: 'mail server silent' },
  { name: 'a worker suspended' },
]

it('names test files that exist', () => {
  for (const file of Object.values(FAULTS_IN_TESTS)) assert.ok(existsSync(file), file)
})

describe('a service under mixed writes', { timeout: 2 * LIMIT_MS }, () => {
  let campaign: Campaign
  before(
    async () => {
      campaign = await Campaign.create('server', Math.floor(Math.random() * 2 ** 31))
    },
    { timeout: LIMIT_MS },
  )
  after(() => campaign.stage.close())

  for (const { name, skip = false } of FAULTS)
    it(
      `returns only successes and 503, recovers, and loses nothing: ${name}`,
      { timeout: LIMIT_MS, skip },
      async () => {
        const results = await runFaults(campaign, [name])
        assert.deepEqual(campaign.ledger.violations, [])
        const [result, ...others] = results.filter(({ skipped }) => skipped === undefined)
        assert.deepEqual([result?.name, others], [name, []])
        assert.ok((result?.writes?.acknowledged ?? 0) > 0, 'writes were acknowledged')
      },
    )
})
