import type { Database } from './database.ts'
import { startPeriodicTask } from '../kernel/periodic-task.ts'

export type Topic = 'apps' | 'bans' | 'catalog' | 'ratings' | 'signing_keys' | 'withdrawals'
type Listener = () => void | Promise<void>

/** How often the database is asked, in milliseconds; what a process keeps is stale for at most this and one statement. */
const POLL_MS = 400

/** Tells the parts of this process what any process has changed. */
export type Signals = {
  /** Has `listener` called after each change of the topic. A listener that fails is called again at the next poll. */
  on(topic: Topic, listener: Listener): void
  stop(): Promise<void>
}

/**
 * Polls `change_signals`, whose rows are counted up in the very transactions that change what they stand for.
 *
 * A poll alone meets the promise of one second; `listen/notify` would come a little sooner and need a connection of its
 * own, with its own way of being lost (docs/decisions/0005-signals-by-poll.md).
 */
export async function watchSignals(
  db: Database,
  onError: (error: unknown) => void,
  everyMs = POLL_MS,
): Promise<Signals> {
  /** `owed`: there was a change it has not taken note of. */
  const subscriptions: { topic: string; listener: Listener; pending: boolean }[] = []
  let seen = await readRevisions(db)

  async function poll() {
    const now = await readRevisions(db)
    for (const subscription of subscriptions)
      if (now.get(subscription.topic) !== seen.get(subscription.topic)) subscription.pending = true
    seen = now
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

  const { stop } = startPeriodicTask(everyMs, poll, onError)

  return {
    on(topic, listener) {
      subscriptions.push({ topic, listener, pending: false })
    },
    stop,
  }
}

/** Makes every process take note; belongs into the transaction that makes the change. */
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
