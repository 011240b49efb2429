import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import { ApiError } from '../../http/wire/errors/errors.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { withWorkRefs } from '../../catalog/work-refs.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { html, type Html } from '../../ui/html.ts'
import { STATUSES } from '../../ratings/fields.ts'
import { lockLatestChanges, collectChanges } from '../../ratings/own/history-queries.ts'
import { findWorkRef } from '../../ratings/own/lists/library-queries.ts'
import { saveRating } from '../../ratings/own/queries.ts'
import { deleteWorkRecords } from '../../ratings/progress/record-queries.ts'
import { workTitles } from './library-view.ts'
import { MAX_BULK_WORKS, readChangeIds, parseWorkPath, workPath } from './change-notice.ts'
import type { WorkKey } from '../../collections/path-params.ts'
import { undoChange } from './undo-change.ts'

/**
 * Sets the status of several works, deletes their ratings and progress, or undoes either. Changes all of them or none.
 *
 * @returns the changes, or the error in the viewer's language if nothing was changed
 */
export async function applyBulkChange(
  db: Database,
  request: FastifyRequest,
  accountId: number,
): Promise<{ fault: string; status: 409 | 422 } | { changed: RecordedChanges }> {
  const { library: texts } = request.page.messages
  try {
    return await inTransaction(db, (trx) => change(trx, request, accountId))
  } catch (error) {
    if (!(error instanceof MissingWorkError)) throw error
    return {
      fault: texts.faults.gone({ title: await titleOf(db, request, error.work) }),
      status: 422,
    }
  }
}

type RecordedChanges = Awaited<ReturnType<typeof collectChanges>>

async function change(
  trx: Database,
  request: FastifyRequest,
  accountId: number,
): Promise<{ fault: string; status: 409 | 422 } | { changed: RecordedChanges }> {
  const { library: texts } = request.page.messages
  const action = fieldOf(request, 'act')
  if (action === 'undo') {
    const changes = await lockLatestChanges(
      trx,
      accountId,
      readChangeIds(fieldOf(request, 'change')),
    )
    if (!changes) return { fault: texts.faults.changedSince, status: 409 }
    for (const past of changes)
      await namingWork({ kind: past.kind, id: past.work_id }, undoChange(trx, accountId, past))
    return { changed: [] }
  }
  const works = chosenWorks(request)
  if (works.length === 0) return { fault: texts.nothingChosen, status: 422 }
  const newStatus =
    action === 'remove' ? action : STATUSES.find((item) => item === fieldOf(request, 'status'))
  if (newStatus === undefined) return { fault: texts.faults.status, status: 422 }
  const ids = works.map(({ id }) => id)
  const changed = await collectChanges(trx, accountId, ids, async () => {
    if (newStatus === 'remove') return deleteWorkRecords(trx, accountId, works)
    // Sequential and in a fixed order, so that concurrent requests cannot deadlock.
    for (const { kind, id } of works.toSorted((a, b) => a.id - b.id))
      await namingWork(
        { kind, id },
        saveRating(trx, { accountId, kind, workId: id }, null, { status: newStatus }),
      )
  })
  return { changed }
}

/** Thrown if a work in the form is not in the catalog. Nothing is stored. */
class MissingWorkError extends Error {
  override name = 'MissingWork'
  readonly work: WorkKey

  constructor(work: WorkKey, cause: unknown) {
    super(`${work.kind} ${work.id} is not there`, { cause })
    this.work = work
  }
}

/** @throws {MissingWorkError} if the work is not in the catalog */
const namingWork = (work: WorkKey, saving: Promise<unknown>) =>
  saving.catch((error: unknown) => {
    throw isMissing(error) ? new MissingWorkError(work, error) : error
  })

const isMissing = (error: unknown) =>
  error instanceof ApiError &&
  (error.code === 'COMMON_NOT_FOUND' || error.code === 'WIKI_RESOURCE_MERGED')

/** Returns a work's last known title, or its kind and number. */
async function titleOf(
  db: Database,
  { page }: FastifyRequest,
  { kind, id }: WorkKey,
): Promise<string> {
  const work = await findWorkRef(db, kind, id)
  const [main] = workTitles(page, work ?? null)
  return main?.text ?? `${page.messages.kinds[kind]} ${id}`
}

/**
 * Renders a bulk change that arrived after the session had ended, with the titles of its works. The user submits it
 * again.
 */
export async function restoredBulkForm(db: Database, request: FastifyRequest): Promise<Html> {
  const { messages, csrfField } = request.page
  const { library: texts } = messages
  const kept = Object.fromEntries(
    ['act', 'back', 'status', 'change'].map((name) => [name, fieldOf(request, name)]),
  )
  const works = await withWorkRefs(
    db,
    chosenWorks(request).map(({ kind, id }) => ({ kind, work_id: id })),
  )
  const status = STATUSES.find((name) => name === kept['status'])
  const button = {
    undo: texts.undo,
    remove: texts.remove,
    status: status && `${texts.setStatus}: ${texts.statuses.any[status]}`,
  }[kept['act'] ?? '']
  const isEmpty = works.length === 0 && readChangeIds(kept['change'] ?? '').length === 0
  const fault = isEmpty ? texts.nothingChosen : button === undefined && texts.faults.status
  if (fault) return html`<div class="notice error" role="alert"><p>${fault}</p></div>`
  return html`<div class="notice" role="status"><p>${texts.restoredBulk}</p>
<ul>${works.map(({ work, kind, work_id: id }) => html`<li>${workTitles(request.page, work)[0]?.text ?? `${messages.kinds[kind]} ${id}`}</li>`)}</ul>
<form method="post" action="/library/several">${csrfField()}${hiddenFields(kept)}${works.map(({ kind, work_id: id }) => hiddenFields({ work: workPath({ kind, id }) }))}<button>${button}</button></form></div>`
}

function chosenWorks({ body }: FastifyRequest): WorkKey[] {
  if (typeof body !== 'object' || body === null || !('work' in body)) return []
  return [body.work]
    .flat()
    .slice(0, MAX_BULK_WORKS)
    .flatMap((path) => (typeof path === 'string' ? (parseWorkPath(path) ?? []) : []))
}
