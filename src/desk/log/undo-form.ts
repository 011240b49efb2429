import { isClientId } from '../../apps/secrets.ts'
import { findOwnLastAction, type ActionFilter } from '../../audit/undo-queries.ts'
import type { Database } from '../../db/database.ts'
import { isId } from '../../http/wire/requests/validation.ts'

type Form = { action: string; fields?: Record<string, string> }
type UndoableAction = {
  /** Whether the action takes such an ID. */
  accepts(id: string): boolean
  /**
   * Source of the previous value that this action restores: the logged actions to search, and the form field to fill.
   */
  before?: { actions(id: string): ActionFilter; detail: string; field: string }
  form(id: string): Form
}

const isEntryField = (id: string) => /^[\w-]{1,30}\/\d{1,16}\/\w{1,60}$/.test(id)
const isEntryPair = (id: string) => /^[\w-]{1,30}\/\d{1,16}\/\d{1,16}$/.test(id)

const below = (path: string, actionName: string) => (id: string) => ({
  action: `/desk/${path}/${encodeURIComponent(id)}/${actionName}`,
})
const entryField = (actionName: string) => (fieldId: string) => {
  const [kind = '', id = '', field = ''] = fieldId.split('/')
  return { action: `/desk/entries/${actionName}`, fields: { kind, id, field } }
}
const entryPair = (action: string) => (pairId: string) => {
  const [kind = '', from = '', into = ''] = pairId.split('/')
  return { action, fields: { kind, from, into } }
}

/** Actions that a notice of the desk offers as an undo. */
const UNDOABLE_ACTIONS = {
  unban: { accepts: isId, form: below('accounts', 'unban') },
  role: {
    accepts: isId,
    before: {
      actions: (id) => ({ kinds: ['role_changed'], accountId: Number(id) }),
      detail: 'before',
      field: 'role',
    },
    form: below('accounts', 'role'),
  },
  restore: { accepts: isId, form: below('hidden', 'restore') },
  reopenReport: { accepts: isId, form: below('reports', 'reopen') },
  enableApp: { accepts: isClientId, form: below('apps', 'enable') },
  disableApp: { accepts: isClientId, form: below('apps', 'disable') },
  appLimit: {
    accepts: isClientId,
    before: {
      actions: (clientId) => ({
        kinds: ['app_changed'],
        clientId,
        about: { by: 'operator', changed: ['requests_per_minute'] },
      }),
      detail: 'before',
      field: 'limit',
    },
    form: below('apps', 'limit'),
  },
  unacceptMatch: {
    accepts: isId,
    before: {
      actions: (id) => ({ kinds: ['match_accepted'], about: { match: Number(id) } }),
      detail: 'was',
      field: 'to',
    },
    form: below('matches', 'unaccept'),
  },
  reopenMatch: { accepts: isId, form: below('matches', 'reopen') },
  unsetField: { accepts: isEntryField, form: entryField('unset') },
  putBackField: { accepts: isEntryField, form: entryField('put-back') },
  mergeEntries: { accepts: isEntryPair, form: entryPair('/desk/merges') },
  unmergeEntries: { accepts: isEntryPair, form: entryPair('/desk/merges/undo') },
} satisfies Record<string, UndoableAction>

export type UndoActionName = keyof typeof UNDOABLE_ACTIONS

const isUndoActionName = (text: string): text is UndoActionName =>
  Object.hasOwn(UNDOABLE_ACTIONS, text)

/**
 * Builds the form that undoes the actor's last action. Values to restore come from the audit log.
 *
 * @returns undefined for an unknown action or ID, or if the log lacks the value to restore
 */
export async function undoFormOf(
  db: Database,
  actionName: string,
  id: string,
  actorId: number,
): Promise<Form | undefined> {
  if (!isUndoActionName(actionName)) return undefined
  const { accepts, before, form }: UndoableAction = UNDOABLE_ACTIONS[actionName]
  if (!accepts(id)) return undefined
  const { action, fields } = form(id)
  if (!before) return { action, ...(fields && { fields }) }
  const on = before.actions(id)
  const details = await findOwnLastAction(db, on, { kinds: on.kinds }, actorId)
  if (!details) return undefined
  const value = details[before.detail]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return { action, fields: { [before.field]: text } }
}
