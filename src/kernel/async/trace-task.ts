import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'

/** Trace of the current request or task. */
export type TraceContext = { trace_id: string }

/** Current trace, for log lines; undefined without tracing. */
export const traceContext = new AsyncLocalStorage<TraceContext>()

export type TaskRun = { name: string; error?: unknown }

/** Runs of background tasks, with the name of the task. */
export const TASK_RUNS = tracingChannel<TaskRun, TraceContext>('mokuroku:task')

/** Runs one batch of a task, which appears as a span if tracing is on. */
export const traceTask = <Result>(name: string, run: () => Promise<Result>): Promise<Result> =>
  TASK_RUNS.tracePromise(run, { name })
