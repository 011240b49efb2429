import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { banAccount, unbanAccount } from '../../src/accounts/ban-queries.ts'
import {
  checkEmail,
  checkName,
  checkNewPassword,
  PASSWORD_LENGTH,
  type Checked,
  type FieldFault,
} from '../../src/accounts/profile/profile-rules.ts'
import {
  createAccount,
  findAccount,
  findAccountByEmail,
  listAccounts,
  type Account,
} from '../../src/accounts/queries.ts'
import type { Database } from '../../src/db/database.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../print.ts'
import { UsageError } from '../usage-error.ts'
import { withDatabase } from '../with-database.ts'

type CreateOptions = PrintOptions & { name?: string; passwordStdin?: boolean }

const BAN_HELP = `
The account's sessions end, it cannot sign in any more, and the tokens apps hold
for it are refused within a second. The reason is shown to its owner.

Example: mokuroku account ban reader@example.org --reason "advertising"`

const WHICH = ['<email-or-id>', 'its e-mail address, or its id'] as const

export const accountCommand = () =>
  new Command('account')
    .description('manage accounts')
    .helpCommand(false)
    .addCommand(
      new Command('create')
        .description('create an account')
        .argument('<email>', 'its e-mail address')
        .option('--name <name>', 'what it is called; by default the part before the @')
        .option(
          '--password-stdin',
          'read the password from standard input;\nwithout it one is made and printed',
        )
        .option(...JSON_OPTION)
        .action(create),
    )
    .addCommand(
      new Command('list')
        .description('list every account, oldest first')
        .option(...JSON_OPTION)
        .action(list),
    )
    .addCommand(
      new Command('ban')
        .description('keep an account out')
        .argument(...WHICH)
        .requiredOption('--reason <text>', 'why; its owner is shown it')
        .option(...JSON_OPTION)
        .addHelpText('after', BAN_HELP)
        .action(ban),
    )
    .addCommand(
      new Command('unban')
        .description('let a banned account in again')
        .argument(...WHICH)
        .option(...JSON_OPTION)
        .action(unban),
    )

async function create(typedEmail: string, options: CreateOptions) {
  const email = valueOf(checkEmail(typedEmail), typedEmail)
  const name = valueOf(checkName(options.name ?? [...email.split('@', 1).join('')].slice(0, 64).join('')))
  const chosen = options.passwordStdin
    ? (await text(process.stdin)).replace(/\r?\n$/, '')
    : randomBytes(12).toString('base64url')
  const password = valueOf(checkNewPassword(chosen, email))

  const id = await withDatabase((db) => createAccount(db, { email, name, password }))
  if (id === undefined) throw new Error(`There is an account with the address ${email} already.`)
  const printed = options.passwordStdin ? {} : { password }
  print(options, { id, email, name, ...printed }, [
    `Created account ${id} for ${email}.`,
    ...(options.passwordStdin ? [] : [`Its password is ${password}; it is shown only now.`]),
  ])
}

async function list(options: PrintOptions) {
  const accounts = await withDatabase((db) => listAccounts(db))
  const rows = accounts.map((account) => [
    String(account.id),
    account.email,
    account.name,
    account.banned_at ? 'banned' : 'active',
    account.created_at.toISOString().slice(0, 10),
  ])
  print(
    options,
    accounts,
    rows.length > 0
      ? table([['id', 'e-mail', 'name', 'state', 'created'], ...rows])
      : ['There are no accounts yet.'],
  )
}

async function ban(which: string, { reason, ...options }: PrintOptions & { reason: string }) {
  const trimmed = reason.trim()
  if (trimmed === '' || trimmed.length > 1_000) throw new UsageError('A reason has 1 to 1000 characters.')
  const account = await withDatabase(async (db) => {
    const found = await findByEmailOrId(db, which)
    return found && banAccount(db, found.id, trimmed)
  })
  if (!account) throw new Error(`There is no account ${which}.`)
  print(options, account, [`Banned account ${account.id}, ${account.email}.`])
}

async function unban(which: string, options: PrintOptions) {
  const { found, account } = await withDatabase(async (db) => {
    const found = await findByEmailOrId(db, which)
    return { found, account: found && (await unbanAccount(db, found.id)) }
  })
  if (!found) throw new Error(`There is no account ${which}.`)
  if (!account) throw new Error(`Account ${found.id}, ${found.email}, is not banned.`)
  print(options, account, [`Account ${account.id}, ${account.email}, may sign in again.`])
}

async function findByEmailOrId(db: Database, which: string): Promise<Account | undefined> {
  if (which.includes('@')) return findAccountByEmail(db, which)
  const id = Number(which)
  if (!/^\d+$/.test(which) || !Number.isSafeInteger(id))
    throw new UsageError(`${which} is neither an e-mail address nor an id.`)
  return findAccount(db, id)
}

/** @throws {UsageError} in words for whoever typed it */
function valueOf<Value>(checked: Checked<Value>, typed = ''): Value {
  if (checked.fault) throw new UsageError(describeFault(checked.fault, typed))
  return checked.value
}

function describeFault({ field, code }: FieldFault, typed: string): string {
  if (field === 'email') return `${typed} is not an e-mail address.`
  if (code === 'password_common') return 'That password is one of those that are tried first; choose another.'
  if (code === 'password_is_email') return 'The password must not be the e-mail address.'
  if (field === 'password')
    return `A password has at least ${PASSWORD_LENGTH.min} characters, and at most ${PASSWORD_LENGTH.max}.`
  return 'A name has 1 to 64 characters, none of them control characters.'
}
