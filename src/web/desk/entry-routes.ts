import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ENTRY_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { notFound } from '../../http/wire/refusals.ts'
import { parseId } from '../../http/wire/validation.ts'
import { EditError, parseField, setField, unsetField } from '../../importers/editing/edit-field.ts'
import { showEntry } from '../../importers/editing/show-entry.ts'
import { findRun, listRuns } from '../../importers/runs/list-queries.ts'
import { fieldOf } from '../../pages/form-field.ts'
import type { WebOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { reasonOrUndone, refuseAct } from './act.ts'
import { audited, explainRefusal } from './catalog-act.ts'
import { entryFieldsView } from './entry-view.ts'
import { FOR_ADMINS } from './guard.ts'
import { importListView, importView } from './import-view.ts'
import { sendDone, takeDone } from './notice.ts'
import { readChoice, readIdParameter } from './read-parameters.ts'

const RUNS = 100
const MAX_RUN = 2 ** 31 - 1

/** Where the fields of entries come from, setting them by hand, and the imports they came with. */
export async function entryFieldRoutes(app: FastifyInstance, { db }: WebOptions) {
  app.get('/desk/entries', FOR_ADMINS, async (request, reply) => {
    const kind = readChoice(request, 'kind', ENTRY_KINDS)
    const id = readIdParameter(request, 'id')
    const shown = kind && id ? await explainRefusal(showEntry(db, kind, id)) : undefined
    const view = entryFieldsView(request.page, { shown, kind, id, notice: takeDone(request, reply) })
    return sendCatalogPage(request, reply, view)
  })

  app.post('/desk/entries/set', FOR_ADMINS, async (request, reply) => {
    const target = targetIn(request)
    const reason = reasonOrUndone(request)
    const typed = fieldOf(request, 'value')
    const also = audited(request, 'entry_field_set', () => ({
      ...auditedTarget(target),
      value: typed.slice(0, 500),
      reason,
    }))
    await explainRefusal(setField(db, target, parse(target, typed), also))
    return sendDone(reply, addressOf(target), {
      done: 'set',
      undo: { action: '/desk/entries/unset', fields: targetFields(target) },
    })
  })

  app.post('/desk/entries/unset', FOR_ADMINS, async (request, reply) => {
    const target = targetIn(request)
    const reason = reasonOrUndone(request)
    const also = audited(request, 'entry_field_unset', () => ({ ...auditedTarget(target), reason }))
    await explainRefusal(unsetField(db, target, also))
    return sendDone(reply, addressOf(target), { done: 'unset' })
  })

  app.get('/desk/imports', FOR_ADMINS, async (request, reply) =>
    sendCatalogPage(request, reply, importListView(request.page, await listRuns(db, RUNS))),
  )

  app.get<{ Params: { id: string } }>('/desk/imports/:id', FOR_ADMINS, async (request, reply) => {
    const id = parseId(request.params.id)
    const run = id <= MAX_RUN ? await findRun(db, id) : undefined
    if (!run) throw notFound()
    return sendCatalogPage(request, reply, importView(request.page, run))
  })
}

type Target = { kind: EntryKind; id: number; field: string }

/** @throws {ApiError} 404 when the form names no field of an entry */
function targetIn(request: FastifyRequest): Target {
  const kind = ENTRY_KINDS.find((known) => known === fieldOf(request, 'kind'))
  if (!kind) throw notFound()
  return { kind, id: parseId(fieldOf(request, 'id')), field: fieldOf(request, 'field') }
}

function parse(target: Target, typed: string): unknown {
  try {
    return parseField(target, typed)
  } catch (error) {
    if (error instanceof EditError) refuseAct(error.message)
    throw error
  }
}

const addressOf = ({ kind, id }: Target) => `/desk/entries?kind=${kind}&id=${id}`
const auditedTarget = ({ kind, id, field }: Target) => ({ entry_kind: kind, entry: id, field })
const targetFields = ({ kind, id, field }: Target) => ({ kind, id: String(id), field })
