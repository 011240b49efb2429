import { ensureBuilt } from '../build/build.ts'
import { parseArguments, usage, type BenchOptions } from './arguments.ts'
import { codeFlow } from './code-flow.ts'
import { coldDetail } from './cold-detail.ts'
import { compareCommits } from './compare/two-commits.ts'
import { endpoints } from './endpoints.ts'
import { growth } from './growth.ts'
import { importClaim } from './import.ts'
import { include } from './include.ts'
import { interactions } from './interactions.ts'
import { latency } from './latency.ts'
import { listImport } from './list-import.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { overload, overloadWithReplica } from './overload.ts'
import { pagePaint } from './page-paint.ts'
import { pageWeight } from './page-weight.ts'
import { peers } from './peers.ts'
import { ratingPut } from './rating-put.ts'
import { notModified, page, sharedThrottle, warmDetail } from './same-bytes.ts'
import { searchClaim } from './search.ts'
import { shelf } from './shelf.ts'
import { signInClaim } from './sign-in.ts'
import { Children } from './support/children.ts'
import type { Claim } from './support/claim.ts'
import { describeMachine, wrkVersion } from './support/machine.ts'
import { report, type Result } from './support/report.ts'
import { Stage } from './support/stage.ts'
import { token } from './token.ts'
import { toolCall } from './tool-call.ts'
import { waiting } from './waiting.ts'
import { webhooks } from './webhooks.ts'
import { workersClaim } from './workers.ts'

/** All claims, in the order of docs/performance.md. */
const CLAIMS = [
  warmDetail,
  notModified,
  page,
  pageWeight,
  pagePaint,
  interactions,
  sharedThrottle,
  coldDetail,
  include,
  token,
  signInClaim,
  codeFlow,
  ratingPut,
  peers,
  shelf,
  listImport,
  growth,
  endpoints,
  lists,
  latency,
  memory,
  waiting,
  webhooks,
  toolCall,
  searchClaim,
  workersClaim,
  overload,
  overloadWithReplica,
  importClaim,
]

const NAMES = CLAIMS.map(({ name }) => name)

/** Cleanup functions of a run, run in reverse order. */
type Ends = (() => Promise<void>)[]

async function main(ends: Ends): Promise<number> {
  const options = parseArguments(process.argv.slice(2), NAMES)
  if (!options || 'complaint' in options) {
    if (options) console.error(`${options.complaint}\n`)
    console.log(usage(NAMES))
    return options ? 2 : 0
  }
  const chosen = CLAIMS.filter(
    ({ name }) => options.names.length === 0 || options.names.includes(name),
  )
  await wrkVersion(new Children())
  await ensureBuilt()
  if (options.compare === undefined) return measureTree(chosen, options, ends)
  const { lines, complete } = await compareCommits(options.compare, chosen, {
    quick: options.quick,
    atEnd: (end) => ends.push(end),
  })
  console.log(lines.join('\n'))
  return complete ? 0 : 1
}

/** Prints what was measured so far if the run is stopped or a row fails. */
async function measureTree(
  claims: Claim[],
  { quick, catalogs }: BenchOptions,
  ends: Ends,
): Promise<number> {
  const stage = new Stage({ quick, catalogs })
  ends.push(() => stage.close())
  const results: Result[] = []
  for (const claim of claims) {
    const started = performance.now()
    try {
      results.push(...(await claim.measure(stage)))
    } catch (error) {
      if (results.length > 0) console.log(report(results).join('\n'))
      throw new Error(`The row ${claim.name} failed`, { cause: error })
    }
    console.error(`${claim.name}: ${Math.round((performance.now() - started) / 1_000)} s`)
  }
  const { url } = await stage.postgres()
  console.log([...(await describeMachine(stage.children, url)), '', ...report(results)].join('\n'))
  return 0
}

/** Ends started processes and removes written files before the process exits. */
async function endAll(ends: Ends) {
  for (let end = ends.pop(); end; end = ends.pop())
    await end().catch((error: unknown) => console.error('Something was left behind:', error))
}

const ends: Ends = []
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void endAll(ends).finally(() => process.exit(130)))
try {
  process.exitCode = await main(ends)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await endAll(ends)
}
