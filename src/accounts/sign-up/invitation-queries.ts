import { recordEvent, type Origin } from '../../audit/events.ts'
import { holdLock } from '../../db/advisory-locks.ts'
import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import { hashToken, isToken, newToken } from '../../kernel/opaque-tokens.ts'
import { generationOf, isStaleForm } from '../generation.ts'

export const INVITATION_LIMITS = { uses: 10_000, days: 365, note: 200 }

/** Days until an invitation expires, by default. */
export const DEFAULT_INVITATION_DAYS = 7

export type Invitation = {
  id: number
  note: string
  uses: number
  used: number
  state: 'usable' | 'used' | 'expired' | 'revoked'
  created_by: number | null
  creator_name: string | null
  created_at: Date
  expires_at: Date
  /** Accounts that it admitted and that still exist, oldest first. */
  accounts: { id: number; name: string; email: string }[]
}

/** SQL condition that an invitation admits another account. */
const IS_USABLE = 'used < uses and revoked_at is null and expires_at > now()'

const CREATE = statement('accounts.create_invitation').returning<{ id: number; expires_at: Date }>(`
  insert into invitations (code_hash, note, uses, expires_at, created_by)
  values ($1, $2, $3, now() + make_interval(days => $4::integer), $5)
  returning id, expires_at`)

/** Returns the generation of the site's invitations. */
export const invitationGeneration = (db: Database): Promise<number> =>
  generationOf(db, ['invitation_created'])

export type NewInvitation = { note: string; uses: number; days: number }

/** Creates an invitation. @returns its id, and the code, which is not stored */
export function createInvitation(
  db: Database,
  { note, uses, days }: NewInvitation,
  origin: Origin = {},
): Promise<{ id: number; code: string; expiresAt: Date }> {
  return inTransaction(db, async (trx) => {
    const code = newToken()
    const created = await queryRow(trx, CREATE, [
      hashToken(code),
      note,
      uses,
      days,
      origin.actorId ?? null,
    ])
    if (!created) throw new Error('The invitation was not stored.')
    const { id, expires_at: expiresAt } = created
    await recordEvent(trx, {
      kind: 'invitation_created',
      ...origin,
      details: { invitation: id, uses, days, note },
    })
    return { id, code, expiresAt }
  })
}

/**
 * Creates an invitation from a form.
 *
 * @param generation `submittedGeneration` of the form
 * @returns undefined if the form is stale because an invitation was created since
 */
export const createInvitationOnce = (
  db: Database,
  generation: string,
  invitation: NewInvitation,
  origin: Origin,
): Promise<Awaited<ReturnType<typeof createInvitation>> | undefined> =>
  inTransaction(db, async (trx) => {
    await holdLock(trx, 'invitations')
    if (isStaleForm(await invitationGeneration(trx), generation)) return undefined
    return createInvitation(trx, invitation, origin)
  })

/** Returns the link to the sign-up form with an invitation. */
export const invitationLink = (authUrl: string, code: string) =>
  `${authUrl}/sign-up?invitation=${code}`

const LIST = statement('accounts.list_invitations').returning<Invitation>(`
  select
    invitation.id, invitation.note, invitation.uses, invitation.used, invitation.created_by,
    creator.name as creator_name, invitation.created_at, invitation.expires_at,
    case
      when ${IS_USABLE} then 'usable'
      when revoked_at is not null then 'revoked'
      when used >= uses then 'used'
      else 'expired'
    end as state,
    (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'email', email) order by id), '[]')
      from (
        select id, name, email from accounts where invitation_id = invitation.id order by id limit 100
      ) admitted
    ) as accounts
  from invitations invitation
  left join accounts creator on creator.id = invitation.created_by
  order by invitation.id desc
  limit 200`)

/** Returns the newest invitations with the accounts that they admitted. */
export const listInvitations = (db: Database) => queryRows(db, LIST, [])

const REVOKE = statement('accounts.revoke_invitation').sql(`
  update invitations set revoked_at = now() where id = $1 and revoked_at is null returning id`)
const EXISTS = statement('accounts.invitation_exists').sql(
  'select id from invitations where id = $1',
)

/** Revokes an invitation. Accounts that it has admitted stay. @returns `already` if it was revoked before */
export function revokeInvitation(
  db: Database,
  id: number,
  origin: Origin = {},
): Promise<'done' | 'already' | 'missing'> {
  return inTransaction(db, async (trx) => {
    if ((await queryRows(trx, REVOKE, [id])).length === 0)
      return (await queryRows(trx, EXISTS, [id])).length > 0 ? 'already' : 'missing'
    await recordEvent(trx, { kind: 'invitation_revoked', ...origin, details: { invitation: id } })
    return 'done'
  })
}

const FIND = statement('accounts.find_invitation').returning<{ id: number }>(
  `select id from invitations where code_hash = $1 and ${IS_USABLE}`,
)

/** Returns the id of the invitation with a code, or undefined if it admits no one. Does not consume a use. */
export async function findInvitation(db: Database, code: string): Promise<number | undefined> {
  if (!isToken(code)) return undefined
  return (await queryRow(db, FIND, [hashToken(code)]))?.id
}

const FIND_USABLE = statement('accounts.find_usable_invitation').sql(
  `select id from invitations where id = $1 and ${IS_USABLE}`,
)

/** Whether an invitation admits another account. Does not consume a use. */
export const isUsableInvitation = async (db: Database, id: number): Promise<boolean> =>
  (await queryRows(db, FIND_USABLE, [id])).length > 0

/** One statement, so that concurrent sign-ups never exceed the number of uses. */
const CONSUME = statement('accounts.consume_invitation').sql(`
  update invitations set used = used + 1 where id = $1 and ${IS_USABLE} returning id`)

/** Consumes a use. Call it in the transaction that creates the account. @returns false if the invitation admits no one */
export const consumeInvitation = async (trx: Database, id: number): Promise<boolean> =>
  (await queryRows(trx, CONSUME, [id])).length > 0

const SET_OF_ACCOUNT = statement('accounts.set_invitation').sql(
  'update accounts set invitation_id = $2 where id = $1',
)

/** Stores which invitation admitted an account. */
export const setInvitation = (trx: Database, accountId: number, invitation: number) =>
  queryRows(trx, SET_OF_ACCOUNT, [accountId, invitation])
