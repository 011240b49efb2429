import { setTimeout as sleep } from 'node:timers/promises'
import {
  startPeriodicTask,
  UNTIL_WOKEN,
  type PeriodicTask,
} from '../../kernel/async/periodic-task.ts'
import { traceTask } from '../../kernel/async/trace-task.ts'
import type { Database } from '../database.ts'
import { queryText } from '../query.ts'

/** Condition under which work is due: the SQL condition holds, or one of the queues has a row. */
type Due = {
  /** SQL condition that must take constant time: it may read one row, or one end of an index. */
  isDue?: string
  /** Tables with user data. Each is read by a separate statement, because they may be distributed. */
  queues?: readonly string[]
}

/** A task that `wakeWhenDue` wakes while its condition holds in the database. */
export type DueTask = PeriodicTask & Due

/** One kind of work of a task. */
export type DueStep = Due & {
  /**
   * Runs one batch.
   *
   * @returns a falsy value if nothing is left to do, or if another process runs the step
   */
  run(db: Database): Promise<number | boolean>
}

/** Steps of a task, the most urgent first. */
export type DueSteps<Name extends string = string> = Readonly<Record<Name, DueStep>>

/**
 * Returns an SQL condition that holds if one value is greater than another. Each value is an expression or a query of
 * one row. Read the end of an index with `max` or `min`: for `exists (… where id > …)`, the planner expects an early
 * match and scans the whole table.
 */
export const isAbove = (value: string, other: string) => `coalesce((${value}) > (${other}), false)`

/** Returns the condition under which any of the steps is due. */
export function anyDue(steps: DueSteps): Due {
  const all = Object.values<Due>(steps)
  const conditions = all.flatMap(({ isDue }) => isDue ?? [])
  return {
    ...(conditions.length > 0 && { isDue: conditions.join(' or ') }),
    queues: all.flatMap(({ queues = [] }) => queues),
  }
}

/** Creates a function that finds which steps or tasks are due, in one statement for all conditions and one per queue. */
export function dueQuery<Name extends string>(all: Readonly<Record<Name, Due>>) {
  // as: Object.entries does not infer the keys
  const entries = Object.entries(all) as [Name, Due][]
  const columns = entries.map(([name, { isDue = 'false' }]) => `${isDue} as "${name}"`)
  // The unused parameter makes the database prepare the statement. Planning it takes ten times as long as running it.
  const text = `select ${columns.join(', ')} where $1::boolean`
  const queues = [...new Set(entries.flatMap(([, due]) => due.queues ?? []))]
  return async (db: Database): Promise<Record<Name, boolean>> => {
    const [[row], ...oldest] = await Promise.all([
      queryText<Record<Name, boolean>>(db, text, [true]),
      ...queues.map((queue) =>
        queryText<{ id: number | null }>(
          db,
          `select min(id) as id from ${queue} where $1::boolean`,
          [true],
        ),
      ),
    ])
    if (!row) throw new Error('The query of due steps returned no row')
    const filled = new Set(queues.filter((_, index) => oldest[index]?.[0]?.id !== null))
    // as: one entry for each name
    return Object.fromEntries(
      entries.map(([name, due]) => [
        name,
        row[name] || (due.queues ?? []).some((queue) => filled.has(queue)),
      ]),
    ) as Record<Name, boolean>
  }
}

/**
 * Options of a run. `stopping` ends it after the current batch. With `pauses`, the run pauses after each batch for as
 * long as the batch took. `name` is the name of the task in traces.
 */
type RunOptions = { stopping?: AbortSignal; pauses?: boolean; name?: string }

/**
 * Runs the most urgent due step, one batch at a time, until no step is due. Skips a step for the rest of the run once
 * the step has nothing left to do or another process runs it.
 */
export async function runDueSteps(
  db: Database,
  steps: DueSteps,
  { stopping, pauses = false, name: task = 'steps' }: RunOptions = {},
): Promise<void> {
  const findDue = dueQuery(steps)
  let remaining = Object.entries(steps)
  for (;;) {
    if (stopping?.aborted) return
    const due = await findDue(db)
    const next = remaining.find(([name]) => due[name])
    if (!next) return
    const began = performance.now()
    const [step, { run }] = next
    if (!(await traceTask(`${task}.${step}`, () => run(db))))
      remaining = remaining.filter((step) => step !== next)
    if (pauses)
      await sleep(performance.now() - began, undefined, {
        ...(stopping && { signal: stopping }),
        ref: false,
      }).catch(() => {})
  }
}

/** Creates a task that runs all due steps when woken. */
export function startDueSteps(
  db: Database,
  steps: DueSteps,
  onError: (error: unknown) => void,
  options: Pick<RunOptions, 'pauses' | 'name'> = {},
): DueTask {
  const run = (stopping: AbortSignal) => runDueSteps(db, steps, { ...options, stopping })
  return { ...startPeriodicTask(UNTIL_WOKEN, run, onError), ...anyDue(steps) }
}

/**
 * Periodically finds which tasks are due, and wakes them.
 *
 * @param intervalMs time between two queries, in milliseconds
 * @returns a function that stops the queries, but not the tasks
 */
export function wakeWhenDue<Name extends string>(
  db: Database,
  tasks: Readonly<Record<Name, DueTask>>,
  intervalMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const findDue = dueQuery(tasks)
  const check = async () => {
    const due = await findDue(db)
    for (const name in tasks) if (due[name]) tasks[name].wake()
  }
  return startPeriodicTask(intervalMs, check, onError).stop
}
