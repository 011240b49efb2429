import { Command } from 'commander'
import { listSigningKeys, rotateSigningKeys } from '../../src/identity/keys.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
The new keys are published at once and sign ten minutes later; the old ones are
accepted until every token they signed has expired. With --now the new keys sign
before others could have fetched them. Running servers follow by themselves.`

export const keysCommand = () =>
  new Command('keys')
    .description('manage the keys that sign tokens')
    .helpCommand(false)
    .addCommand(
      new Command('rotate')
        .description('replace the signing keys without refusing a live token')
        .option('--now', 'let the new keys sign at once')
        .option(...JSON_OPTION)
        .addHelpText('after', HELP)
        .action(async ({ now, ...options }: PrintOptions & { now?: boolean }) => {
          const rotation = await withDatabase(async (db, { secretKey }) => {
            // With a SECRET_KEY that does not fit, new keys would lock every server out.
            await listSigningKeys(db, secretKey)
            return rotateSigningKeys(db, secretKey, now ? 0 : undefined)
          })
          const { kids, signsFrom, oldRetiredAt } = rotation
          print(options, { kids, signs_from: signsFrom, old_retired_at: oldRetiredAt }, [
            `New keys ${kids.join(', ')} sign from ${signsFrom.toISOString()}.`,
            `The old ones are accepted until ${oldRetiredAt.toISOString()}.`,
          ])
        }),
    )
