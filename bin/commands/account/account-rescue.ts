import { Command } from 'commander'
import {
  findRecipient,
  UNKNOWN_LANGUAGE,
} from '../../../src/accounts/mail/mail-language-queries.ts'
import { resetFactors, setPassword, verifyEmail } from '../../../src/accounts/operator-queries.ts'
import {
  cancelDeletion,
  deleteAccount,
  requestDeletion,
} from '../../../src/accounts/deletion-queries.ts'
import { type Account } from '../../../src/accounts/queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { confirm, YES_OPTION, type ConfirmOptions } from '../../confirm.ts'
import { JSON_OPTION, print, type PrintOptions } from '../../print.ts'
import { withDatabase } from '../../with-database.ts'
import {
  findByEmailOrId,
  PASSWORD_OPTION,
  readPassword,
  ACCOUNT_ARGUMENT,
  type PasswordOptions,
} from './account-arguments.ts'

type Options = PrintOptions & ConfirmOptions

const PASSWORD_HELP = `
Ends the account's sessions. Tokens that apps hold for it remain valid. Make
sure that the request comes from the owner of the account.

Example: mokuroku account password reader@example.org`

const VERIFY_HELP = `
For users who do not receive the verification mail.

Example: mokuroku account verify reader@example.org`

const FACTORS_HELP = `
Removes the authenticator app, the passkeys and the recovery codes, for users
who have lost all of them. Afterwards, the password is enough to sign in. Make
sure that the request comes from the owner of the account.

Example: mokuroku account reset-factors reader@example.org`

const DELETE_HELP = `
Also deletes its ratings, reviews, history, collections and apps. This cannot be
undone.

Example: mokuroku account delete reader@example.org`

export const passwordCommand = () =>
  new Command('password')
    .description('set a new password')
    .argument(...ACCOUNT_ARGUMENT)
    .option(...PASSWORD_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', PASSWORD_HELP)
    .action(password)

export const verifyCommand = () =>
  new Command('verify')
    .description('mark the email address as verified')
    .argument(...ACCOUNT_ARGUMENT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', VERIFY_HELP)
    .action(verify)

export const resetFactorsCommand = () =>
  new Command('reset-factors')
    .description('remove all second factors and passkeys')
    .argument(...ACCOUNT_ARGUMENT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', FACTORS_HELP)
    .action(reset)

export const deleteAccountCommand = () =>
  new Command('delete')
    .description('delete an account and its data')
    .argument(...ACCOUNT_ARGUMENT)
    .option(
      '--in-a-week',
      'close it now and delete it after seven days,\nunless its owner cancels the deletion',
    )
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', DELETE_HELP)
    .action(remove)

async function password(which: string, options: Options & PasswordOptions) {
  await change(which, options, 'Set a new password for', async (db, { id, email }) => {
    const chosen = await readPassword(options, email)
    await setPassword(db, id, chosen)
    const printed = options.passwordStdin ? {} : { password: chosen }
    print(options, { id, email, ...printed }, [
      `Account ${id}, ${email}, has a new password.`,
      ...(options.passwordStdin ? [] : [`Its password is ${chosen}. It will not be shown again.`]),
    ])
  })
}

async function verify(which: string, options: Options) {
  await change(
    which,
    options,
    'Mark the email address as verified for',
    async (db, { id, email }) => {
      const isNew = await verifyEmail(db, id)
      print(options, { id, email, changed: isNew }, [
        isNew
          ? `The address ${email} is now verified.`
          : `The address ${email} was already verified.`,
      ])
    },
  )
}

async function reset(which: string, options: Options) {
  await change(
    which,
    options,
    'Remove all second factors and passkeys of',
    async (db, { id, email }) => {
      const removed = await resetFactors(db, id)
      print(options, { id, email, removed }, [
        `Removed from account ${id}, ${email}: ${removed.authenticator ? 1 : 0} authenticator apps, ` +
          `${removed.passkeys} passkeys, ${removed.recovery_codes} recovery codes.`,
      ])
    },
  )
}

export const keepAccountCommand = () =>
  new Command('keep')
    .description('cancel a scheduled deletion')
    .argument(...ACCOUNT_ARGUMENT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .action(keep)

async function keep(which: string, options: Options) {
  await change(which, options, 'Cancel the deletion of', async (db, { id, email }) => {
    if (!(await cancelDeletion(db, id)))
      throw new Error(`Account ${id}, ${email}, is not scheduled for deletion.`)
    print(options, { id, email, kept: true }, [
      `Cancelled the deletion of account ${id}, ${email}.`,
    ])
  })
}

async function remove(which: string, options: Options & { inAWeek?: boolean }) {
  await change(which, options, 'Delete, with all its data,', async (db, { id, email }) => {
    if (options.inAWeek) {
      const language = (await findRecipient(db, id))?.language ?? UNKNOWN_LANGUAGE
      await requestDeletion(db, id, { language })
      print(options, { id, email, deleted: false }, [
        `Closed account ${id}, ${email}. It will be deleted in seven days.`,
      ])
      return
    }
    await deleteAccount(db, id)
    print(options, { id, email, deleted: true }, [`Deleted account ${id}, ${email}.`])
  })
}

/** @throws {Error} if the account does not exist */
async function change(
  which: string,
  options: Options,
  question: string,
  work: (db: Database, account: Account) => Promise<void>,
) {
  await withDatabase(async (db) => {
    const account = await findByEmailOrId(db, which)
    if (!account) throw new Error(`Account ${which} does not exist.`)
    if (await confirm(options, () => `${question} account ${account.id}, ${account.email}?`))
      await work(db, account)
    else print(options, null, ['Nothing was changed.'])
  })
}
