import { Command } from 'commander'
import { resetFactors, setPassword, verifyEmail } from '../../../src/accounts/operator-queries.ts'
import {
  cancelDeletion,
  deleteAccount,
  requestDeletion,
} from '../../../src/accounts/deletion-queries.ts'
import { type Account } from '../../../src/accounts/queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { confirmed, YES_OPTION, type ConfirmOptions } from '../../confirm.ts'
import { JSON_OPTION, print, type PrintOptions } from '../../print.ts'
import { withDatabase } from '../../with-database.ts'
import {
  findByEmailOrId,
  PASSWORD_OPTION,
  readPassword,
  WHICH_ACCOUNT,
  type PasswordOptions,
} from './account-arguments.ts'

type Options = PrintOptions & ConfirmOptions

const PASSWORD_HELP = `
The account's sessions end; tokens that apps hold for it live on. Be sure that it
is its owner who asks.

Example: mokuroku account password reader@example.org`

const VERIFY_HELP = `
For an address whose mail does not arrive.

Example: mokuroku account verify reader@example.org`

const FACTORS_HELP = `
Removes the authenticator app, the passkeys and the recovery codes: for somebody
who has lost them all. Then the password alone signs in. Be sure that it is the
account's owner who asks.

Example: mokuroku account reset-factors reader@example.org`

const DELETE_HELP = `
With it go its ratings, reviews, history, collections and apps. It cannot be
undone.

Example: mokuroku account delete reader@example.org`

export const passwordCommand = () =>
  new Command('password')
    .description('set another password')
    .argument(...WHICH_ACCOUNT)
    .option(...PASSWORD_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', PASSWORD_HELP)
    .action(password)

export const verifyCommand = () =>
  new Command('verify')
    .description('take the email address for verified')
    .argument(...WHICH_ACCOUNT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', VERIFY_HELP)
    .action(verify)

export const resetFactorsCommand = () =>
  new Command('reset-factors')
    .description('remove the second factors and passkeys')
    .argument(...WHICH_ACCOUNT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', FACTORS_HELP)
    .action(reset)

export const deleteAccountCommand = () =>
  new Command('delete')
    .description('delete an account with its data')
    .argument(...WHICH_ACCOUNT)
    .option(
      '--in-a-week',
      'as its owner does it: closed at once, deleted after seven days unless it is kept',
    )
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', DELETE_HELP)
    .action(remove)

async function password(which: string, options: Options & PasswordOptions) {
  await change(which, options, 'Set another password for', async (db, { id, email }) => {
    const chosen = await readPassword(options, email)
    await setPassword(db, id, chosen)
    const printed = options.passwordStdin ? {} : { password: chosen }
    print(options, { id, email, ...printed }, [
      `Account ${id}, ${email}, has another password.`,
      ...(options.passwordStdin ? [] : [`It is ${chosen}; it is shown only now.`]),
    ])
  })
}

async function verify(which: string, options: Options) {
  await change(which, options, 'Take the address for verified of', async (db, { id, email }) => {
    const isNew = await verifyEmail(db, id)
    print(options, { id, email, changed: isNew }, [
      isNew ? `The address ${email} is verified.` : `The address ${email} was verified before.`,
    ])
  })
}

async function reset(which: string, options: Options) {
  await change(
    which,
    options,
    'Remove every second factor and passkey of',
    async (db, { id, email }) => {
      const removed = await resetFactors(db, id)
      print(options, { id, email, removed }, [
        `Removed from account ${id}, ${email}: ${removed.authenticator ? 'the' : 'no'} authenticator app, ` +
          `${removed.passkeys} passkeys, ${removed.recovery_codes} recovery codes.`,
      ])
    },
  )
}

export const keepAccountCommand = () =>
  new Command('keep')
    .description('keep an account that is to be deleted')
    .argument(...WHICH_ACCOUNT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .action(keep)

async function keep(which: string, options: Options) {
  await change(which, options, 'Keep', async (db, { id, email }) => {
    if (!(await cancelDeletion(db, id)))
      throw new Error(`Account ${id}, ${email}, is not to be deleted.`)
    print(options, { id, email, kept: true }, [`Account ${id}, ${email}, is kept.`])
  })
}

async function remove(which: string, options: Options & { inAWeek?: boolean }) {
  await change(which, options, 'Delete, with all that is its own,', async (db, { id, email }) => {
    if (options.inAWeek) {
      await requestDeletion(db, id, { language: 'en' })
      print(options, { id, email, deleted: false }, [
        `Account ${id}, ${email}, is closed, and deleted in seven days.`,
      ])
      return
    }
    await deleteAccount(db, id)
    print(options, { id, email, deleted: true }, [`Deleted account ${id}, ${email}.`])
  })
}

/** @throws {Error} when there is no such account */
async function change(
  which: string,
  options: Options,
  question: string,
  work: (db: Database, account: Account) => Promise<void>,
) {
  await withDatabase(async (db) => {
    const account = await findByEmailOrId(db, which)
    if (!account) throw new Error(`There is no account ${which}.`)
    if (await confirmed(options, () => `${question} account ${account.id}, ${account.email}?`))
      await work(db, account)
    else print(options, null, ['Nothing was changed.'])
  })
}
