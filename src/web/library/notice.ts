import type { FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { parameterOf } from '../../pages/form-field.ts'
import { html, type Html } from '../../pages/html.ts'
import { localAddress } from '../../pages/local-address.ts'
import type { PageContext } from '../../pages/page-context.ts'
import { listRatingHistory } from '../../ratings/own/history-queries.ts'
import { shownTitlesOf } from './library-view.ts'
import { recordAddress } from './mark-form.ts'

/** The parameter that says of an address which record was just changed. */
export const DONE = 'done'

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
  const work = workAt(parameterOf(request, DONE))
  if (!work) return undefined
  const { entries } = await listRatingHistory(
    db,
    accountId,
    { kind: work.kind, workId: work.id },
    { page: 1, pageSize: 1 },
  )
  const [last] = entries
  if (!last || Date.now() - last.changed_at.getTime() > UNDO_MS) return undefined
  const [main] = shownTitlesOf(context, last.work)
  const { library: words } = context.messages
  const title = main?.text ?? `${context.messages.kinds[work.kind]} ${work.id}`
  return undoNotice(context, work, {
    text: last.action === 'DELETED' ? words.removed(title) : words.saved(title),
    back: localAddress(request.url, [DONE]),
  })
}

/** How long after a change the page offers to undo it. */
const UNDO_MS = 10 * 60_000

const undoNotice = (
  { messages, csrfField }: PageContext,
  { kind, id }: MarkedWork,
  { text, back }: { text: string; back: string },
) => html`<div class="notice success done" role="status"><p>${text}</p>
<form method="post" action="${recordAddress(kind, id)}/undo">${csrfField()}<input type="hidden" name="back" value="${back}"><button class="secondary">${messages.library.undo}</button></form></div>`
