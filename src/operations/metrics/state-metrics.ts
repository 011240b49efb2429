import { statfs } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import { withinOneDeadline } from '../../db/server/deadlines.ts'
import { COMMIT, VERSION } from '../../kernel/build-info.ts'
import { pendingAge } from './pending-age.ts'
import type { Metrics } from './registry.ts'
import { findServiceState, type ServiceState } from './state-queries.ts'
import type { NamesOf } from './table.ts'

/** Time, in milliseconds, for which a reading is reused, so that scraping cannot load the database. */
const REUSE_MS = 5_000
const DEADLINE_MS = 2_000

/** Metrics that come from the database. They are omitted while it cannot be read. */
const OF_DATABASE = [
  'mokuroku_deltas_pending',
  'mokuroku_totals_lag_seconds',
  'mokuroku_feed_due',
  'mokuroku_feed_lag_seconds',
  'mokuroku_listings_lag_seconds',
  'mokuroku_search_due',
  'mokuroku_search_lag_seconds',
  'mokuroku_mails',
  'mokuroku_mail_oldest_seconds',
  'mokuroku_webhooks_pending',
  'mokuroku_webhook_lag_seconds',
  'mokuroku_webhook_endpoints',
  'mokuroku_clock_skew_seconds',
] as const satisfies NamesOf<'gauge'>[]

/** Lags of the service, in seconds, and its emails, for `/health/ready`. */
export type Lags = {
  totals: number
  feed: number
  listings: number
  search: number
  mails: ServiceState['mails']
}

type StateParts = { db: Database; config: Config; isRunning: () => boolean }

/**
 * Reports the state of the whole service. Only the leader reports it.
 *
 * @returns a function that returns the most recently measured lags
 */
export function measureState(
  metrics: Metrics,
  { db, config, isRunning }: StateParts,
): () => Lags | undefined {
  const ages = {
    ratings: pendingAge(),
    votes: pendingAge(),
    feed: pendingAge(),
    listedChanges: pendingAge(),
    listedTotals: pendingAge(),
    search: pendingAge(),
  }
  let lags: Lags | undefined
  let nextAt = 0

  metrics.onCollect(async () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + REUSE_MS
    const sentAt = Date.now()
    const state = await withinOneDeadline(() => findServiceState(db), DEADLINE_MS).catch(
      () => undefined,
    )
    const middle = (sentAt + Date.now()) / 2_000
    metrics.gauge('mokuroku_ready').set(+(state?.writable === true && isRunning()))
    if (state) report(state, state.now - middle)
    else {
      lags = undefined
      for (const name of OF_DATABASE) metrics.withdraw(name)
    }
  })
  metrics.onCollect(async () => {
    const { bavail, blocks, bsize } = await statfs(config.dataDir)
    metrics.gauge('mokuroku_disk_free_bytes').set(bavail * bsize)
    metrics.gauge('mokuroku_disk_bytes').set(blocks * bsize)
  })

  function report(state: ServiceState, skewSeconds: number) {
    const { ratings, votes, feed, changes, totals, mails } = state
    lags = {
      totals: Math.max(
        ages.ratings(ratings.first, ratings.last),
        ages.votes(votes.first, votes.last),
      ),
      feed: ages.feed(feed.first, feed.last),
      listings: Math.max(
        ages.listedChanges(changes.listed + 1, changes.last),
        ages.listedTotals(totals.listed + 1, totals.last),
      ),
      search: ages.search(changes.indexed + 1, changes.last),
      mails,
    }
    metrics.gauge('mokuroku_deltas_pending').labels('ratings').set(ratings.count)
    metrics.gauge('mokuroku_deltas_pending').labels('votes').set(votes.count)
    metrics.gauge('mokuroku_totals_lag_seconds').set(lags.totals)
    metrics.gauge('mokuroku_feed_due').set(feed.count)
    metrics.gauge('mokuroku_feed_lag_seconds').set(lags.feed)
    metrics.gauge('mokuroku_listings_lag_seconds').set(lags.listings)
    const unindexed = Math.max(0, changes.last - changes.indexed)
    metrics.gauge('mokuroku_search_due').set(unindexed + state.readers_due)
    metrics.gauge('mokuroku_search_lag_seconds').set(lags.search)
    for (const kind of ['due', 'in_hand', 'failed'] as const)
      metrics.gauge('mokuroku_mails').labels(kind).set(mails[kind])
    metrics.gauge('mokuroku_mail_oldest_seconds').set(mails.oldest_seconds)
    const { pending, lag_seconds: webhookLag, ...endpoints } = state.webhooks
    metrics.gauge('mokuroku_webhooks_pending').set(pending)
    metrics.gauge('mokuroku_webhook_lag_seconds').set(webhookLag)
    for (const kind of ['working', 'failing', 'disabled'] as const)
      metrics.gauge('mokuroku_webhook_endpoints').labels(kind).set(endpoints[kind])
    metrics.gauge('mokuroku_clock_skew_seconds').set(skewSeconds)
    metrics.gauge('mokuroku_signing_key_age_seconds').set(state.key_age_seconds)
    if (state.backup) {
      const takenAt = Date.parse(state.backup.taken_at) / 1_000
      metrics.gauge('mokuroku_backup_timestamp_seconds').set(takenAt)
      metrics.gauge('mokuroku_backup_bytes').set(state.backup.bytes)
    }
    metrics.gauge('mokuroku_database_bytes').set(state.bytes)
    metrics.gauge('mokuroku_database_xid_age').set(state.xid_age)
    for (const { source, success, failure, dump, rows } of state.imports) {
      const times = {
        mokuroku_import_last_success_timestamp_seconds: success,
        mokuroku_import_last_failure_timestamp_seconds: failure,
        mokuroku_import_dump_timestamp_seconds: dump,
      } as const
      for (const [name, time] of Object.entries(times))
        // as: the keys above
        if (time !== null)
          metrics
            .gauge(name as keyof typeof times)
            .labels(source)
            .set(time)
      metrics.gauge('mokuroku_import_rows').labels(source).set(rows)
    }
    const info = metrics.gauge('mokuroku_build_info')
    info.reset()
    info.labels(VERSION, COMMIT ?? '', state.schema ?? '', process.version).set(1)
  }

  return () => lags
}
