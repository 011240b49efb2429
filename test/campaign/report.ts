import { appendFileSync, readFileSync } from 'node:fs'
import type { Engine } from '#test/databases.ts'
import type { Campaign } from './campaign.ts'
import { WRITE_KINDS, type Tally, type WriteKind } from './ledger.ts'
import { VICTIM_NAMES, type VictimName } from './kills.ts'

/** Measured values by name, as text. */
export type Figures = Record<string, string>

/** Result of a fault. */
export type FaultResult = {
  name: string
  /** Outcomes of the writes during the fault and the recovery; absent if the fault was skipped or has a test file. */
  writes?: Tally
  recoveryMs?: number
  figures?: Figures
  /** Test file that causes the fault. */
  file?: string
  /** Reason why it could not be tried. */
  skipped?: string
  violations: string[]
}

/** Line of a report: a run of the program. */
export type CampaignReport = {
  at: string
  database: Engine
  seed: number
  rounds: number
  seconds: number
  kills: Partial<Record<VictimName, number>>
  /** Longest and median time, in milliseconds, from a kill to the next write. */
  recoveryMs: Partial<Record<VictimName, { median: number; max: number }>>
  writes: Partial<Record<WriteKind, Tally>>
  /** Number of statements that saved ratings of several users, and number of these ratings. */
  shared?: { statements: number; ratings: number }
  faults: FaultResult[]
  violations: string[]
}

export function reportOf(
  campaign: Campaign,
  {
    seed,
    seconds,
    faults,
    violations,
  }: Pick<CampaignReport, 'seed' | 'seconds' | 'faults' | 'violations'>,
): CampaignReport {
  return {
    at: new Date().toISOString(),
    database: campaign.stage.engine,
    seed,
    rounds: campaign.rounds,
    seconds: Math.round(seconds),
    kills: Object.fromEntries(campaign.kills),
    recoveryMs: Object.fromEntries(
      [...campaign.recoveries].map(([victim, times]) => {
        const sorted = times.toSorted((a, b) => a - b).map(Math.round)
        const median = sorted[Math.floor(sorted.length / 2)] ?? 0
        return [victim, { median, max: sorted.at(-1) ?? 0 }]
      }),
    ),
    writes: Object.fromEntries(campaign.ledger.tallies),
    shared: campaign.shared,
    faults,
    violations,
  }
}

export const appendReport = (file: string, report: CampaignReport) =>
  appendFileSync(file, `${JSON.stringify(report)}\n`)

export const readReports = (file: string): CampaignReport[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    // as: the lines that `appendReport` writes
    .map((line) => JSON.parse(line) as CampaignReport)

export function formatFault({
  name,
  skipped,
  writes,
  recoveryMs,
  figures = {},
  violations,
}: FaultResult): string {
  if (skipped !== undefined) return `${name}: skipped, ${skipped}`
  if (!writes) return `${name}: ${violations.length === 0 ? 'passed' : 'failed'}`
  return [
    `${name}: ${writes.acknowledged} acknowledged, ${writes.refused} refused, ${writes.unanswered} unanswered, ready after ${recoveryMs} ms`,
    ...Object.entries(figures).map(([figure, value]) => `${figure} ${value}`),
  ].join(', ')
}

const sum = (values: (number | undefined)[]) =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)

/** Formats the totals of all runs as the tables of docs/reliability.md. */
export function formatTotals(reports: CampaignReport[]): string {
  const engines = ['server', 'embedded'] as const
  const of = (engine: Engine) => reports.filter(({ database }) => database === engine)
  const cell = (count: (report: CampaignReport) => number | undefined) =>
    engines.map((engine) => sum(of(engine).map(count)).toLocaleString('en')).join(' | ')
  const longest = (victim: VictimName) =>
    Math.max(0, ...reports.map(({ recoveryMs }) => recoveryMs[victim]?.max ?? 0))
  const outcomes = (kind: WriteKind, outcome: keyof Tally) =>
    sum(reports.map(({ writes }) => writes[kind]?.[outcome])).toLocaleString('en')
  const faults = reports.flatMap((report) => report.faults)
  return [
    '| killed with SIGKILL | server | embedded | longest recovery |',
    '|---|---|---|---|',
    ...VICTIM_NAMES.map(
      (name) => `| ${name} | ${cell(({ kills }) => kills[name])} | ${longest(name)} ms |`,
    ),
    `| rounds | ${cell(({ rounds }) => rounds)} | |`,
    `| violations | ${cell(({ violations }) => violations.length)} | |`,
    `| shared rating statements | ${cell(({ shared }) => shared?.statements)} | |`,
    `| ratings saved by them | ${cell(({ shared }) => shared?.ratings)} | |`,
    '',
    '| writes | acknowledged | 503 | unanswered |',
    '|---|---|---|---|',
    ...WRITE_KINDS.map(
      (kind) =>
        `| ${kind} | ${outcomes(kind, 'acknowledged')} | ${outcomes(kind, 'refused')} | ${outcomes(kind, 'unanswered')} |`,
    ),
    '',
    '| fault | tried | 503 of all writes | violations |',
    '|---|---|---|---|',
    ...[...Map.groupBy(faults, ({ name }) => name)].map(([name, results]) => {
      const tried = results.filter(({ skipped }) => skipped === undefined)
      const file = results.find((result) => result.file)?.file
      const refused = sum(tried.map(({ writes }) => writes?.refused))
      const all = sum(tried.flatMap(({ writes }) => Object.values(writes ?? {})))
      const writes = file
        ? `\`${file}\``
        : `${refused.toLocaleString('en')} of ${all.toLocaleString('en')}`
      return `| ${name} | ${tried.length} | ${writes} | ${sum(tried.map(({ violations }) => violations.length))} |`
    }),
  ].join('\n')
}
