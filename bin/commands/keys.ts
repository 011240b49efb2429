import { Command } from 'commander'
import { rotateSigningKeys } from '../../src/identity/keys.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
The new keys are published at once and sign ten minutes later; the old ones are still accepted until every token they
signed has expired. Running servers follow by themselves. --now is for a key that has leaked.`

export const keysCommand = () =>
  new Command('keys').description('manage the keys that sign tokens').addCommand(
    new Command('rotate')
      .description('replace the signing keys without refusing a live token')
      .option('--now', 'let the new keys sign at once')
      .option(...JSON_OPTION)
      .addHelpText('after', HELP)
      .action(async ({ now, ...options }: PrintOptions & { now?: boolean }) => {
        const rotation = await withDatabase((db, { secretKey }) =>
          rotateSigningKeys(db, secretKey, now ? 0 : undefined),
        )
        const { kids, signsFrom, oldRetiredAt } = rotation
        print(options, { kids, signs_from: signsFrom, old_retired_at: oldRetiredAt }, [
          `New keys ${kids.join(', ')} sign from ${signsFrom.toISOString()}.`,
          `The old ones are accepted until ${oldRetiredAt.toISOString()}.`,
        ])
      }),
  )
