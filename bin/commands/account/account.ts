import { Argument, Command } from 'commander'
import { banAccount, unbanAccount } from '../../../src/accounts/ban-queries.ts'
import { checkEmail, checkName } from '../../../src/accounts/profile/profile-rules.ts'
import { createAccount, listAccounts, type Account } from '../../../src/accounts/queries.ts'
import { ROLES, setRole, type Role } from '../../../src/accounts/role-queries.ts'
import {
  approveAccount,
  declineAccount,
  type ApprovalOutcome,
} from '../../../src/accounts/sign-up/approval-queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { UsageError } from '../../usage-error.ts'
import { withDatabase } from '../../with-database.ts'
import {
  findByEmailOrId,
  PASSWORD_OPTION,
  readPassword,
  valueOf,
  ACCOUNT_ARGUMENT,
  type PasswordOptions,
} from './account-arguments.ts'
import {
  deleteAccountCommand,
  keepAccountCommand,
  passwordCommand,
  resetFactorsCommand,
  verifyCommand,
} from './account-rescue.ts'

type CreateOptions = PrintOptions & PasswordOptions & { name?: string }

const BAN_HELP = `
Ends the account's sessions and blocks further sign-ins. Tokens that apps hold
for it are rejected within a second. The reason is shown to the account's owner.

Example: mokuroku account ban reader@example.org --reason "advertising"`

const DECLINE_HELP = `
The account is deleted a week later. Until then, account approve reverses the
decision.

Example: mokuroku account decline reader@example.org --reason "not a member"`

const ROLE_HELP = `
A MODERATOR handles user reports at /desk. An ADMIN can use all of /desk. The
last ADMIN cannot be demoted.

Example: mokuroku account role reader@example.org MODERATOR`

export const accountCommand = () =>
  new Command('account')
    .helpCommand(false)
    .addCommand(
      new Command('create')
        .description('create an account')
        .argument('<email>', 'email address')
        .option('--name <name>', 'display name (default: the part before the @)')
        .option(...PASSWORD_OPTION)
        .option(...JSON_OPTION)
        .action(create),
    )
    .addCommand(
      new Command('list')
        .description('list all accounts, oldest first')
        .option(...JSON_OPTION)
        .action(list),
    )
    .addCommand(
      new Command('ban')
        .description('ban an account')
        .argument(...ACCOUNT_ARGUMENT)
        .requiredOption('--reason <text>', 'reason, shown to the owner of the account')
        .option(...JSON_OPTION)
        .addHelpText('after', BAN_HELP)
        .action(ban),
    )
    .addCommand(
      new Command('approve')
        .description('approve a waiting account')
        .argument(...ACCOUNT_ARGUMENT)
        .option(...JSON_OPTION)
        .action(approve),
    )
    .addCommand(
      new Command('decline')
        .description('decline a waiting account')
        .argument(...ACCOUNT_ARGUMENT)
        .requiredOption('--reason <text>', 'reason, sent to the owner of the account')
        .option(...JSON_OPTION)
        .addHelpText('after', DECLINE_HELP)
        .action(decline),
    )
    .addCommand(passwordCommand())
    .addCommand(verifyCommand())
    .addCommand(resetFactorsCommand())
    .addCommand(deleteAccountCommand())
    .addCommand(keepAccountCommand())
    .addCommand(
      new Command('role')
        .description('set or remove the role of an account')
        .argument(...ACCOUNT_ARGUMENT)
        .addArgument(new Argument('<role>', 'new role').choices([...ROLES, 'none']))
        .option(...JSON_OPTION)
        .addHelpText('after', ROLE_HELP)
        .action(role),
    )
    .addCommand(
      new Command('unban')
        .description('lift the ban of an account')
        .argument(...ACCOUNT_ARGUMENT)
        .option(...JSON_OPTION)
        .action(unban),
    )

async function create(typedEmail: string, options: CreateOptions) {
  const email = valueOf(checkEmail(typedEmail), typedEmail)
  const name = valueOf(
    checkName(options.name ?? [...email.split('@', 1).join('')].slice(0, 64).join('')),
  )
  const password = await readPassword(options, email)

  const id = await withDatabase((db) => createAccount(db, { email, name, password }))
  if (id === undefined) throw new Error(`An account with the address ${email} already exists.`)
  const printed = options.passwordStdin ? {} : { password }
  print(options, { id, email, name, ...printed }, [
    `Created account ${id} for ${email}.`,
    ...(options.passwordStdin ? [] : [`Its password is ${password}. It will not be shown again.`]),
  ])
}

async function list(options: PrintOptions) {
  const accounts = await withDatabase((db) => listAccounts(db))
  const rows = accounts.map((account) => [
    String(account.id),
    account.email,
    account.name,
    stateOf(account),
    account.created_at.toISOString().slice(0, 10),
  ])
  print(
    options,
    accounts,
    rows.length > 0
      ? table([['id', 'email', 'name', 'state', 'created'], ...rows])
      : ['There are no accounts yet.'],
  )
}

const stateOf = (account: Account) =>
  account.banned_at
    ? 'banned'
    : account.deletion_requested_at
      ? 'deletion scheduled'
      : account.declined_at
        ? 'declined'
        : account.approval_requested_at
          ? 'waiting'
          : 'active'

async function approve(which: string, options: PrintOptions) {
  await decide(which, 'approved', options, (db, id) => approveAccount(db, id))
}

async function decline(which: string, { reason, ...options }: PrintOptions & { reason: string }) {
  const trimmed = readReason(reason)
  await decide(which, 'declined', options, (db, id, contact) =>
    declineAccount(db, id, { reason: trimmed, contact }),
  )
}

async function decide(
  which: string,
  decision: 'approved' | 'declined',
  options: PrintOptions,
  change: (db: Database, id: number, contact: string) => Promise<ApprovalOutcome>,
) {
  const { found, outcome } = await withDatabase(async (db, { contact }) => {
    const found = await findByEmailOrId(db, which)
    return { found, outcome: found && (await change(db, found.id, contact)) }
  })
  if (!found || outcome === 'missing') throw new Error(`Account ${which} does not exist.`)
  if (outcome === 'already')
    throw new Error(`Account ${found.id}, ${found.email}, does not wait for approval.`)
  print(options, { id: found.id, email: found.email, decision }, [
    `Account ${found.id}, ${found.email}, is ${decision}.`,
  ])
}

/** @throws {UsageError} if the reason is empty or too long */
function readReason(reason: string): string {
  const trimmed = reason.trim()
  if (trimmed === '' || trimmed.length > 1_000)
    throw new UsageError('The reason must have 1 to 1000 characters.')
  return trimmed
}

async function ban(which: string, { reason, ...options }: PrintOptions & { reason: string }) {
  const trimmed = readReason(reason)
  const account = await withDatabase(async (db) => {
    const found = await findByEmailOrId(db, which)
    return found && banAccount(db, found.id, trimmed)
  })
  if (!account) throw new Error(`Account ${which} does not exist.`)
  print(options, account, [`Banned account ${account.id}, ${account.email}.`])
}

async function unban(which: string, options: PrintOptions) {
  const { found, account } = await withDatabase(async (db) => {
    const found = await findByEmailOrId(db, which)
    return { found, account: found && (await unbanAccount(db, found.id)) }
  })
  if (!found) throw new Error(`Account ${which} does not exist.`)
  if (!account) throw new Error(`Account ${found.id}, ${found.email}, is not banned.`)
  print(options, account, [`Account ${account.id}, ${account.email}, can sign in again.`])
}

async function role(which: string, newRole: Role | 'none', options: PrintOptions) {
  const outcome = await withDatabase(async (db) => {
    const found = await findByEmailOrId(db, which)
    return found && setRole(db, found.id, newRole === 'none' ? null : newRole)
  })
  if (!outcome || outcome.outcome === 'missing') throw new Error(`Account ${which} does not exist.`)
  if (outcome.outcome === 'waiting')
    throw new Error(`${which} waits for approval. Approve the account first.`)
  if (outcome.outcome === 'last_admin')
    throw new Error(`${which} is the last administrator. Appoint another one first.`)
  if (!('account' in outcome)) return
  const { account } = outcome
  print(options, account, [
    account.role === null
      ? `Account ${account.id}, ${account.email}, ${outcome.outcome === 'same' ? 'already has' : 'now has'} no role.`
      : `Account ${account.id}, ${account.email}, is ${outcome.outcome === 'same' ? 'already' : 'now'} ${account.role}.`,
  ])
}
