import { setTimeout as sleep } from 'node:timers/promises'
import type { Campaign } from '../campaign.ts'
import type { FaultResult, Figures } from '../report.ts'
import { openClientFaults } from './client-faults.ts'
import { openDatabaseFaults } from './database-faults.ts'
import type { CampaignFault, OpenFaultGroup } from './fault.ts'
import { openMailFaults } from './mail-faults.ts'
import {
  openFileFaults,
  openMemoryFaults,
  openProcessFaults,
  openStallFaults,
} from './process-faults.ts'
import { openRedisFaults } from './redis-faults.ts'
import { openSoak } from './soak.ts'
import { FAULTS_IN_TESTS, runTestFile } from './test-files.ts'

/** Time, in milliseconds, for which the writers run before a fault begins and after it has ended. */
const UNDISTURBED_MS = 400

const GROUPS: Record<string, OpenFaultGroup> = {
  database: openDatabaseFaults,
  redis: openRedisFaults,
  mail: openMailFaults,
  process: openProcessFaults,
  stalls: openStallFaults,
  memory: openMemoryFaults,
  clients: openClientFaults,
  files: openFileFaults,
  soak: openSoak,
}

/**
 * Tries faults while the writers run. Each must leave every response a success or 503, the service able to write
 * again, and every acknowledged write stored.
 *
 * @param names names of faults or groups; by default, all that are not slow. `all` includes the slow ones
 * @param times number of times that each fault is tried
 */
export async function runFaults(
  campaign: Campaign,
  names: string[],
  times = 1,
  onResult: (result: FaultResult) => void = () => {},
): Promise<FaultResult[]> {
  const results: FaultResult[] = []
  const { violations } = campaign.ledger
  const add = (result: FaultResult) => {
    results.push(result)
    onResult(result)
  }
  /** Tries a fault `times` times, or until a violation. */
  async function repeat(attempt: () => Promise<FaultResult>) {
    for (let count = 0; count < times && violations.length === 0; count += 1) add(await attempt())
  }
  for (const [groupName, open] of Object.entries(GROUPS)) {
    const isChosen = ({ name, isSlow = false }: CampaignFault) =>
      names.length === 0 ? !isSlow : ['all', name, groupName].some((given) => names.includes(given))
    const group = await open(campaign.stage)
    if (typeof group === 'string') {
      add({ name: groupName, skipped: group, violations: [] })
      continue
    }
    try {
      const faults = group.faults.filter(isChosen)
      if (faults.length > 0) await campaign.restart(group.mode)
      for (const fault of faults) await repeat(() => tryFault(campaign, fault))
    } finally {
      await group.close()
    }
  }
  for (const [name, file] of Object.entries(FAULTS_IN_TESTS))
    if (['all', 'tests', name].some((given) => names.includes(given)))
      await repeat(async () => {
        const result = await runTestFile(name, file)
        for (const violation of result.violations) campaign.ledger.fail(violation)
        return result
      })
  return results
}

async function tryFault(campaign: Campaign, fault: CampaignFault): Promise<FaultResult> {
  const { stage, ledger } = campaign
  const before = ledger.total()
  const known = ledger.violations.length
  const { name } = fault
  let recoveryMs = 0
  const stop = await campaign.write(fault.pauseMs)
  const figures: Figures = {}
  let endedAt = performance.now()
  try {
    await sleep(UNDISTURBED_MS)
    const end = await fault.begin(stage, (measured) => Object.assign(figures, measured))
    if (typeof end === 'string') return { name, skipped: end, violations: [] }
    await sleep(fault.lastsMs)
    endedAt = performance.now()
    await end()
  } catch (error) {
    ledger.fail(`${name}: ${String(error)}`)
  } finally {
    await campaign.recover().catch((error: unknown) => ledger.fail(`${name}: ${String(error)}`))
    recoveryMs = Math.round(performance.now() - endedAt)
    await sleep(UNDISTURBED_MS)
    await stop()
  }
  await campaign.check(true)
  const after = ledger.total()
  const writes = {
    acknowledged: after.acknowledged - before.acknowledged,
    refused: after.refused - before.refused,
    unanswered: after.unanswered - before.unanswered,
  }
  if (fault.expects === 'served' && writes.refused + writes.unanswered > 0)
    ledger.fail(`${name}: ${writes.refused} refused and ${writes.unanswered} unanswered`)
  const { minAcknowledged = 0 } = fault
  if (writes.acknowledged < minAcknowledged)
    ledger.fail(
      `${name}: ${writes.acknowledged} writes of at least ${minAcknowledged} were acknowledged`,
    )
  return { name, writes, recoveryMs, figures, violations: ledger.violations.slice(known) }
}
