import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ActionFilter } from '../../audit/undo-queries.ts'
import { ENTRY_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import {
  parseField,
  restoreField,
  setField,
  unsetField,
  type EditOutcome,
  type FieldState,
} from '../../curation/edit/edit-field.ts'
import { showEntry } from '../../curation/edit/show-entry.ts'
import { EntryRefusedError } from '../../curation/merge/entry-refusal.ts'
import { findRun, listRuns } from '../../curation/runs/list-queries.ts'
import { listImportStates } from '../../operations/database-health-queries.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import {
  conflictIn,
  FormConflict,
  rejectStale,
  sentLoadedField,
} from '../../ui/forms/form-state.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import {
  changedMeanwhile,
  isUnexplainedUndo,
  requireOwnLastAction,
  readReason,
  refuseUnexplained,
  readActionReason,
} from '../moderator-action.ts'
import { withAuditEvent, explainRefusal } from './entry-action.ts'
import { explainEntryRefusal } from './explain-entry.ts'
import { entryFieldsView, fieldState, shortened, type EntryData } from './entry-view.ts'
import { FOR_ADMINS } from '../guard.ts'
import { importListView, importView } from '../system/import-view.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import { readChoice, readIdParameter } from '../read-parameters.ts'

const RUNS = 100
const MAX_RUN = 2 ** 31 - 1

/** Registers the pages that show and override the fields of entries and list imports. */
export async function entryFieldRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get('/desk/entries', FOR_ADMINS, async (request, reply) => {
    const kind = readChoice(request, 'kind', ENTRY_KINDS)
    const id = readIdParameter(request, 'id')
    return show(request, reply, { kind, id, notice: await takeDoneNotice(db, request, reply) })
  })

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, ...data }: Omit<EntryData, 'shown'> & { status?: number },
  ) {
    const { kind, id } = data
    const shown = kind && id ? await explainRefusal(request, showEntry(db, kind, id)) : undefined
    return sendCatalogPage(request, reply, entryFieldsView(request.page, { shown, ...data }), {
      status,
    })
  }

  /** Shows the current entry with the edit that conflicts with a newer one. */
  function showConflict(
    request: FastifyRequest,
    reply: FastifyReply,
    { kind, id, field }: Target,
    { conflict, ...typed }: { conflict: FormConflict; act: 'set' | 'unset'; value: string },
  ) {
    const notice = changedMeanwhile(request, conflict, describeField(request))
    const typedForm = { ...typed, field, note: fieldOf(request, 'note') }
    return show(request, reply, { kind, id, notice, tried: typedForm, status: 409 })
  }

  app.post('/desk/entries/set', FOR_ADMINS, async (request, reply) => {
    const target = targetIn(request)
    const typed = fieldOf(request, 'value')
    const { value, fault } = parse(request, target, typed)
    if (fault !== undefined) {
      const { kind, id, field } = target
      const typedForm = {
        act: 'set',
        field,
        value: typed,
        note: fieldOf(request, 'note'),
        fault,
      } as const
      const loaded = sentLoadedField(request)
      return show(request, reply, {
        kind,
        id,
        notice: undefined,
        tried: { ...typedForm, loaded },
        status: 422,
      })
    }
    const afterChange = auditedSet(request, readReason(request))(() => value)
    const check = refuseStaleField(request, target, { value, locked: true })
    const change = explainRefusal(request, setField(db, target, value, { check, afterChange }))
    const outcome = await conflictIn(change)
    if (outcome instanceof FormConflict)
      return showConflict(request, reply, target, { conflict: outcome, act: 'set', value: typed })
    return sendSet(reply, outcome)
  })

  app.post('/desk/entries/unset', FOR_ADMINS, async (request, reply) => {
    const target = targetIn(request)
    const actionReason = readActionReason(request, actionsOn(target), {
      kinds: ['entry_field_set'],
      details: { replaced: false },
    })
    const afterChange = withAuditEvent<EditOutcome>(
      request,
      'entry_field_unset',
      actionReason,
      (outcome) => ({ ...auditedTarget(target), ...auditedBefore(outcome) }),
    )
    const check = refuseStaleField(request, target, { value: undefined, locked: false })
    const change = explainRefusal(request, unsetField(db, target, { check, afterChange }))
    const outcome = await conflictIn(change)
    if (outcome instanceof FormConflict)
      return showConflict(request, reply, target, { conflict: outcome, act: 'unset', value: '' })
    const { done, before } = outcome
    if (!done) return redirectWithDone(reply, pathOf(target), { done: 'already' })
    const undo = { action: 'putBackField', id: undoId(target) } as const
    return redirectWithDone(reply, pathOf(target), {
      done: 'unset',
      ...(before !== undefined && { undo }),
    })
  })

  app.post('/desk/entries/put-back', FOR_ADMINS, async (request, reply) => {
    const target = targetIn(request)
    const afterChange = auditedSet(request, isUnexplainedUndo(request) ? '' : readReason(request))
    let value: unknown
    const valueAfter = async (trx: Database, current: unknown) => {
      const { before, after } = await requireOwnLastAction(request, trx, actionsOn(target), {
        kinds: FIELD_ACTIONS,
      })
      // Overrides set on the command line are not in the log.
      const isAsLeft = isDeepStrictEqual(
        current,
        typeof after === 'string' ? JSON.parse(after) : undefined,
      )
      if (typeof before !== 'string' || !isAsLeft) refuseUnexplained(request)
      value = JSON.parse(before)
      return value
    }
    const change = restoreField(
      db,
      target,
      valueAfter,
      afterChange(() => value),
    )
    return sendSet(reply, await explainRefusal(request, change))
  })

  app.get('/desk/imports', FOR_ADMINS, async (request, reply) =>
    sendCatalogPage(
      request,
      reply,
      importListView(request.page, {
        runs: await listRuns(db, RUNS),
        states: await listImportStates(db),
      }),
    ),
  )

  app.get<{ Params: { id: string } }>('/desk/imports/:id', FOR_ADMINS, async (request, reply) => {
    const id = parseId(request.params.id)
    const run = id <= MAX_RUN ? await findRun(db, id) : undefined
    if (!run) throw notFound()
    return sendCatalogPage(request, reply, importView(request.page, run))
  })
}

/**
 * Refuses to overwrite a field that has changed since the form was loaded. A field without an override has nothing to
 * unset.
 */
const refuseStaleField =
  (request: FastifyRequest, { field }: Target, sent: FieldState) =>
  (current: FieldState | undefined) => {
    if (current && (sent.locked || current.locked))
      rejectStale(request, { [field]: fieldState(sent) }, { [field]: fieldState(current) })
  }

const describeField =
  ({ page }: FastifyRequest) =>
  (field: string, state: unknown) => {
    const { value, locked } = state as FieldState // as: stored by `refuseStaleField`
    const text = value === null ? '' : shortened(value)
    return { label: field, value: locked ? `${text} (${page.messages.desk.entries.byHand})` : text }
  }

const FIELD_ACTIONS = ['entry_field_set', 'entry_field_unset'] as const

const actionsOn = (target: Target): ActionFilter => ({
  kinds: FIELD_ACTIONS,
  about: auditedTarget(target),
})

/** Logs the new and the previous value of a field as JSON, so that the previous one can be restored. */
const auditedSet = (request: FastifyRequest, reason: string) => (valueOf: () => unknown) =>
  withAuditEvent<EditOutcome>(request, 'entry_field_set', { reason }, (outcome) => ({
    ...auditedTarget(outcome),
    after: JSON.stringify(valueOf()),
    replaced: outcome.before !== undefined,
    ...auditedBefore(outcome),
  }))

const auditedBefore = ({ before }: EditOutcome) =>
  before !== undefined && { before: JSON.stringify(before) }

/** If the field had an override before, the undo restores it instead of unsetting the field. */
function sendSet(reply: FastifyReply, { done, before, ...target }: EditOutcome): FastifyReply {
  if (!done) return redirectWithDone(reply, pathOf(target), { done: 'already' })
  const action = before === undefined ? 'unsetField' : 'putBackField'
  return redirectWithDone(reply, pathOf(target), {
    done: 'set',
    undo: { action, id: undoId(target) },
  })
}

type Target = { kind: EntryKind; id: number; field: string }

/** @throws {ApiError} 404 if the form names no field of an entry */
function targetIn(request: FastifyRequest): Target {
  const kind = ENTRY_KINDS.find((known) => known === fieldOf(request, 'kind'))
  if (!kind) throw notFound()
  const field = fieldOf(request, 'field')
  if (!/^\w{1,60}$/.test(field)) throw notFound()
  return { kind, id: parseId(fieldOf(request, 'id')), field }
}

function parse(
  request: FastifyRequest,
  target: Target,
  typed: string,
): { value?: unknown; fault?: string | undefined } {
  try {
    return { value: parseField(target, typed) }
  } catch (error) {
    if (error instanceof EntryRefusedError)
      return { fault: explainEntryRefusal(request.page, error.refusal) }
    throw error
  }
}

const pathOf = ({ kind, id }: Target) => `/desk/entries?kind=${kind}&id=${id}`
const auditedTarget = ({ kind, id, field }: Target) => ({ entry_kind: kind, entry: id, field })
const undoId = ({ kind, id, field }: Target) => `${kind}/${id}/${field}`
