import { findOwnLastAction, type ActionFilter } from '../../audit/undo-queries.ts'
import type { Database } from '../../db/database.ts'

type Form = { action: string; fields?: Record<string, string> }
type Act = {
  /** Pattern of the IDs the action takes. */
  id: RegExp
  /**
   * Source of the previous value that this action restores: the logged actions to search, and the form field it fills.
   */
  before?: { acts(id: string): ActionFilter; detail: string; field: string }
  form(parts: string[]): Form
}

const NUMBER = /^\d{1,16}$/
const APP = /^[\w-]{1,100}$/
const ENTRY_FIELD = /^[\w-]{1,30}\/\d{1,16}\/\w{1,60}$/
const ENTRY_PAIR = /^[\w-]{1,30}\/\d{1,16}\/\d{1,16}$/

const below =
  (path: string, act: string) =>
  ([id = '']: string[]) => ({ action: `/desk/${path}/${id}/${act}` })
const entryField =
  (act: string) =>
  ([kind = '', id = '', field = '']: string[]) => ({
    action: `/desk/entries/${act}`,
    fields: { kind, id, field },
  })
const entryPair =
  (action: string) =>
  ([kind = '', from = '', into = '']: string[]) => ({ action, fields: { kind, from, into } })

/** Actions that a notice of the desk offers as an undo. */
const ACTS = {
  unban: { id: NUMBER, form: below('accounts', 'unban') },
  role: {
    id: NUMBER,
    before: {
      acts: (id) => ({ kinds: ['role_changed'], accountId: Number(id) }),
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
      acts: (clientId) => ({
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
      acts: (id) => ({ kinds: ['match_accepted'], about: { match: Number(id) } }),
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
} satisfies Record<string, Act>

export type UndoAct = keyof typeof ACTS

const isUndoAct = (text: string): text is UndoAct => Object.hasOwn(ACTS, text)

/**
 * Builds the form that undoes the actor's last action. Values to restore come from the audit log.
 *
 * @returns undefined for an unknown action or ID, or if the log lacks the value to restore
 */
export async function undoFormOf(
  db: Database,
  act: string,
  id: string,
  actorId: number,
): Promise<Form | undefined> {
  if (!isUndoAct(act)) return undefined
  const { id: shape, before, form }: Act = ACTS[act]
  if (!shape.test(id)) return undefined
  const { action, fields } = form(id.split('/'))
  if (!before) return { action, ...(fields && { fields }) }
  const on = before.acts(id)
  const details = await findOwnLastAction(db, on, { kinds: on.kinds }, actorId)
  if (!details) return undefined
  const value = details[before.detail]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return { action, fields: { [before.field]: text } }
}
