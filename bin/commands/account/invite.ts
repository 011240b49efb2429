import { Command } from 'commander'
import {
  createInvitation,
  DEFAULT_INVITATION_DAYS,
  INVITATION_LIMITS,
  invitationLink,
  listInvitations,
  revokeInvitation,
} from '../../../src/accounts/sign-up/invitation-queries.ts'
import { NOT_IN_LINE } from '../../../src/kernel/printable.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { UsageError } from '../../usage-error.ts'
import { withDatabase } from '../../with-database.ts'

const CREATE_HELP = `
Prints a link that admits as many accounts as it has uses. The link is not
stored and cannot be shown again. It works while SIGN_UP is set to invitation.

Example: mokuroku invite create --uses 30 --days 14 --note "book club"`

export const inviteCommand = () =>
  new Command('invite')
    .helpCommand(false)
    .addCommand(
      new Command('create')
        .description('create an invitation')
        .option('--uses <number>', 'number of accounts that it admits', '1')
        .option('--days <number>', 'days until it expires', String(DEFAULT_INVITATION_DAYS))
        .option('--note <text>', 'note for administrators', '')
        .option(...JSON_OPTION)
        .addHelpText('after', CREATE_HELP)
        .action(create),
    )
    .addCommand(
      new Command('list')
        .description('list invitations and the accounts that they admitted, newest first')
        .option(...JSON_OPTION)
        .action(list),
    )
    .addCommand(
      new Command('revoke')
        .description('revoke an invitation; accounts that it admitted stay')
        .argument('<id>', 'ID of the invitation')
        .option(...JSON_OPTION)
        .action(revoke),
    )

type CreateOptions = PrintOptions & { uses: string; days: string; note: string }

async function create({ uses, days, note, ...options }: CreateOptions) {
  const invitation = {
    uses: readNumber('--uses', uses, INVITATION_LIMITS.uses),
    days: readNumber('--days', days, INVITATION_LIMITS.days),
    note: note.trim(),
  }
  const { note: longest } = INVITATION_LIMITS
  if (invitation.note.length > longest || NOT_IN_LINE.test(invitation.note))
    throw new UsageError(`The note must be one line of at most ${longest} characters.`)
  const { id, code, expiresAt, authUrl } = await withDatabase(async (db, config) => ({
    ...(await createInvitation(db, invitation)),
    authUrl: config.authUrl,
  }))
  const link = invitationLink(authUrl, code)
  const end = expiresAt.toISOString()
  print(options, { id, link, ...invitation, expires_at: end }, [
    `Created invitation ${id} for ${invitation.uses} ${invitation.uses === 1 ? 'account' : 'accounts'}, valid until ${end}.`,
    `Its link will not be shown again: ${link}`,
  ])
}

async function list(options: PrintOptions) {
  const invitations = await withDatabase((db) => listInvitations(db))
  const rows = invitations.map((invitation) => [
    String(invitation.id),
    invitation.state,
    `${invitation.used}/${invitation.uses}`,
    invitation.expires_at.toISOString().slice(0, 10),
    invitation.accounts.map(({ email }) => email).join(', '),
    invitation.note,
  ])
  print(
    options,
    invitations,
    rows.length > 0
      ? table([['id', 'state', 'used', 'expires', 'accounts', 'note'], ...rows])
      : ['There are no invitations yet.'],
  )
}

async function revoke(typed: string, options: PrintOptions) {
  const id = readNumber('The ID', typed, Number.MAX_SAFE_INTEGER)
  const outcome = await withDatabase((db) => revokeInvitation(db, id))
  if (outcome === 'missing') throw new Error(`Invitation ${id} does not exist.`)
  print(options, { id, revoked: outcome }, [
    `Invitation ${id} is ${outcome === 'done' ? 'now' : 'already'} revoked.`,
  ])
}

function readNumber(name: string, text: string, max: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > max)
    throw new UsageError(`${name} must be a whole number from 1 to ${max}.`)
  return number
}
