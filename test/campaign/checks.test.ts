import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { ENGINES } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { Campaign } from './campaign.ts'
import type { WriteKind } from './ledger.ts'

/** Time limit, in milliseconds, on a busy machine. An idle one takes ten seconds. */
const LIMIT_MS = 400_000

/** Changes that leave no trace outside their row: kind, key in the ledger, and statement. */
const HIDDEN: {
  name: string
  kind: WriteKind
  /** `value` is the value of the write. By default, it is new. */
  keys: RawBuilder<{ key: string; id: number; value?: string }>
  change(value: string, id: number): RawBuilder<unknown>
  found: string
}[] = [
  {
    name: 'a changed entry that is not in the feed',
    kind: 'entry',
    keys: sql`select 'entry ' || id as key, id from people limit 1`,
    // In the role `replica`, triggers do not run.
    change: (value, id) => sql`
      with replica as materialized (select set_config('session_replication_role', 'replica', true))
      update people set name = ${value} from replica where id = ${id}`,
    found: 'entry # is missing from the change feed',
  },
  {
    name: 'a changed rating without history',
    kind: 'rating',
    keys: sql`
      select 'rating ' || account_id || ' ' || work_id as key, id
      from ratings where rate_content like 'review %' limit 1`,
    change: (value, id) => sql`update ratings set rate_content = ${value} where id = ${id}`,
    found: 'rating # #: write #',
  },
  {
    name: 'a score without history',
    kind: 'score',
    keys: sql`
      select 'score ' || account_id || ' ' || work_id as key, id, rate || ' ' || status as value
      from ratings where rate_content = '' and rate is not null limit 1`,
    // Changing the row would also make the totals wrong.
    change: () => sql`select`,
    found: 'score # #: #.#',
  },
]

/** Losses and the violations that they cause. Those that end the checks early come last. */
const LOSSES: { name: string; loss: RawBuilder<unknown>; found: string[] }[] = [
  {
    name: 'a change in the feed',
    loss: sql`delete from catalog_changes where id = (select max(id) - 1 from catalog_changes)`,
    found: ['# gaps in the change feed'],
  },
  {
    name: 'the items of collections',
    loss: sql`delete from collection_items`,
    found: ['# items counted wrongly', 'item # #'],
  },
  {
    name: 'a vote',
    loss: sql`delete from review_votes where ctid = (select min(ctid) from review_votes)`,
    found: ['Expected values to be strictly deep-equal:', 'vote # #'],
  },
  {
    name: 'a rating',
    loss: sql`
      delete from ratings where id = (select max(id) from ratings where rate_content like 'review %')`,
    found: ['rating # #'],
  },
]

for (const engine of ENGINES)
  describe(`the checks of a campaign, ${engine} database`, { timeout: LIMIT_MS }, () => {
    let campaign: Campaign
    before(
      async () => {
        campaign = await Campaign.create(engine, Math.floor(Math.random() * 2 ** 31))
        const stop = await campaign.write()
        await campaign.acknowledgeEveryKind()
        await stop()
        await campaign.check(true)
        assert.deepEqual(campaign.ledger.violations, [])
      },
      { timeout: LIMIT_MS },
    )
    after(() => campaign.stage.close())

    const query = <Row>(statement: RawBuilder<Row>) =>
      withTestDatabase(campaign.stage.database, async (db) => (await statement.execute(db)).rows)

    /** Kinds of violations found so far. Each check finds wrong counts and gaps again. */
    const known = new Set<string>()
    /** Runs a statement, and returns the new kinds of violations that the checks find. */
    async function violationsAfter(change: RawBuilder<unknown>) {
      await query(change)
      await campaign.check(false)
      const kinds = campaign.ledger.violations.map((text) =>
        text.replace(/ has .*| occurs .*|\n.*/s, '').replaceAll(/\d+/g, '#'),
      )
      const found = new Set(kinds).difference(known)
      for (const kind of found) known.add(kind)
      return [...found].toSorted()
    }

    for (const { name, kind, keys, change, found } of HIDDEN)
      it(`notice ${name}`, async () => {
        const [row] = await query(keys)
        assert.ok(row)
        const { ledger } = campaign
        const write = ledger.send(kind, row.key, (number) => row.value ?? `write ${number}`)
        ledger.record(write, 'acknowledged')
        assert.deepEqual(await violationsAfter(change(String(write.value), row.id)), [found])
      })

    for (const { name, loss, found } of LOSSES)
      it(`notice the loss of ${name}`, async () => {
        assert.deepEqual(await violationsAfter(loss), found)
      })
  })
