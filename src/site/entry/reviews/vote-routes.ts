import type { FastifyInstance } from 'fastify'
import { notFound } from '../../../http/wire/errors/refusals.ts'
import { parseId } from '../../../http/wire/requests/validation.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import { saveVote } from '../../../ratings/reviews/vote-queries.ts'
import { requireSignIn } from '../../require-sign-in.ts'
import { PAGE, type PageRouteOptions } from '../../options.ts'

/** Saves votes on reviews and returns to the page with the review. */
export async function votePageRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  const accountOf = requireSignIn(app, db, '/')
  app.post<{ Params: { id: string } }>('/reviews/:id/vote', PAGE, async (request, reply) => {
    const id = parseId(request.params.id)
    const { origin } = request.page
    const back = URL.parse(request.headers.referer ?? '')
    const returnPath = back?.origin === origin ? back.pathname + back.search : '/'
    const value = fieldOf(request, 'vote') === 'DISLIKE' ? 'DISLIKE' : 'LIKE'
    if (!(await saveVote(db, accountOf(request), id, value))) throw notFound()
    return reply.redirect(`${returnPath}#review-${id}`, 303)
  })
}
