import { Command } from 'commander'
import { rotateSigningKeys, type RotationOptions } from '../../src/identity/tokens/keys.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
The new keys are published at once and sign ten minutes later; the old ones are
accepted until every token they signed has expired. With --now the new keys sign
before others could have fetched them. With --withdraw-old, for a key that has
leaked, the tokens of the old ones are refused from now on.
Running servers follow by themselves.`

export const keysCommand = () =>
  new Command('keys')
    .description('manage the keys that sign tokens')
    .helpCommand(false)
    .addCommand(
      new Command('rotate')
        .description('replace the signing keys without refusing a live token')
        .option('--now', 'let the new keys sign at once')
        .option('--withdraw-old', 'refuse at once what the old keys signed; implies --now')
        .option(...JSON_OPTION)
        .addHelpText('after', HELP)
        .action(async ({ now, withdrawOld, ...options }: PrintOptions & RotationOptions) => {
          const { kids, signsFrom, oldRetiredAt } = await withDatabase((db, { secretKey }) =>
            rotateSigningKeys(db, secretKey, { now, withdrawOld }),
          )
          print(options, { kids, signs_from: signsFrom, old_retired_at: oldRetiredAt }, [
            `New keys ${kids.join(', ')} sign from ${signsFrom.toISOString()}.`,
            `The old ones are accepted until ${oldRetiredAt.toISOString()}.`,
          ])
        }),
    )
