import type { FastifyRequest } from 'fastify'
import type { WorkKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { html, type Html } from '../../../ui/html.ts'
import { localPath } from '../../../ui/local-path.ts'
import { findRating } from '../../../ratings/own/queries.ts'
import { foldedMenu } from '../../collections/menu.ts'
import { quickRating, ratingPath } from './quick-rating.ts'
import { loadVolumeForm } from './volume-form.ts'
import { CHANGED_PARAMETER, changeNotice } from '../change-notice.ts'

/** The viewer's rating on a work's page: its form and a confirmation of the last change. */
export type OwnRating = { form: Html; notice: Html | undefined }

/** Loads the viewer's rating. Guests get a link to the form, which leads through the sign-in. */
export async function loadOwnRating(
  db: Database,
  request: FastifyRequest,
  { kind, id, title }: { kind: WorkKind; id: number; title: string },
): Promise<OwnRating> {
  const { page: context } = request
  const { viewer, messages } = context
  const { library: texts } = messages
  const back = localPath(request.url, [CHANGED_PARAMETER])
  if (!viewer)
    return {
      form: html`<p class="own-mark"><a class="button" href="${ratingPath(kind, id, back)}" rel="nofollow">${texts.add}</a></p>`,
      notice: undefined,
    }
  const [record, notice, menu] = await Promise.all([
    findRating(db, { accountId: viewer.accountId, kind, workId: id }),
    changeNotice(db, request, viewer.accountId),
    foldedMenu(db, context, viewer.accountId, { kind, id }, back),
  ])
  const volumes = await loadVolumeForm(
    db,
    context,
    { accountId: viewer.accountId, kind, workId: id },
    { rating: record, back },
  )
  return {
    form: html`<div class="own-mark">${quickRating(context, { kind, id, title, record, back })}<a class="own-edit tap" href="${ratingPath(kind, id, back)}">${texts.edit}</a>${menu}</div>${volumes}`,
    notice,
  }
}
