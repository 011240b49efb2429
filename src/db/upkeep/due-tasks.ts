import { setTimeout as sleep } from 'node:timers/promises'
import {
  startPeriodicTask,
  UNTIL_WOKEN,
  type PeriodicTask,
} from '../../kernel/async/periodic-task.ts'
import type { Database } from '../database.ts'
import { queryText } from '../query.ts'

type Due = {
  /** Condition in SQL, as cheap with a million rows as with none: it reads an end of an index, or one row. */
  isDue: string
}

/** A task that runs when it is woken: by `wakeWhenDue`, while its condition holds in the database. */
export type DueTask = PeriodicTask & Due

/** One kind of work of a task. */
export type DueStep = Due & {
  /** Does one batch. @returns falsy if nothing was left to do, or if another process does the step */
  run(db: Database): Promise<number | boolean>
}

/** The steps of a task, the most urgent first. */
export type DueSteps<Name extends string = string> = Readonly<Record<Name, DueStep>>

/**
 * Holds when one value is above another, each an expression or a query of one row. The end of an index is a `max`
 * or a `min`: of `exists (… where id > …)` a planner thinks that it finds one soon, and reads the whole table.
 */
export const isAbove = (value: string, other: string) => `coalesce((${value}) > (${other}), false)`

/** Condition in SQL that holds if any step is due. */
export const anyDue = (steps: DueSteps) =>
  Object.values(steps)
    .map(({ isDue }) => isDue)
    .join(' or ')

/** Makes the query that finds, in one statement, which steps or tasks are due. */
export function whichDue<Name extends string>(all: Readonly<Record<Name, Due>>) {
  const columns = Object.entries<Due>(all).map(([name, { isDue }]) => `${isDue} as "${name}"`)
  // What has a parameter is prepared: to plan this takes ten times as long as to run it.
  const text = `select ${columns.join(', ')} where $1::boolean`
  return async (db: Database): Promise<Record<Name, boolean>> => {
    const [row] = await queryText<Record<Name, boolean>>(db, text, [true])
    if (!row) throw new Error('A query of one row gave none')
    return row
  }
}

/** `stopping` ends the run after the current batch. With `pauses`, each batch is followed by a pause of the same length. */
type RunOptions = { stopping?: AbortSignal; pauses?: boolean }

/**
 * Runs the most urgent step that is due, a batch at a time, until no step is due. A step that has nothing left to do, or
 * that another process does, is left out from then on.
 */
export async function runDueSteps(
  db: Database,
  steps: DueSteps,
  { stopping, pauses = false }: RunOptions = {},
): Promise<void> {
  const findDue = whichDue(steps)
  let left = Object.entries(steps)
  for (;;) {
    if (stopping?.aborted) return
    const due = await findDue(db)
    const next = left.find(([name]) => due[name])
    if (!next) return
    const began = performance.now()
    if (!(await next[1].run(db))) left = left.filter((step) => step !== next)
    if (pauses)
      await sleep(performance.now() - began, undefined, {
        ...(stopping && { signal: stopping }),
        ref: false,
      }).catch(() => {})
  }
}

/** Makes a task of steps: when it is woken, it runs all that are due. */
export function startDueSteps(
  db: Database,
  steps: DueSteps,
  onError: (error: unknown) => void,
  options: Pick<RunOptions, 'pauses'> = {},
): DueTask {
  const run = (stopping: AbortSignal) => runDueSteps(db, steps, { ...options, stopping })
  return { ...startPeriodicTask(UNTIL_WOKEN, run, onError), isDue: anyDue(steps) }
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
  const findDue = whichDue(tasks)
  const look = async () => {
    const due = await findDue(db)
    for (const name in tasks) if (due[name]) tasks[name].wake()
  }
  return startPeriodicTask(everyMs, look, onError).stop
}
