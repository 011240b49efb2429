import { Command } from 'commander'
import { rebuildIndex } from '../../src/search/index/rebuild.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
Imports and running servers keep the index up to date. Run this command with a
restored backup, or after an upgrade that normalizes names differently.
With a PostgreSQL server, running servers can continue: they search the existing
rows until each is replaced. If the command is interrupted, run it again to
resume; a running server also resumes it.`

export const searchCommand = () =>
  new Command('search').addCommand(
    new Command('reindex')
      .description('rebuild the search index from the catalog')
      .option(...JSON_OPTION)
      .addHelpText('after', HELP)
      .action(async (options: PrintOptions) => {
        const { show, end } = progress(options)
        const result = await withDatabase((db) => rebuildIndex(db, show)).finally(end)
        const entries = `Indexed ${result.entries.toLocaleString('en')} entries`
        print(options, result, [result.was === 'resumed' ? `${entries} (resumed)` : entries])
      }),
  )

/** Shows a counter on a terminal. Prints nothing elsewhere. */
function progress({ json }: PrintOptions) {
  if (json || !process.stderr.isTTY) return { show: () => {}, end: () => {} }
  let begun = false
  return {
    show({ done, whole }: { done: number; whole: number }) {
      begun = true
      process.stderr.write(
        `\r${done.toLocaleString('en')} of ${whole.toLocaleString('en')} entries`,
      )
    },
    end: () => void (begun && process.stderr.write('\n')),
  }
}
