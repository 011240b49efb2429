import { parseArgs } from 'node:util'
import { ensureBuilt } from '../build/build.ts'
import { codeFlow } from './code-flow.ts'
import { coldDetail } from './cold-detail.ts'
import { growth } from './growth.ts'
import { latency } from './latency.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { notModified } from './not-modified.ts'
import { ratingPut } from './rating-put.ts'
import { searchClaim } from './search.ts'
import { sharedThrottle } from './shared-throttle.ts'
import { shelf } from './shelf.ts'
import { signInClaim } from './sign-in.ts'
import { describeMachine, wrkVersion } from './support/machine.ts'
import { report, type Result } from './support/report.ts'
import { Stage } from './support/stage.ts'
import { token } from './token.ts'
import { warmDetail } from './warm-detail.ts'
import { workersClaim } from './workers.ts'

/** Every claim, in the order of docs/performance.md. */
const CLAIMS = [
  warmDetail,
  notModified,
  sharedThrottle,
  coldDetail,
  token,
  signInClaim,
  codeFlow,
  ratingPut,
  shelf,
  growth,
  lists,
  latency,
  memory,
  searchClaim,
  workersClaim,
]

const USAGE = `Usage: npm run bench [-- [--quick] [NAME …]]

Measures what docs/performance.md claims: every row, or those that are named.
--quick takes short rounds and 20,000 works instead of 1,000,000.

Names: ${CLAIMS.map(({ name }) => name).join(' ')}`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  const unknown = positionals.filter((name) => CLAIMS.every((claim) => claim.name !== name))
  if (values.help || unknown.length > 0) {
    console.log(USAGE)
    return values.help ? 0 : 2
  }
  const chosen = CLAIMS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const stage = new Stage({ quick: values.quick })
  closeOnSignals(stage)
  try {
    await wrkVersion(stage.children)
    await ensureBuilt()
    const results: Result[] = []
    for (const claim of chosen) {
      const started = performance.now()
      results.push(...(await claim.measure(stage)))
      console.error(`${claim.name}: ${Math.round((performance.now() - started) / 1_000)} s`)
    }
    const { url } = await stage.postgres()
    console.log([...(await describeMachine(stage.children, url)), '', ...report(results)].join('\n'))
    return 0
  } finally {
    await stage.close()
  }
}

/** What was started is ended, and what was written removed, before the process goes. */
function closeOnSignals(stage: Stage) {
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      void stage.close().finally(() => process.exit(130))
    })
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error)
  return 1
})
