import { setTimeout as sleep } from 'node:timers/promises'
import type { Campaign } from '../campaign.ts'
import type { Tally } from '../ledger.ts'
import type { FaultResult } from '../report.ts'
import { openDatabaseFaults } from './database-faults.ts'
import type { CampaignFault, OpenFaultGroup } from './fault.ts'
import { openMailFaults } from './mail-faults.ts'
import { openFileFaults, openProcessFaults } from './process-faults.ts'
import { openRedisFaults } from './redis-faults.ts'

/** Time, in milliseconds, for which the writers run before a fault begins and after it has ended. */
const UNDISTURBED_MS = 400

const GROUPS: Record<string, OpenFaultGroup> = {
  database: openDatabaseFaults,
  redis: openRedisFaults,
  mail: openMailFaults,
  process: openProcessFaults,
  files: openFileFaults,
}

/**
 * Tries faults while the writers run. Each must leave every response a success or 503, the service able to write
 * again, and every acknowledged write stored.
 *
 * @param names names of faults or groups; by default, all that are not slow. `all` includes the slow ones
 */
export async function runFaults(
  campaign: Campaign,
  names: string[],
  onResult: (result: FaultResult) => void = () => {},
): Promise<FaultResult[]> {
  const results: FaultResult[] = []
  const add = (result: FaultResult) => {
    results.push(result)
    onResult(result)
  }
  for (const [groupName, open] of Object.entries(GROUPS)) {
    const isChosen = ({ name, isSlow = false }: CampaignFault) =>
      names.length === 0 ? !isSlow : ['all', name, groupName].some((given) => names.includes(given))
    const group = await open(campaign.stage)
    if (typeof group === 'string') {
      add({ name: groupName, writes: emptyTally(), recoveryMs: 0, skipped: group, violations: [] })
      continue
    }
    try {
      const faults = group.faults.filter(isChosen)
      if (faults.length > 0) await campaign.restart(group.mode)
      for (const fault of faults)
        if (campaign.ledger.violations.length === 0) add(await tryFault(campaign, fault))
    } finally {
      await group.close()
    }
  }
  return results
}

async function tryFault(campaign: Campaign, fault: CampaignFault): Promise<FaultResult> {
  const { stage, ledger } = campaign
  const before = ledger.total()
  const known = ledger.violations.length
  const result = { name: fault.name, writes: emptyTally(), recoveryMs: 0, violations: [] }
  const stop = await campaign.write()
  let endedAt = performance.now()
  try {
    await sleep(UNDISTURBED_MS)
    const end = await fault.begin(stage)
    if (typeof end === 'string') return { ...result, skipped: end }
    await sleep(fault.lastsMs)
    endedAt = performance.now()
    await end()
  } catch (error) {
    ledger.fail(`${fault.name}: ${String(error)}`)
  } finally {
    await campaign
      .recover()
      .catch((error: unknown) => ledger.fail(`${fault.name}: ${String(error)}`))
    result.recoveryMs = Math.round(performance.now() - endedAt)
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
    ledger.fail(`${fault.name}: ${writes.refused} refused and ${writes.unanswered} unanswered`)
  return { ...result, writes, violations: ledger.violations.slice(known) }
}

const emptyTally = (): Tally => ({ acknowledged: 0, refused: 0, unanswered: 0 })
