import { isMainThread, Worker } from 'node:worker_threads'

/**
 * Ends this process within a second of its parent's end, even in an endless loop. Stryker ends the parent of a test
 * that exceeds its time limit; the test itself would keep running.
 */
const WATCH = `
const { workerData: parent } = require('node:worker_threads')
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 500)
`

if (isMainThread) new Worker(WATCH, { eval: true, execArgv: [], workerData: process.ppid }).unref()
