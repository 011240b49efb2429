import { stat } from 'node:fs/promises'
import { Argument, Command } from 'commander'
import { importSource, type ImportSummary } from '../../src/importers/import-source.ts'
import { READERS, type ReadableSource } from '../../src/importers/sources.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
Folders:
  bangumi   an unpacked Bangumi Archive: subject.jsonlines and those beside it
  ranobedb  tables of a RanobeDB dump, one TABLE.tsv each with a header line
  vndb      an unpacked VNDB database dump: db/TABLE and db/TABLE.header

An import is one transaction: it happens whole or not at all. Running it again
changes nothing. The data stays under its sources' licences; NOTICE says what
that asks of you.

Example: mokuroku import bangumi ./dump-2026-11-18`

export const importCommand = () =>
  new Command('import')
    .description('load catalog data from a folder')
    .addArgument(new Argument('<source>', 'where the data comes from').choices(Object.keys(READERS)))
    .argument('<folder>', 'the folder that holds it')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(async (source: ReadableSource, folder: string, options: PrintOptions) => {
      const stats = await stat(folder).catch(() => undefined)
      if (!stats?.isDirectory()) throw new UsageError(`${folder} is not a folder.`)
      const { count, end } = progress(options)
      const summary = await withDatabase((db) =>
        importSource(db, source, (report) => READERS[source](folder, report), count),
      ).finally(end)
      print(options, summary, linesOf(summary))
    })

/** On a terminal one line that counts up; elsewhere silence. */
function progress({ json }: PrintOptions) {
  if (json || !process.stderr.isTTY) return { count: () => {}, end: () => {} }
  let begun = false
  return {
    count(records: number) {
      begun = true
      process.stderr.write(`\r${records.toLocaleString('en')} records read`)
    },
    end: () => void (begun && process.stderr.write('\n')),
  }
}

function linesOf({ kinds, remarks }: ImportSummary): string[] {
  const rows = kinds.map(({ kind, created, changed, unchanged }) =>
    [kind, created, changed, unchanged].map(String),
  )
  const notes = remarks.map(
    ({ remark, count, example }) => `  ${count} × ${remark}${example ? ` (such as ${example})` : ''}`,
  )
  return [
    ...table([['kind', 'created', 'changed', 'unchanged'], ...rows]),
    ...(notes.length > 0 ? ['', 'Remarks:', ...notes] : []),
  ]
}
