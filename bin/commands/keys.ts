import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { readConfig } from '../../src/config/config.ts'
import { resealSecrets } from '../../src/identity/reseal.ts'
import { rotateSigningKeys, type RotationOptions } from '../../src/identity/tokens/keys.ts'
import { confirmed, YES_OPTION, type ConfirmOptions } from '../confirm.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
The new keys are published at once and sign ten minutes later; the old ones are
accepted until every token they signed has expired. With --now the new keys sign
before others could have fetched them. With --withdraw-old, for a key that has
leaked, the tokens of the old ones are refused from now on.
Running servers follow by themselves.`

const RESEAL_HELP = `
To change SECRET_KEY: stop every server, set SECRET_KEY to the new value, give
the old one on standard input, and start again. Nobody is signed out, and no
token is refused. Without --old-key-stdin it encrypts what was stored before
there was a SECRET_KEY. It happens whole or not at all.

Examples:
  SECRET_KEY=NEW mokuroku keys reseal --old-key-stdin --yes < old-key
  SECRET_KEY=FIRST mokuroku keys reseal`

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
    .addCommand(
      new Command('reseal')
        .description('encrypt everything secret in the database with another SECRET_KEY')
        .option('--old-key-stdin', 'read the SECRET_KEY there was before from standard input')
        .option(...YES_OPTION)
        .option(...JSON_OPTION)
        .addHelpText('after', RESEAL_HELP)
        .action(reseal),
    )

async function reseal({
  oldKeyStdin,
  ...options
}: PrintOptions & ConfirmOptions & { oldKeyStdin?: boolean }) {
  const { secretKey } = readConfig()
  if (secretKey === undefined) throw new UsageError('Set SECRET_KEY to the new value.')
  const isConfirmed = await confirmed(
    options,
    () => 'Encrypt with the SECRET_KEY of now? Servers with another one cannot work any more.',
  )
  if (!isConfirmed) return print(options, null, ['Nothing was changed.'])
  const oldKey = oldKeyStdin ? (await text(process.stdin)).trim() : undefined
  const resealed = await withDatabase((db) => resealSecrets(db, oldKey, secretKey))
  print(options, resealed, [
    `Encrypted ${resealed.signing_keys} signing keys and ${resealed.authenticators} authenticator secrets anew.`,
    'Start every server with this SECRET_KEY.',
  ])
}
