import { startPeriodicTask, type PeriodicTask } from '../../kernel/async/periodic-task.ts'
import type { Database } from '../database.ts'
import { queryText } from '../query.ts'

/** A task that runs when it is woken: by `wakeWhenDue`, while its condition holds in the database. */
export type DueTask = PeriodicTask & {
  /** In SQL, and as cheap with a million rows as with none: a look reads an end of an index, or one row. */
  isDue: string
}

/**
 * Holds when one value is above another, each an expression or a query of one row. The end of an index is a `max`
 * or a `min`: of `exists (… where id > …)` a planner thinks that it finds one soon, and reads the whole table.
 */
export const isAbove = (value: string, other: string) => `coalesce((${value}) > (${other}), false)`

export const anyOf = (conditions: Readonly<Record<string, string>>) =>
  Object.values(conditions).join(' or ')

/** Makes the query that asks, in one statement, which of some conditions hold. */
export function whichHold<Name extends string>(conditions: Readonly<Record<Name, string>>) {
  const columns = Object.entries<string>(conditions).map(
    ([name, condition]) => `${condition} as "${name}"`,
  )
  // What has a parameter is prepared: to plan this takes ten times as long as to run it.
  const text = `select ${columns.join(', ')} where $1::boolean`
  return async (db: Database): Promise<Record<Name, boolean>> => {
    const [row] = await queryText<Record<Name, boolean>>(db, text, [true])
    if (!row) throw new Error('A query of one row gave none')
    return row
  }
}

/**
 * Looks again and again, by one statement, which tasks are due, and wakes those.
 *
 * @param everyMs between two looks, in milliseconds
 * @returns stops the looks, not the tasks
 */
export function wakeWhenDue<Name extends string>(
  db: Database,
  tasks: Readonly<Record<Name, DueTask>>,
  everyMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const all = Object.entries<DueTask>(tasks)
  const findDue = whichHold(Object.fromEntries(all.map(([name, { isDue }]) => [name, isDue])))
  const look = async () => {
    const due = await findDue(db)
    for (const [name, task] of all) if (due[name]) task.wake()
  }
  return startPeriodicTask(everyMs, look, onError).stop
}
