import { Command } from 'commander'
import { findRun, listRuns, type ImportRun } from '../../../src/curation/runs/list-queries.ts'
import { Failure } from '../../failure.ts'
import { linesOfCounts, linesOfRemarks, withRemarkTexts } from '../../import/import-summary.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { UsageError } from '../../usage-error.ts'
import { withDatabase } from '../../with-database.ts'

/** Default number of runs to list. */
const LISTED = 20

// Commander may assign options of these commands to `import`, which has the same ones, so both are read.
export const importListCommand = () =>
  new Command('list')
    .description('list imports, newest first')
    .option('--limit <n>', `maximum number of imports (default: ${LISTED})`)
    .option(...JSON_OPTION)
    .action(async (_options: object, command: Command) => {
      const { limit = String(LISTED), ...options } = command.optsWithGlobals<
        PrintOptions & { limit?: string }
      >()
      if (!/^[1-9]\d{0,5}$/.test(limit))
        throw new UsageError('--limit must be a positive whole number.')
      const runs = await withDatabase((db) => listRuns(db, Number(limit)))
      print(
        options,
        runs.map(withRemarkTexts),
        runs.length > 0 ? linesOfRuns(runs) : ['There are no imports yet.'],
      )
    })

export const importShowCommand = () =>
  new Command('show')
    .description('show an import with its changes and remarks')
    .argument('<run>', 'number of the import, as shown by "import list"')
    .option(...JSON_OPTION)
    .action(async (number: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<PrintOptions>()
      if (!/^\d{1,9}$/.test(number))
        throw new UsageError(`${number} is not the number of an import.`)
      const run = await withDatabase((db) => findRun(db, Number(number)))
      if (!run) throw new Failure(`Import ${number} does not exist. See mokuroku import list.`)
      print(options, withRemarkTexts(run), linesOfRun(run))
    })

const time = (date: Date | null) => date?.toISOString().replace(/\.\d+Z$/, 'Z') ?? ''

const linesOfRuns = (runs: ImportRun[]) =>
  table([
    ['run', 'source', 'dump', 'date', 'began', 'ended', 'outcome'],
    ...runs.map((run) => [
      String(run.id),
      run.source,
      run.dump_name ?? '',
      run.dump_date ?? '',
      time(run.began_at),
      time(run.ended_at),
      run.state,
    ]),
  ])

function linesOfRun(run: ImportRun): string[] {
  const facts: [string, string | null][] = [
    ['run', String(run.id)],
    ['source', run.source],
    ['dump', run.dump_name],
    ['date', run.dump_date],
    ['sha256', run.sha256],
    ['began', time(run.began_at)],
    ['ended', time(run.ended_at)],
    ['outcome', run.state],
    ['process', run.pid === null ? null : `${run.pid} on ${run.host}`],
    ['error', run.error],
  ]
  return [
    ...table(facts.flatMap(([name, value]) => (value ? [[name, value]] : []))),
    ...(run.kinds.length > 0 ? ['', ...linesOfCounts(run.kinds)] : []),
    ...linesOfRemarks(run.remarks),
  ]
}
