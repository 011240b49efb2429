import type { WorkKey } from '../../collections/path-params.ts'
import type { FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { html, type Html } from '../../ui/html.ts'
import { localPath } from '../../ui/local-path.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import {
  findChanges,
  listRatingHistory,
  type RatingHistoryRow,
} from '../../ratings/own/history-queries.ts'
import { workTitles } from './library-view.ts'
import { ratingPath } from './rating/quick-rating.ts'

/** Query parameter that names the rating that has just been changed. */
export const CHANGED_PARAMETER = 'done'

/** Maximum number of works in a bulk change. No page shows more. */
export const MAX_BULK_WORKS = 100

/** Returns a path segment such as `light-novels/42`. */
export const workPath = ({ kind, id }: WorkKey) => `${KINDS[kind].path}/${id}`

/** Parses the result of `workPath`; undefined if it is invalid. */
export function parseWorkPath(path: string): WorkKey | undefined {
  const [segment, number = ''] = path.split('/')
  const kind = WORK_KINDS.find((item) => KINDS[item].path === segment)
  const id = Number(number)
  return kind !== undefined && /^[1-9]\d{0,15}$/.test(number) && Number.isSafeInteger(id)
    ? { kind, id }
    : undefined
}

/**
 * Renders a confirmation of the change that the URL names, with a button to undo it. Older changes
 * have none.
 */
export async function changeNotice(
  db: Database,
  request: FastifyRequest,
  accountId: number,
): Promise<Html | undefined> {
  const { page: context } = request
  const several = readChangeIds(queryParameterOf(request, CHANGED_PARAMETER))
  if (several.length > 0) return bulkChangeNotice(db, request, accountId, several)
  const work = parseWorkPath(queryParameterOf(request, CHANGED_PARAMETER))
  const last = work && (await findLastChange(db, accountId, work))
  if (!last) return undefined
  const [main] = workTitles(context, last.work)
  const { library: texts } = context.messages
  const title = main?.text ?? `${context.messages.kinds[work.kind]} ${work.id}`
  const text = last.action === 'DELETED' ? texts.removed({ title }) : texts.saved({ title })
  return html`<div class="notice success done cluster" role="status"><p>${text}</p>
${undoForm(context, work, last.id, localPath(request.url, [CHANGED_PARAMETER]))}</div>`
}

/** Parses the ids of changes from a URL or an undo form. */
export function readChangeIds(text: string): number[] {
  const ids = /^[\d,]+$/.test(text) ? text.split(',').map(Number) : []
  return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].slice(
    0,
    MAX_BULK_WORKS,
  )
}

async function bulkChangeNotice(
  db: Database,
  request: FastifyRequest,
  accountId: number,
  ids: number[],
): Promise<Html | undefined> {
  const { messages, csrfField } = request.page
  const { library: texts } = messages
  const changes = await findChanges(db, accountId, ids)
  const canUndo = changes.every((change) => change.isLatest && isRecent(change))
  if (changes.length !== ids.length || !canUndo) return undefined
  return html`<div class="notice success done cluster" role="status"><p>${texts.several({ amount: ids.length })}</p>
<form class="undo" method="post" action="/library/several">${csrfField()}<input type="hidden" name="back" value="${localPath(request.url, [CHANGED_PARAMETER])}">${changeField(ids)}<button class="secondary" name="act" value="undo">${texts.undo}</button></form></div>`
}

/** Returns a rating's last change, unless it is too old to undo. */
export async function findLastChange(
  db: Database,
  accountId: number,
  { kind, id }: WorkKey,
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

/** Time, in milliseconds, during which a change can be undone. */
const UNDO_MS = 10 * 60_000

/** Renders a hidden field with the ids of the changes that a form undoes, so that it cannot undo later ones. */
const changeField = (ids: number[]) =>
  html`<input type="hidden" name="change" value="${ids.join(',')}">`

/**
 * @param change id of the change to undo
 * @param back path to return to
 */
export const undoForm = (
  { messages, csrfField }: PageContext,
  { kind, id }: WorkKey,
  change: number,
  back: string,
): Html =>
  html`<form class="undo" method="post" action="${ratingPath(kind, id)}/undo" data-undo>${csrfField()}${changeField([change])}<input type="hidden" name="back" value="${back}"><button class="secondary">${messages.library.undo}</button></form>`
