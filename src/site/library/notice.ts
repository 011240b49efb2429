import type { FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { parameterOf } from '../../ui/forms/form-field.ts'
import { html, type Html } from '../../ui/html.ts'
import { localAddress } from '../../ui/local-address.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import {
  findChanges,
  listRatingHistory,
  type RatingHistoryRow,
} from '../../ratings/own/history-queries.ts'
import { shownTitlesOf } from './library-view.ts'
import { recordAddress } from './record/mark-form.ts'

/** The parameter that says of an address which record was just changed. */
export const DONE = 'done'

/** A page has no more of them. */
export const MAX_WORKS = 100

export type MarkedWork = { kind: WorkKind; id: number }

/** `light-novels/42` */
export const workPath = ({ kind, id }: MarkedWork) => `${KINDS[kind].path}/${id}`

/** Undefined when it names no work. */
export function workAt(path: string): MarkedWork | undefined {
  const [segment, number = ''] = path.split('/')
  const kind = WORK_KINDS.find((one) => KINDS[one].path === segment)
  const id = Number(number)
  return kind !== undefined && /^[1-9]\d{0,15}$/.test(number) && Number.isSafeInteger(id)
    ? { kind, id }
    : undefined
}

/** What was just done, as the address says, with the way to undo it; nothing once that is long ago. */
export async function noticeOf(
  db: Database,
  request: FastifyRequest,
  accountId: number,
): Promise<Html | undefined> {
  const { page: context } = request
  const several = readChangeIds(parameterOf(request, DONE))
  if (several.length > 0) return severalNotice(db, request, accountId, several)
  const work = workAt(parameterOf(request, DONE))
  const last = work && (await findLastChange(db, accountId, work))
  if (!last) return undefined
  const [main] = shownTitlesOf(context, last.work)
  const { library: words } = context.messages
  const title = main?.text ?? `${context.messages.kinds[work.kind]} ${work.id}`
  const text = last.action === 'DELETED' ? words.removed({ title }) : words.saved({ title })
  return html`<div class="notice success done cluster" role="status"><p>${text}</p>
${undoForm(context, work, last.id, localAddress(request.url, [DONE]))}</div>`
}

/** Ids of changes in the reader's history, as an address and the forms that undo them carry them. */
export function readChangeIds(text: string): number[] {
  const ids = /^[\d,]+$/.test(text) ? text.split(',').map(Number) : []
  return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].slice(0, MAX_WORKS)
}

async function severalNotice(
  db: Database,
  request: FastifyRequest,
  accountId: number,
  ids: number[],
): Promise<Html | undefined> {
  const { messages, csrfField } = request.page
  const { library: words } = messages
  const changes = await findChanges(db, accountId, ids)
  const areUndoable = changes.every((change) => change.isLatest && isRecent(change))
  if (changes.length !== ids.length || !areUndoable) return undefined
  return html`<div class="notice success done cluster" role="status"><p>${words.several({ amount: ids.length })}</p>
<form class="undo" method="post" action="/library/several">${csrfField()}<input type="hidden" name="back" value="${localAddress(request.url, [DONE])}">${changeField(ids)}<button class="secondary" name="act" value="undo">${words.undo}</button></form></div>`
}

/** The last change of a record, unless it is too long ago to be undone at a press. */
export async function findLastChange(
  db: Database,
  accountId: number,
  { kind, id }: MarkedWork,
): Promise<RatingHistoryRow | undefined> {
  const { entries } = await listRatingHistory(
    db,
    accountId,
    { kind, workId: id },
    { page: 1, pageSize: 1 },
  )
  const [last] = entries
  return last && isRecent(last) ? last : undefined
}

const isRecent = ({ changed_at }: { changed_at: Date }) =>
  Date.now() - changed_at.getTime() <= UNDO_MS

/** How long after a change the page offers to undo it. */
const UNDO_MS = 10 * 60_000

/** The field that names what a form undoes, so that it undoes nothing that came later. */
const changeField = (ids: number[]) =>
  html`<input type="hidden" name="change" value="${ids.join(',')}">`

/**
 * @param change id of the change that it undoes
 * @param back where it leads
 */
export const undoForm = (
  { messages, csrfField }: PageContext,
  { kind, id }: MarkedWork,
  change: number,
  back: string,
): Html =>
  html`<form class="undo" method="post" action="${recordAddress(kind, id)}/undo" data-undo>${csrfField()}${changeField([change])}<input type="hidden" name="back" value="${back}"><button class="secondary">${messages.library.undo}</button></form>`
