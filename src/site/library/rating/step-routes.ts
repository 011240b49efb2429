import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isRestored } from '../../../accounts/form-drafts.ts'
import { missingEntryError } from '../../../catalog/merged.ts'
import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../http/wire/errors/refusals.ts'
import { findWorkRef } from '../../../ratings/own/lists/library-queries.ts'
import { findRating, type RatingKey } from '../../../ratings/own/queries.ts'
import { hasVolumes, MAX_NUMBERS } from '../../../ratings/progress/fields.ts'
import {
  changeProgress,
  findVolumeTotals,
  findWorkProgress,
} from '../../../ratings/progress/queries.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import { PAGE_HEADERS } from '../../../ui/page/page.ts'
import { DRAFT_PAGE, PAGE } from '../../options.ts'
import { workTitles } from '../library-view.ts'
import { confirmationPath, returnPath } from '../return-path.ts'
import { nextStep } from './next-step.ts'
import { ratingPath } from './quick-rating.ts'
import { RAISED_FIELDS } from './volume-form.ts'

export type OfWork = { Params: { works: string; id: string } }

export type RatingRouteOptions = {
  db: Database
  keyOf: (request: FastifyRequest<OfWork>) => RatingKey
}

/** Serves the form that adds a volume or a chapter to the user's progress. */
export function stepRoutes(app: FastifyInstance, { db, keyOf }: RatingRouteOptions): void {
  /** Returns the form of a list or card as a fragment, which scripts load after each step. */
  app.get<OfWork>('/library/:works/:id/next', PAGE, async (request, reply) => {
    const key = keyOf(request)
    const { kind, workId: id } = key
    const { page: context } = request
    if (!hasVolumes(kind)) throw notFound()
    const [work, rating, read, totals] = await Promise.all([
      findWorkRef(db, kind, id),
      findRating(db, key),
      findWorkProgress(db, key),
      findVolumeTotals(db, [id]),
    ])
    if (!work) throw await missingEntryError(db, kind, id, true)
    const [main] = workTitles(context, work)
    const part = nextStep(context, {
      kind,
      id,
      ...read,
      status: rating?.status ?? null,
      rate: rating?.rate ?? null,
      title: main?.text ?? work.name,
      total: totals.get(id),
      back: returnPath(request),
    })
    return reply.headers({ ...PAGE_HEADERS, 'x-request-id': request.id }).send(part?.toString())
  })

  app.post<OfWork>('/library/:works/:id/volume', DRAFT_PAGE, async (request, reply) => {
    const key = keyOf(request)
    if (!hasVolumes(key.kind)) throw notFound()
    // Nothing is added: the work's form shows the current number and has the same button.
    const back = returnPath(request)
    if (isRestored(request)) return reply.redirect(ratingPath(key.kind, key.workId, back), 303)
    const field = RAISED_FIELDS.find((name) => name === fieldOf(request, 'field')) ?? 'volumes_read'
    const from = Number(fieldOf(request, 'from'))
    // A form that is submitted twice, or in two tabs, counts once.
    await changeProgress(db, key, null, ({ [field]: read }) =>
      from === read && read < MAX_NUMBERS[field] ? { [field]: read + 1 } : {},
    )
    return reply.redirect(confirmationPath(back, key), 303)
  })
}
