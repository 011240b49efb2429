import type { Database } from '../database.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'

export type Topic =
  | 'apps'
  | 'bans'
  | 'catalog'
  | 'ratings'
  | 'signing_keys'
  | 'takedowns'
  | 'withdrawals'
type Listener = () => void | Promise<void>

/** Between two polls, in milliseconds; a cache is stale for at most this and one statement. */
export const SIGNAL_POLL_MS = 400

/** Cache invalidation between processes: tells the parts of this one what any of them has changed. */
export type Signals = {
  /** Has `listener` called after each change of the topic. A listener that fails is called again at the next poll. */
  on(topic: Topic, listener: Listener): void
  /** Looks now, and not only at the next poll. */
  wake(): void
  /** Returns when this process has noticed everything that was committed before, as far as the database can be asked. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

/**
 * Polls `change_signals`, whose revisions are counted up in the same transactions as the changes they signal.
 *
 * Every process is to know of a change within one second, and polling is enough for that; who hears of one earlier wakes
 * the poll (docs/decisions/0005-signals-by-poll.md).
 */
export async function watchSignals(
  db: Database,
  onError: (error: unknown) => void,
  everyMs = SIGNAL_POLL_MS,
): Promise<Signals> {
  /** `pending`: there was a change for which its listener has not succeeded yet. */
  const subscriptions: { topic: string; listener: Listener; pending: boolean }[] = []
  let lastRevisions = await readRevisions(db)

  /** Those that wait for a poll that begins from now on. */
  let waiting: (() => void)[] = []
  let isStopped = false

  async function poll() {
    const answered = waiting
    waiting = []
    try {
      await look()
    } finally {
      for (const answer of answered) answer()
    }
  }

  async function look() {
    const revisions = await readRevisions(db)
    for (const subscription of subscriptions)
      if (revisions.get(subscription.topic) !== lastRevisions.get(subscription.topic))
        subscription.pending = true
    lastRevisions = revisions
    // Each by itself: one that fails must not keep the others waiting.
    for (const subscription of subscriptions.filter(({ pending }) => pending)) {
      try {
        await subscription.listener()
        subscription.pending = false
      } catch (error) {
        onError(error)
      }
    }
  }

  const { wake, stop } = startPeriodicTask(everyMs, poll, onError)

  return {
    on(topic, listener) {
      subscriptions.push({ topic, listener, pending: false })
    },
    wake,
    catchUp() {
      if (isStopped) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      wake()
      return promise
    },
    async stop() {
      isStopped = true
      await stop()
      for (const answer of waiting) answer()
    },
  }
}

/** Signals a change to every process; called in the transaction that makes it. */
export async function signal(db: Database, topic: Topic) {
  await db
    .updateTable('change_signals')
    .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
    .where('topic', '=', topic)
    .execute()
}

async function readRevisions(db: Database) {
  const rows = await db.selectFrom('change_signals').select(['topic', 'revision']).execute()
  return new Map(rows.map(({ topic, revision }) => [topic, revision]))
}
