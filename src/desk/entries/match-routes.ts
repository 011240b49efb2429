import type { FastifyInstance, FastifyRequest } from 'fastify'
import { recordEvents } from '../../audit/events.ts'
import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { decideMatches, type DecidedMatch } from '../../curation/join/decide-matches.ts'
import {
  listMatches,
  MATCH_STATES,
  type Match,
  type MatchFilter,
} from '../../curation/join/list-matches.ts'
import { MATCH_RULES } from '../../curation/join/pairs.ts'
import {
  MatchChangedError,
  reopenMatch,
  unacceptMatch,
  type UnacceptedMatch,
} from '../../curation/join/review.ts'
import { isId, parseId } from '../../http/wire/requests/validation.ts'
import { SOURCE_NAMES } from '../../sources/registry.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { readPageNumber } from '../../site/read-page-number.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { fieldOf, fieldsOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { PageError } from '../../ui/page/errors.ts'
import { actorOf, readActionReason, readReason, refuseAction } from '../moderator-action.ts'
import { FOR_ADMINS } from '../guard.ts'
import { redirectWithDone, takeDoneNotice, type DeskNotice } from '../notice.ts'
import { readChoice } from '../read-parameters.ts'
import { withAuditEvent, explainRefusal } from './entry-action.ts'
import { MATCH_DECISIONS } from './match-decisions.ts'
import { matchesView, matchQuery } from './match-view.ts'
import { findPortraits } from './portrait-queries.ts'

/** Number of pairs on a page, which one form can decide. */
const PAGE_SIZE = 25

type IdParams = { Params: { id: string } }

/** Registers the pages that decide matches. */
export async function matchRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get('/desk/matches', FOR_ADMINS, async (request, reply) => {
    const filter = readFilter(request)
    const { items, total } = await listMatches(db, filter)
    const portraits = await findPortraits(
      db,
      items.flatMap(({ kind, one, other }) =>
        [one, other].flatMap(({ entry_id: id }) => (id === null ? [] : [{ kind, id }])),
      ),
    )
    const view = matchesView(request.page, {
      items,
      total,
      portraits,
      filter,
      last: Math.max(1, Math.ceil(total / PAGE_SIZE)),
      allSelected: queryParameterOf(request, 'select') === 'all',
      notice: await takeDoneNotice(db, request, reply),
    })
    return sendCatalogPage(request, reply, view)
  })

  app.post('/desk/matches/decide', FOR_ADMINS, async (request, reply) => {
    const filter = readFilter(request)
    const path = `/desk/matches?${matchQuery(filter)}`
    const to = (['accepted', 'rejected'] as const).find(
      (item) => item === fieldOf(request, 'decision'),
    )
    if (!to) return reply.redirect(path, 303)
    const ids = [...new Set(fieldsOf(request, 'match').filter(isId).map(Number))]
    if (ids.length === 0 || ids.length > PAGE_SIZE)
      throw new PageError(
        422,
        undefined,
        request.page.messages.desk.matches.noneSelected({ most: String(PAGE_SIZE) }),
      )
    const afterChange = recordDecisions(request, to, readReason(request))
    const decided = await explainRefusal(
      request,
      decideMatches(db, ids, { seen: filter.state, to, afterChange }),
    )
    return redirectWithDone(reply, path, noticeOf(decided, ids.length, to))
  })

  app.post<IdParams>('/desk/matches/:id/unaccept', FOR_ADMINS, async (request, reply) => {
    const id = parseId(request.params.id)
    const to = fieldOf(request, 'to') === 'rejected' ? 'rejected' : 'open'
    const actionReason = readActionReason(
      request,
      { kinds: MATCH_DECISIONS, about: { match: id } },
      { kinds: ['match_accepted'], details: { was: to } },
    )
    const kind = to === 'open' ? 'match_reopened' : 'match_rejected'
    const afterChange = withAuditEvent<UnacceptedMatch>(
      request,
      kind,
      actionReason,
      ({ match, unmerged }) => ({
        match: id,
        entry_kind: match.kind,
        from: unmerged?.from ?? null,
        into: unmerged?.into ?? null,
      }),
    )
    await decided(request, unacceptMatch(db, id, { to, afterChange }))
    return redirectWithDone(reply, '/desk/matches', {
      done: to === 'open' ? 'reopenedMatch' : 'notSame',
    })
  })

  app.post<IdParams>('/desk/matches/:id/reopen', FOR_ADMINS, async (request, reply) => {
    const id = parseId(request.params.id)
    const on = { kinds: MATCH_DECISIONS, about: { match: id } }
    const actionReason = readActionReason(request, on, { kinds: ['match_rejected'] })
    const afterChange = withAuditEvent<Match>(
      request,
      'match_reopened',
      actionReason,
      ({ kind }) => ({ match: id, entry_kind: kind }),
    )
    await decided(request, reopenMatch(db, id, afterChange))
    return redirectWithDone(reply, '/desk/matches', { done: 'reopenedMatch' })
  })
}

const readFilter = (request: FastifyRequest): MatchFilter => ({
  state: readChoice(request, 'state', MATCH_STATES) ?? 'open',
  kind: readChoice(request, 'kind', ENTRY_KINDS),
  source: readChoice(request, 'source', SOURCE_NAMES),
  rule: readChoice(request, 'rule', MATCH_RULES),
  page: readPageNumber(request),
  pageSize: PAGE_SIZE,
})

/** Records one event per decided pair, so that each can be undone separately. */
const recordDecisions =
  (request: FastifyRequest, to: 'accepted' | 'rejected', reason: string) =>
  (trx: Database, decided: DecidedMatch[]) =>
    recordEvents(
      trx,
      decided.map(({ match, merged }) => ({
        kind: `match_${to}` as const,
        ...actorOf(request),
        details: {
          match: match.id,
          entry_kind: match.kind,
          ...(to === 'accepted' && {
            from: merged?.from ?? null,
            into: merged?.into ?? null,
            was: match.state,
          }),
          reason,
        },
      })),
    )

/** Returns the notice for a decision. Only the decision on a single pair can be undone from the notice. */
function noticeOf(
  decided: DecidedMatch[],
  requested: number,
  to: 'accepted' | 'rejected',
): DeskNotice {
  const [only] = decided
  if (!only) return { done: 'decided' }
  if (decided.length < requested) return { done: 'someMatchesDecided' }
  if (requested > 1) return { done: to === 'accepted' ? 'severalAccepted' : 'severalNotSame' }
  const { id, one, other } = only.match
  if (to === 'rejected') return { done: 'notSame', undo: { action: 'reopenMatch', id } }
  // If both were one entry before, rejecting this pair cannot separate them.
  const wasOne = one.entry_id !== null && one.entry_id === other.entry_id
  return { done: 'accepted', ...(!wasOne && { undo: { action: 'unacceptMatch', id } }) }
}

/** @throws {PageError} 409 if someone else decided first */
async function decided<Result>(request: FastifyRequest, work: Promise<Result>): Promise<Result> {
  try {
    return await explainRefusal(request, work)
  } catch (error) {
    if (error instanceof MatchChangedError) refuseAction(request.page.messages.desk.matches.decided)
    throw error
  }
}
