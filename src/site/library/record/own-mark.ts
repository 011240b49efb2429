import type { FastifyRequest } from 'fastify'
import type { WorkKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { html, type Html } from '../../../ui/html.ts'
import { localAddress } from '../../../ui/local-address.ts'
import { findRating } from '../../../ratings/own/queries.ts'
import { foldedMenu } from '../../collections/menu.ts'
import { markForm, recordAddress } from './mark-form.ts'
import { DONE, noticeOf } from '../notice.ts'

/** What the page of a work shows of the reader's own record: the form that changes it, and what was just done. */
export type OwnMark = { mark: Html; notice: Html | undefined }

/** Guests are led to the form by way of the sign-in. */
export async function ownMark(
  db: Database,
  request: FastifyRequest,
  { kind, id, title }: { kind: WorkKind; id: number; title: string },
): Promise<OwnMark> {
  const { page: context } = request
  const { reader, messages } = context
  const { library: words } = messages
  const back = localAddress(request.url, [DONE])
  if (!reader)
    return {
      mark: html`<p class="own-mark"><a class="button" href="${recordAddress(kind, id, back)}" rel="nofollow">${words.add}</a></p>`,
      notice: undefined,
    }
  const [record, notice, menu] = await Promise.all([
    findRating(db, { accountId: reader.accountId, kind, workId: id }),
    noticeOf(db, request, reader.accountId),
    foldedMenu(db, context, reader.accountId, { kind, id }, back),
  ])
  return {
    mark: html`<div class="own-mark">${markForm(context, { kind, id, title, record, back })}<a class="own-edit tap" href="${recordAddress(kind, id, back)}">${words.edit}</a>${menu}</div>`,
    notice,
  }
}
