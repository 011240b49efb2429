import { parseArgs } from 'node:util'
import { refuseBadNumbers } from '#test/number-variables.ts'
import { ensureBuilt } from '../../build/build.ts'
import { SHARING_SCORERS } from './actors.ts'
import { Campaign } from './campaign.ts'
import { runFaults } from './faults/run-faults.ts'
import {
  appendReport,
  formatFault,
  formatTotals,
  readReports,
  reportOf,
  type FaultResult,
} from './report.ts'

const USAGE = `Usage: node test/campaign/run.ts [--rounds N] [--database server|embedded] [--seed S] [--report FILE]
                                  [--faults [FAULT …]] [--times N] [--totals]

Kills processes of a running service (SIGKILL) while users write, starts them again, and compares the database with
a ledger of everything that was sent and acknowledged. Prints a line per round, and stops at the first violation.

--rounds N      number of kills; 20 by default. SIGINT and SIGTERM end the run, without the current round
--database D    "server" (the default): kills the service, a worker, the primary of two workers, one PostgreSQL
                backend and all of PostgreSQL in turn. "embedded": kills the service
--seed S        repeats the random choices of a run; the timing still differs
--report FILE   appends the result as a line of JSON, so that the results of several runs add up
--faults        afterwards, tries faults of PostgreSQL, Redis, the mail server, the processes and the clients: those
                named, all of a group (database, redis, mail, process, stalls, memory, clients, files, soak), or
                all but the slow ones. Each must leave every response a success or 503, and every acknowledged write stored.
                "tests" runs the test files that cause other faults. "all" includes them and the slow ones.
                "soak" takes SOAK_MINUTES minutes, by default two
--times N       tries each fault N times
--totals        prints the totals of all runs in the report, as in docs/reliability.md, and runs nothing

Exits with 1 after a violation. The ledger and the data are kept then, and the output names their folder.`

async function main(): Promise<number> {
  refuseBadNumbers()
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '20' },
      database: { type: 'string', default: 'server' },
      seed: { type: 'string' },
      report: { type: 'string' },
      faults: { type: 'boolean' },
      times: { type: 'string', default: '1' },
      totals: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  const rounds = Number(values.rounds)
  const { database, report } = values
  const isDatabase = database === 'server' || database === 'embedded'
  const times = Number(values.times)
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
  const areCounts = [rounds, times, seed].every((count) => Number.isInteger(count) && count >= 0)
  if (values.help || !isDatabase || !areCounts) {
    console.log(USAGE)
    return values.help ? 0 : 2
  }
  if (values.totals) {
    console.log(formatTotals(readReports(report ?? '')))
    return 0
  }
  await ensureBuilt()
  console.log(`${database}, seed ${seed}`)
  const isShared = database === 'server' && !values.faults
  const campaign = await Campaign.create(database, seed, isShared ? SHARING_SCORERS : undefined)
  const began = performance.now()
  const faults: FaultResult[] = []
  const interrupted = new Promise<'interrupted'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => resolve('interrupted'))
  })
  const hasViolations = () => campaign.ledger.violations.length > 0
  async function runAll() {
    while (campaign.rounds < rounds && !hasViolations()) {
      const startedAt = performance.now()
      const victim = await campaign.runRound()
      console.log(
        `round ${campaign.rounds}: ${victim}, ${Math.round(performance.now() - startedAt)} ms`,
      )
    }
    await campaign.check(true)
    if (!values.faults || hasViolations()) return
    await runFaults(campaign, positionals, times, (result) => {
      faults.push(result)
      console.log(formatFault(result))
    })
  }
  const outcome = await Promise.race([runAll(), interrupted]).catch((error: unknown) =>
    campaign.ledger.fail(String(error)),
  )
  // The signal of a terminal ends the service too. A run with a violation would have stopped before.
  const violations = outcome === 'interrupted' ? [] : campaign.ledger.violations
  const seconds = (performance.now() - began) / 1_000
  const result = reportOf(campaign, { seed, seconds, faults, violations })
  if (report !== undefined) appendReport(report, result)
  console.log(formatTotals([result]))
  await campaign.stage.close(violations.length > 0)
  for (const violation of violations) console.error(violation)
  if (violations.length === 0) return 0
  console.error(`The ledger and the data are in ${campaign.stage.folder}.`)
  return 1
}

// After an interruption, the last round is still running.
process.exit(await main())
