import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { readConfig } from '../../src/config/config.ts'
import { resealSecrets } from '../../src/identity/reseal.ts'
import { rotateSigningKeys, type RotationOptions } from '../../src/identity/tokens/keys.ts'
import { confirm, YES_OPTION, type ConfirmOptions } from '../confirm.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'

const HELP = `
The new keys are published at once and sign from ten minutes later. The old keys
are accepted until every token they signed has expired. With --now, the new keys
sign at once, possibly before others have fetched them. Use --withdraw-old if a
key has leaked: tokens signed with the old keys are rejected from now on.
Running servers pick up the change automatically.`

const RESEAL_HELP = `
To change SECRET_KEY, stop every server, set SECRET_KEY to the new value, run
this command with the old value on standard input, and start the servers again.
Sessions and tokens remain valid. Without --old-key-stdin, it encrypts secrets
that were stored without a SECRET_KEY. It changes everything or nothing.

Examples:
  SECRET_KEY=NEW mokuroku keys reseal --old-key-stdin --yes < old-key
  SECRET_KEY=FIRST mokuroku keys reseal`

export const keysCommand = () =>
  new Command('keys')
    .helpCommand(false)
    .addCommand(
      new Command('rotate')
        .description('replace the signing keys; valid tokens stay valid')
        .option('--now', 'sign with the new keys at once')
        .option('--withdraw-old', 'reject tokens signed with the old keys; implies --now')
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
        .description('re-encrypt all secrets in the database with a new SECRET_KEY')
        .option('--old-key-stdin', 'read the old SECRET_KEY from standard input')
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
  if (secretKey === undefined) throw new UsageError('SECRET_KEY must be set to the new value.')
  const isConfirmed = await confirm(
    options,
    () => 'Re-encrypt with the current SECRET_KEY? Servers with another key stop working.',
  )
  if (!isConfirmed) return print(options, null, ['Nothing was changed.'])
  const oldKey = oldKeyStdin ? (await text(process.stdin)).trim() : undefined
  const resealed = await withDatabase((db) => resealSecrets(db, oldKey, secretKey))
  print(options, resealed, [
    `Re-encrypted ${resealed.signing_keys} signing keys, ${resealed.authenticators} authenticator secrets and the secrets of ${resealed.webhooks} webhooks.`,
    'Start every server with this SECRET_KEY.',
  ])
}
