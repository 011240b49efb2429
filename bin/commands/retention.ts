import { Command } from 'commander'
import { findHeldUntil, resumeDeletions } from '../../src/retention/deletion-clock.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
Deletions by age are held for three days if the clock of the database seems to
have jumped ahead: over a day passed since the last ones. Compare the clock with
a right one before you resume them.`

export const retentionCommand = () =>
  new Command('retention')
    .description('show whether expired data is deleted')
    .option('--resume', 'delete again, because the clock of the database is right')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(async ({ resume = false, ...options }: PrintOptions & { resume?: boolean }) => {
      const { resumed, heldUntil } = await withDatabase(async (db) => ({
        resumed: resume && (await resumeDeletions(db)),
        heldUntil: await findHeldUntil(db),
      }))
      const state =
        heldUntil === undefined
          ? 'Expired data is deleted.'
          : `Expired data is kept until ${heldUntil.toISOString()}, because the clock of the database may have jumped.`
      print(
        options,
        { resumed, held_until: heldUntil ?? null },
        resumed ? ['Expired data is deleted again.'] : [state],
      )
    })
