import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { sendTokenRequest } from '#test/authorization.ts'
import { readChanges } from '#test/change-feed.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { REFERENCE_RULES } from '#test/reference-rules.ts'
import type { AnyJson } from '#test/user-api.ts'
import { assertExactCounts, assertExactHistories, waitForTotals } from '#test/ratings.ts'
import type { Cast } from './actors.ts'
import { sendToVictim } from './client.ts'
import type { Ledger, RecentWrite, Value } from './ledger.ts'
import type { CampaignStage } from './stage.ts'

/** Time, in milliseconds, within which background tasks must finish. They take a second on an idle machine. */
const MAX_WAIT_MS = 60_000

/** Values of all keys of the ledger. */
const STORED = sql<{ key: string; value: Value }>`
  select 'rating ' || account_id || ' ' || work_id as key, rate_content as value from ratings
  union all
  select 'score ' || account_id || ' ' || work_id, rate || ' ' || status from ratings
  union all
  select 'vote ' || voter_id || ' ' || rating_id, case when liked then 'LIKE' else 'DISLIKE' end from review_votes
  union all
  select 'collection ' || account_id || ' ' || name, count(*)::text from collections group by account_id, name
  union all
  select 'item ' || collection_id || ' ' || work_id, note from collection_items
  union all
  select 'app ' || client_name, count(*)::text from apps group by client_name
  union all
  select 'secret ' || client_id, secret_hash from apps
  union all
  select 'entry ' || id, name from people`

/** Rules that the rows must satisfy: name, and a query for the number of rows that do not. */
const RULES: Record<string, RawBuilder<{ wrong: number }>> = {
  'items counted wrongly': sql`
    select count(*) as wrong from collections collection
    where item_count <> (
      select count(*) from collection_items item
      where item.account_id = collection.account_id and item.collection_id = collection.id
    )`,
  'gaps in the change feed': sql`
    select count(*) as wrong
    from (select id, lag(id, 1, id - 1) over (order by id) as previous from catalog_changes) change
    where id <> previous + 1 and id <> (select id_floor + 1 from feed_state)`,
  ...REFERENCE_RULES,
  'ids of ratings given twice': sql`select count(id) - count(distinct id) as wrong from ratings`,
  'ids of changes given twice': sql`
    select count(id) - count(distinct id) as wrong from rating_changes`,
  'ids of collections given twice': sql`
    select count(id) - count(distinct id) as wrong from collections`,
}

/** Compares the service and its database with the ledger. Every difference is a violation. */
export class CampaignChecks {
  readonly #stage: CampaignStage
  readonly #ledger: Ledger
  readonly #cast: Cast
  /** Number of statements that saved ratings of several users, and number of these ratings. */
  readonly shared = { statements: 0, ratings: 0 }
  /** Newest change of a rating, and newest change in the feed, at the last check. */
  #lastRatingChange = 0
  #lastFeedId = 0

  constructor(stage: CampaignStage, ledger: Ledger, cast: Cast) {
    this.#stage = stage
    this.#ledger = ledger
    this.#cast = cast
  }

  /**
   * Checks the writes since the last call, and all current values. No writer may run.
   *
   * @param isFull whether to follow the whole history of every rating
   */
  async run(isFull: boolean) {
    try {
      // A killed connection makes PostgreSQL recover, sometimes after the service has written again.
      await waitUntil('the database accepts connections', () =>
        withTestDatabase(this.#stage.database, (db) => sql`select`.execute(db)).then(
          () => true,
          () => false,
        ),
      )
      await withTestDatabase(this.#stage.database, (db) => this.#checkDatabase(db, isFull))
      await this.#checkTokens()
    } catch (error) {
      this.#ledger.fail(error instanceof Error ? error.message.slice(0, 2_000) : String(error))
    }
  }

  async #checkDatabase(db: Database, isFull: boolean) {
    if (this.#stage.engine === 'server') await waitForStatements(db)
    const { rows } = await STORED.execute(db)
    this.#ledger.settle(new Map(rows.map(({ key, value }) => [key, value])))
    const recent = this.#ledger.takeRecent()
    await this.#checkHistory(db, recent)
    await waitForTotals(db)
    await assertExactCounts(db)
    await waitUntil('changes are numbered', async () => {
      const { rows: due } = await sql`select from catalog_changes_due limit 1`.execute(db)
      return due.length === 0
    })
    await this.#checkFeed(recent)
    for (const [rule, query] of Object.entries(RULES)) {
      const [result] = (await query.execute(db)).rows
      if (result?.wrong !== 0) this.#ledger.fail(`${result?.wrong} ${rule}`)
    }
    if (isFull) await assertExactHistories(db)
  }

  /**
   * Each acknowledged value of a rating occurs once in the history, any other at most once. Scores repeat, so equal
   * values of a rating count together.
   */
  async #checkHistory(db: Database, recent: RecentWrite[]) {
    const { rows } = await sql<{
      id: number
      transaction: string
      rating: string
      fields: AnyJson
    }>`
      select id, transaction_id::text as transaction, account_id || ' ' || work_id as rating, fields
      from rating_changes where id > ${this.#lastRatingChange}`.execute(db)
    this.#lastRatingChange = Math.max(this.#lastRatingChange, ...rows.map(({ id }) => id))
    const stored = Map.groupBy(
      rows.flatMap(({ rating, fields }) => [
        `rating ${rating}: ${fields.rate_content?.to}`,
        `score ${rating}: ${fields.rate?.to?.toFixed(1)}`,
      ]),
      (change) => change,
    )
    const ratings = recent.filter(({ write: { kind } }) => kind === 'rating' || kind === 'score')
    const sent = Map.groupBy(ratings, ({ write: { kind, key, value } }) =>
      value === null ? null : `${key}: ${kind === 'score' ? value.split(' ')[0] : value}`,
    )
    for (const [change, writes] of sent) {
      if (change === null) continue
      const count = stored.get(change)?.length ?? 0
      const acknowledged = writes.filter(({ isAcknowledged }) => isAcknowledged).length
      if (count < acknowledged || count > writes.length)
        this.#ledger.fail(`${change} occurs ${count} times in the history`)
    }
    for (const saved of Map.groupBy(rows, ({ transaction }) => transaction).values())
      if (saved.length > 1) {
        this.shared.statements += 1
        this.shared.ratings += saved.length
      }
  }

  /** Every acknowledged change of an entry is in the feed after the last one read. */
  async #checkFeed(recent: RecentWrite[]) {
    const { url } = this.#stage
    const token = await this.#appToken()
    const changed = new Set<string>()
    for (let hasMore = true; hasMore;) {
      const page = await readChanges(url, token, `?since=${this.#lastFeedId}&limit=500`)
      for (const { id, resource_type, resource_id } of page.items) {
        if (id <= this.#lastFeedId) this.#ledger.fail(`change ${id} follows ${this.#lastFeedId}`)
        this.#lastFeedId = id
        if (resource_type.toLowerCase() === 'person') changed.add(`entry ${resource_id}`)
      }
      hasMore = page.has_more
    }
    for (const { write, isAcknowledged } of recent)
      if (write.kind === 'entry' && isAcknowledged && !changed.has(write.key))
        this.#ledger.fail(`${write.key} is missing from the change feed`)
  }

  async #appToken(): Promise<string> {
    const { status, body } = await sendTokenRequest({ url: this.#stage.url }, this.#cast.app, {
      grant_type: 'client_credentials',
      scope: 'catalog:full catalog:sync',
    })
    if (status !== 200) throw new Error(`no app token: ${status} ${JSON.stringify(body)}`)
    return String(body['access_token'])
  }

  /** The last tokens that each user received are accepted. */
  async #checkTokens() {
    for (const { token } of this.#cast.users.filter(({ kind }) => kind !== 'developer')) {
      const { outcome } = await sendToVictim(this.#ledger, `${this.#stage.url}/oidc/me`, { token })
      if (outcome !== 'acknowledged') this.#ledger.fail(`an issued token is ${outcome}`)
    }
  }
}

/** Waits until the statements that killed processes have sent are finished, because they may still commit. */
async function waitForStatements(db: Database) {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db)
  await waitUntil('earlier statements are finished', async () => {
    const { rows: running } = await sql`
      select from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and state <> 'idle'
        and xact_start < ${rows[0]?.now}::timestamptz`.execute(db)
    return running.length === 0
  })
}

async function waitUntil(name: string, condition: () => Promise<boolean>) {
  for (const deadline = Date.now() + MAX_WAIT_MS; !(await condition()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`${name}: not within a minute`)
}
