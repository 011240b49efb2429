import { Command } from 'commander'
import { findHeldUntil, resumeDeletions } from '../../src/retention/deletion-clock.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
If the last deletions were over a day ago, the clock of the database may have
jumped ahead. Deletions are then on hold for three days. Check that the clock is
right before you end the hold.`

export const retentionCommand = () =>
  new Command('retention')
    .option('--resume', 'end the hold, because the clock of the database is right')
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
