import { Command } from 'commander'
import { rebuildIndex } from '../../src/search/index/rebuild.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
Imports keep the index current, and a running server follows what others write:
this is for after a restored backup, or when names are read in another way.
On a PostgreSQL server it works beside running servers, which answer from the
rows there are until each is replaced. Interrupted, it goes on where it stopped
when it is run again; a running server goes on with it by itself.`

export const searchCommand = () =>
  new Command('search').description('keep the index of names').addCommand(
    new Command('reindex')
      .description('write the index of names anew from the catalog')
      .option(...JSON_OPTION)
      .addHelpText('after', HELP)
      .action(async (options: PrintOptions) => {
        const { show, end } = progress(options)
        const result = await withDatabase((db) => rebuildIndex(db, show)).finally(end)
        const entries = `${result.entries.toLocaleString('en')} entries are indexed`
        print(options, result, [
          result.was === 'resumed' ? `${entries}, resumed where it had stopped` : entries,
        ])
      }),
  )

/** On a terminal one line that counts up; elsewhere silence. */
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
