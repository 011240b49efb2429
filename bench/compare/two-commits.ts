import type { Claim } from '../support/claim.ts'
import type { Result } from '../support/report.ts'
import { OWN_ROOT } from '../support/service.ts'
import { Stage } from '../support/stage.ts'
import { reportChanges, type ClaimOutcome } from './changes.ts'
import { Checkout } from './checkout.ts'
import { OtherSideFailed, takeTurns, type Turns } from './turns.ts'

/** This tree, including uncommitted changes. */
const HERE = 'here'

type Sides = { before: Stage; after: Stage }

/**
 * Measures claims on another commit and on this tree alternately, round by round, so that other load affects both.
 * They share a PostgreSQL server and, if their schemas are equal, the contents of their catalogs.
 *
 * @param atEnd registers a cleanup function for the end of the run; they run in reverse order
 * @returns the report, and whether every claim could be measured on this tree
 */
export async function compareCommits(
  ref: string,
  claims: Claim[],
  { quick, atEnd }: { quick: boolean; atEnd(close: () => Promise<void>): void },
): Promise<{ lines: string[]; complete: boolean }> {
  const after = new Stage({ quick, side: { name: HERE, root: OWN_ROOT } })
  const checkout = new Checkout(after.children)
  atEnd(async () => checkout.remove())
  atEnd(() => after.close())
  const commit = await checkout.prepare(ref)
  const before = new Stage({ quick, side: { name: 'other', root: checkout.root, host: after } })
  atEnd(() => before.close())
  if (await checkout.hasSameSchema()) before.counterpart = after
  else console.error('The schemas differ: each commit has catalogs of its own, filled alike.')

  const outcomes: ClaimOutcome[] = []
  for (const claim of claims) {
    const started = performance.now()
    outcomes.push(await measureOnBoth(claim, { before, after }, commit))
    console.error(`${claim.name}: ${Math.round((performance.now() - started) / 1_000)} s`)
  }
  return {
    lines: reportChanges({ before: commit, after: HERE }, outcomes),
    complete: outcomes.every(({ failure }) => failure?.commit !== HERE),
  }
}

async function measureOnBoth(
  claim: Claim,
  { before, after }: Sides,
  commit: string,
): Promise<ClaimOutcome> {
  const measureOn = (stage: Stage) => (turns: Turns) => {
    stage.turns = turns
    return claim.measure(stage)
  }
  const [there, here] = await takeTurns(measureOn(before), measureOn(after))
  const outcome = { name: claim.name, before: resultsOf(there), after: resultsOf(here) }
  const failure = failureOf(there, commit) ?? failureOf(here, HERE)
  if (!failure) return outcome
  if ([before, after].some((stage) => stage.children.isClosed)) throw failure.error
  // Stop processes that a failed claim left running.
  await Promise.all([before, after].map((stage) => stage.children.endRunning()))
  return { ...outcome, failure }
}

const resultsOf = (outcome: PromiseSettledResult<Result[]>) =>
  outcome.status === 'fulfilled' ? outcome.value : []

function failureOf(outcome: PromiseSettledResult<Result[]>, commit: string) {
  if (outcome.status === 'fulfilled' || outcome.reason instanceof OtherSideFailed) return undefined
  const error = outcome.reason instanceof Error ? outcome.reason : new Error(String(outcome.reason))
  return { commit, error }
}
