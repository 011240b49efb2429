import { findOwnLastAction, type ActionFilter } from '../../audit/undo-queries.ts'
import type { Database } from '../../db/database.ts'

type Form = { action: string; fields?: Record<string, string> }
type UndoableAction = {
  /** Pattern of the IDs the action takes. */
  id: RegExp
  /**
   * Source of the previous value that this action restores: the logged actions to search, and the form field it fills.
   */
  before?: { actions(id: string): ActionFilter; detail: string; field: string }
  form(parts: string[]): Form
}

const NUMBER = /^\d{1,16}$/
const APP = /^[\w-]{1,100}$/
const ENTRY_FIELD = /^[\w-]{1,30}\/\d{1,16}\/\w{1,60}$/
const ENTRY_PAIR = /^[\w-]{1,30}\/\d{1,16}\/\d{1,16}$/

const below =
  (path: string, actionName: string) =>
  ([id = '']: string[]) => ({ action: `/desk/${path}/${id}/${actionName}` })
const entryField =
  (actionName: string) =>
  ([kind = '', id = '', field = '']: string[]) => ({
    action: `/desk/entries/${actionName}`,
    fields: { kind, id, field },
  })
const entryPair =
  (action: string) =>
  ([kind = '', from = '', into = '']: string[]) => ({ action, fields: { kind, from, into } })

/** Actions that a notice of the desk offers as an undo. */
const UNDOABLE_ACTIONS = {
  unban: { id: NUMBER, form: below('accounts', 'unban') },
  role: {
    id: NUMBER,
    before: {
      actions: (id) => ({ kinds: ['role_changed'], accountId: Number(id) }),
      detail: 'before',
      field: 'role',
    },
    form: below('accounts', 'role'),
  },
  restore: { id: NUMBER, form: below('hidden', 'restore') },
  reopenReport: { id: NUMBER, form: below('reports', 'reopen') },
  enableApp: { id: APP, form: below('apps', 'enable') },
  disableApp: { id: APP, form: below('apps', 'disable') },
  appLimit: {
    id: APP,
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
    id: NUMBER,
    before: {
      actions: (id) => ({ kinds: ['match_accepted'], about: { match: Number(id) } }),
      detail: 'was',
      field: 'to',
    },
    form: below('matches', 'unaccept'),
  },
  reopenMatch: { id: NUMBER, form: below('matches', 'reopen') },
  unsetField: { id: ENTRY_FIELD, form: entryField('unset') },
  putBackField: { id: ENTRY_FIELD, form: entryField('put-back') },
  mergeEntries: { id: ENTRY_PAIR, form: entryPair('/desk/merges') },
  unmergeEntries: { id: ENTRY_PAIR, form: entryPair('/desk/merges/undo') },
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
  const { id: shape, before, form }: UndoableAction = UNDOABLE_ACTIONS[actionName]
  if (!shape.test(id)) return undefined
  const { action, fields } = form(id.split('/'))
  if (!before) return { action, ...(fields && { fields }) }
  const on = before.actions(id)
  const details = await findOwnLastAction(db, on, { kinds: on.kinds }, actorId)
  if (!details) return undefined
  const value = details[before.detail]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return { action, fields: { [before.field]: text } }
}
