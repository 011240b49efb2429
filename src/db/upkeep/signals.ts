import type { Database } from '../database.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'

export type Topic =
  | 'announcements'
  | 'apps'
  | 'bans'
  | 'catalog'
  | 'feed'
  | 'personal_tokens'
  | 'ratings'
  | 'signing_keys'
  | 'takedowns'
  | 'withdrawals'
type Listener = () => void | Promise<void>

/** Time between two polls, in milliseconds. A cache is stale for at most this long plus one statement. */
export const SIGNAL_POLL_MS = 400

/** Cache invalidation between processes. Notifies this process of changes made by any process. */
export type Signals = {
  /** Calls `listener` after each change to the topic. A listener that fails is called again at the next poll. */
  on(topic: Topic, listener: Listener): void
  /** Polls now instead of at the next interval. */
  wake(): void
  /** Resolves when the listeners have been called for every change committed earlier, or when the poll has failed. */
  catchUp(): Promise<void>
  /** Returns the time, in milliseconds, since this process last knew of every change. */
  ageMs(): number
  stop(): Promise<void>
}

/**
 * Polls `change_signals`, whose revisions are incremented in the same transactions as the changes they signal. Every
 * process must learn of a change within one second, and polling is fast enough for that. A notification of a change
 * triggers a poll at once (docs/decisions/0005-signals-by-poll.md).
 */
export async function watchSignals(
  db: Database,
  onError: (error: unknown) => void,
  intervalMs = SIGNAL_POLL_MS,
): Promise<Signals> {
  /** Subscriptions. `pending` is set until the listener succeeds for the latest change. */
  const subscriptions: { topic: string; listener: Listener; pending: boolean }[] = []
  let lastRevisions = await readRevisions(db)
  let readAt = performance.now()

  /** Callers waiting for a poll that has not started yet. */
  let waiting: (() => void)[] = []
  let isStopped = false

  async function poll() {
    const resolved = waiting
    waiting = []
    try {
      await check()
    } finally {
      for (const resolve of resolved) resolve()
    }
  }

  async function check() {
    const began = performance.now()
    const revisions = await readRevisions(db)
    readAt = began
    for (const subscription of subscriptions)
      if (revisions.get(subscription.topic) !== lastRevisions.get(subscription.topic))
        subscription.pending = true
    lastRevisions = revisions
    // Run separately, so that one failing listener does not block the others.
    for (const subscription of subscriptions.filter(({ pending }) => pending)) {
      try {
        await subscription.listener()
        subscription.pending = false
      } catch (error) {
        onError(error)
      }
    }
  }

  const { wake, stop } = startPeriodicTask(intervalMs, poll, onError)

  return {
    on(topic, listener) {
      subscriptions.push({ topic, listener, pending: false })
    },
    wake,
    ageMs: () => performance.now() - readAt,
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
      for (const resolve of waiting) resolve()
    },
  }
}

/** Signals a change to every process. Call it in the transaction that makes the change. */
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
