import { styleText } from 'node:util'
import { Command } from 'commander'
import {
  ConfigError,
  currentEnvironment,
  readConfig,
  readProxySettings,
  type Config,
} from '../../src/config/config.ts'
import { openDatabase, type OpenDatabase } from '../../src/db/database.ts'
import { clusterOf, hasCluster } from '../../src/db/embedded/cluster.ts'
import { refuseLostCluster } from '../../src/db/embedded/refused-cluster.ts'
import { LIMITS } from '../../src/doctor/check.ts'
import { countFindings, examine, type CheckResult } from '../../src/doctor/examine.ts'
import { textOfFinding, titleOfCheck } from '../../src/doctor/finding-text.ts'
import { fault, warning, type Finding } from '../../src/doctor/finding.ts'
import { explainFailure } from '../explain-failure.ts'
import { Failure } from '../failure.ts'
import { useProxy } from '../../src/outbound/proxy.ts'
import { printable } from '../../src/kernel/printable.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'

const HELP = `
Checks settings, files, the database, Redis, the mail server, sign-in providers,
signing keys, the public URLs and the proxies in front of them, imports, backups
and sign-up. Changes nothing, and works while the service runs. Exit status:
0 all is well, 1 warnings, 2 errors. Set NO_COLOR to print without colors.`

/** Maximum number of connections to the database, so that a check leaves room for the service. */
const POOL_SIZE = 2

export const doctorCommand = () =>
  new Command('doctor')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(async (options: PrintOptions) => {
      const results = await examineInstallation()
      const { errors, warnings } = countFindings(results)
      print(options, results.map(toJson), results.flatMap(linesOf))
      if (errors + warnings === 0) return
      throw new Failure(`${plural(errors, 'error')}, ${plural(warnings, 'warning')}.`, {
        exitStatus: errors > 0 ? 2 : 1,
      })
    })

async function examineInstallation(): Promise<CheckResult[]> {
  try {
    useProxy(readProxySettings())
    return await examineWith(readConfig())
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const findings = error.message
      .split('\n')
      .map((line) => fault('settings.invalid', { params: { line } }))
    return [{ id: 'settings', status: 'error', milliseconds: 0, findings }]
  }
}

async function examineWith(config: Config): Promise<CheckResult[]> {
  const context = {
    config,
    environment: currentEnvironment(),
    folder: '.',
    engine: config.databaseUrl === undefined ? ('embedded' as const) : ('server' as const),
    limits: LIMITS,
    now: Date.now,
  }
  const database = await open(config)
  try {
    return await examine({
      context,
      database: 'code' in database ? database : database.db,
      isThorough: true,
    })
  } finally {
    if (!('code' in database)) await database.close()
  }
}

/** Opens the database without creating or migrating one. */
async function open(config: Config): Promise<OpenDatabase | Finding> {
  const { dataDir, databaseUrl } = config
  try {
    if (databaseUrl === undefined && !hasCluster(dataDir)) {
      refuseLostCluster(dataDir, clusterOf(dataDir), false)
      return warning('database.none')
    }
    return await openDatabase({
      ...config,
      databasePoolSize: Math.min(config.databasePoolSize, POOL_SIZE),
    })
  } catch (error) {
    return fault('database.cannot_open', { detail: explainFailure(error) })
  }
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const toJson = ({ id, status, milliseconds, findings }: CheckResult) => ({
  id,
  title: titleOfCheck('en', id),
  status,
  milliseconds,
  findings: findings.map((finding) => ({
    level: finding.level,
    code: finding.code,
    ...textOfFinding('en', finding),
    ...(finding.detail !== undefined && { detail: finding.detail }),
  })),
})

const MARKS = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  error: ['✗', 'red'],
  skipped: ['–', 'gray'],
} as const

/** Styles text if the output is a terminal and `NO_COLOR` is unset. */
const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  styleText(style, text, { stream: process.stdout })

function linesOf({ id, status, findings }: CheckResult): string[] {
  const [mark, color] = MARKS[status]
  const suffix = status === 'skipped' ? ': skipped because of the problem above' : ''
  return [
    `${styled(color, mark)} ${titleOfCheck('en', id)}${suffix}`,
    ...findings.flatMap((finding) => {
      const { problem, advice } = textOfFinding('en', finding)
      const [sign, signColor] = MARKS[finding.level]
      return [
        `    ${styled(signColor, sign)} ${printable(problem)}`,
        `      ${printable(advice)}`,
        ...(finding.detail === undefined
          ? []
          : [`      ${styled('gray', printable(finding.detail))}`]),
      ]
    }),
  ]
}
