import type { Figures } from '../report.ts'
import type { CampaignStage, ServiceMode } from '../stage.ts'

/**
 * Ends a fault.
 *
 * @throws {Error} if the service has not behaved as it must, beyond what every fault requires
 */
type EndFault = () => unknown

export type CampaignFault = {
  name: string
  /** `served`: no request fails. `refused`: requests may fail with 503, or without an answer if a process ends. */
  expects: 'served' | 'refused'
  /** Time, in milliseconds, that the fault lasts. */
  lastsMs: number
  /** Minimum number of writes that must be acknowledged; 0 by default. */
  minAcknowledged?: number
  /** Time, in milliseconds, between two writes of a user; 0 by default. */
  pauseMs?: number
  /** Runs only if named, because it takes half a minute or longer. */
  isSlow?: boolean
  /**
   * @param report adds measured values to the report
   * @returns its end, or the reason why it cannot be tried on this machine
   */
  begin(stage: CampaignStage, report: (figures: Figures) => void): Promise<EndFault | string>
}

/** Faults that need the same surroundings. */
type FaultGroup = {
  faults: CampaignFault[]
  /** How the service is started. */
  mode: ServiceMode
  close(): Promise<unknown>
}

export const NEEDS_SERVER = 'it needs a database server'

/** Opens the surroundings of a group, or returns the reason why this machine lacks them. */
export type OpenFaultGroup = (stage: CampaignStage) => Promise<FaultGroup | string>

/** Starts a repeated action, and returns the function that ends it. */
export function repeatEvery(milliseconds: number, action: () => unknown): EndFault {
  const timer = setInterval(() => void action(), milliseconds)
  return () => clearInterval(timer)
}

/** Reads pages and the OpenAPI document, five times per second. */
export const readPages = ({ url }: { url: string }): EndFault =>
  repeatEvery(200, () =>
    Promise.allSettled(
      ['/galgames', '/people', '/openapi.json'].map(async (path) =>
        (await fetch(url + path)).arrayBuffer(),
      ),
    ),
  )
