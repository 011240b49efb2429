import type { FastifyInstance } from 'fastify'
import type { ActionFilter } from '../../audit/undo-queries.ts'
import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import {
  acceptMatch,
  MatchChangedError,
  listMatches,
  MATCH_STATES,
  rejectMatch,
  reopenMatch,
  unacceptMatch,
  type AcceptedMatch,
  type Match,
  type UnacceptedMatch,
} from '../../curation/join/review.ts'
import { listMerges } from '../../curation/merge/list-merges-queries.ts'
import { mergeEntries, unmergeEntries, type EntryPair } from '../../curation/merge/merge-entries.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import type { FastifyRequest } from 'fastify'
import { notFound } from '../../http/wire/errors/refusals.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { readPageNumber } from '../../site/read-page-number.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { readReason, refuseAction, readActionReason } from '../moderator-action.ts'
import { audited, explainRefusal } from './entry-action.ts'
import { FOR_ADMINS } from '../guard.ts'
import { matchesView, mergesView } from './match-view.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import { readChoice, readIdParameter } from '../read-parameters.ts'

const PAGE_SIZE = 50
const MATCH_DECISIONS = ['match_accepted', 'match_rejected', 'match_reopened'] as const

type IdParams = { Params: { id: string } }

/** Registers the pages that decide matches and merge entries. */
export async function matchRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get('/desk/matches', FOR_ADMINS, async (request, reply) => {
    const page = readPageNumber(request)
    const state = readChoice(request, 'state', MATCH_STATES) ?? 'open'
    const kind = readChoice(request, 'kind', ENTRY_KINDS)
    const { items, total } = await listMatches(db, { state, kind, page, pageSize: PAGE_SIZE })
    const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
    const notice = await takeDoneNotice(db, request, reply)
    const view = matchesView(request.page, { items, total, state, kind, page, last, notice })
    return sendCatalogPage(request, reply, view)
  })

  app.post<IdParams>('/desk/matches/:id/accept', FOR_ADMINS, async (request, reply) => {
    const id = parseId(request.params.id)
    const actionReason = { reason: readReason(request) }
    const afterChange = audited<AcceptedMatch>(
      request,
      'match_accepted',
      actionReason,
      ({ match, merged }) => ({
        match: match.id,
        entry_kind: match.kind,
        from: merged?.from ?? null,
        into: merged?.into ?? null,
        was: match.state,
      }),
    )
    const { match } = await decided(
      request,
      acceptMatch(db, id, { afterChange, seen: seenIn(request) }),
    )
    const { one, other } = match
    // If both were one entry before, rejecting this pair cannot separate them.
    const wasOne = one.entry_id !== null && one.entry_id === other.entry_id
    const undo = { action: 'unacceptMatch', id } as const
    return redirectWithDone(reply, '/desk/matches', { done: 'accepted', ...(!wasOne && { undo }) })
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
    const afterChange = audited<UnacceptedMatch>(
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

  app.post<IdParams>('/desk/matches/:id/reject', FOR_ADMINS, async (request, reply) => {
    const actionReason = { reason: readReason(request) }
    const afterChange = audited<Match>(request, 'match_rejected', actionReason, ({ id, kind }) => ({
      match: id,
      entry_kind: kind,
    }))
    const change = rejectMatch(db, parseId(request.params.id), {
      afterChange,
      seen: seenIn(request),
    })
    const { id } = await decided(request, change)
    return redirectWithDone(reply, '/desk/matches', {
      done: 'notSame',
      undo: { action: 'reopenMatch', id },
    })
  })

  app.post<IdParams>('/desk/matches/:id/reopen', FOR_ADMINS, async (request, reply) => {
    const id = parseId(request.params.id)
    const on = { kinds: MATCH_DECISIONS, about: { match: id } }
    const actionReason = readActionReason(request, on, { kinds: ['match_rejected'] })
    const afterChange = audited<Match>(request, 'match_reopened', actionReason, ({ kind }) => ({
      match: id,
      entry_kind: kind,
    }))
    await decided(request, reopenMatch(db, id, afterChange))
    return redirectWithDone(reply, '/desk/matches', { done: 'reopenedMatch' })
  })

  app.get('/desk/merges', FOR_ADMINS, async (request, reply) => {
    const merges = await listMerges(db, {
      before: readIdParameter(request, 'before'),
      limit: PAGE_SIZE + 1,
    })
    const shown = merges.slice(0, PAGE_SIZE)
    const next = merges.length > PAGE_SIZE ? shown.at(-1)?.id : undefined
    const view = mergesView(request.page, {
      merges: shown,
      next,
      notice: await takeDoneNotice(db, request, reply),
    })
    return sendCatalogPage(request, reply, view)
  })

  app.post('/desk/merges', FOR_ADMINS, async (request, reply) => {
    const pair = pairIn(request)
    const actionReason = readActionReason(request, actionsOn(pair), { kinds: ['entries_unmerged'] })
    const afterChange = audited(request, 'entries_merged', actionReason, () => auditedPair(pair))
    const { done } = await explainRefusal(request, mergeEntries(db, pair, { afterChange }))
    if (!done) return redirectWithDone(reply, '/desk/merges', { done: 'already' })
    return redirectWithDone(reply, '/desk/merges', {
      done: 'merged',
      undo: { action: 'unmergeEntries', id: undoId(pair) },
    })
  })

  app.post('/desk/merges/undo', FOR_ADMINS, async (request, reply) => {
    const pair = pairIn(request)
    const actionReason = readActionReason(request, actionsOn(pair), { kinds: ['entries_merged'] })
    const afterChange = audited(request, 'entries_unmerged', actionReason, () => auditedPair(pair))
    const { done } = await explainRefusal(request, unmergeEntries(db, pair, afterChange))
    if (!done) return redirectWithDone(reply, '/desk/merges', { done: 'already' })
    return redirectWithDone(reply, '/desk/merges', {
      done: 'unmerged',
      undo: { action: 'mergeEntries', id: undoId(pair) },
    })
  })
}

/** Returns the state of the pair when the form was shown. */
const seenIn = (request: FastifyRequest) =>
  MATCH_STATES.find((state) => state === fieldOf(request, 'state')) ?? 'open'

/** @throws {PageError} 409 if someone else decided first */
async function decided<Result>(request: FastifyRequest, work: Promise<Result>): Promise<Result> {
  try {
    return await explainRefusal(request, work)
  } catch (error) {
    if (error instanceof MatchChangedError) refuseAction(request.page.messages.desk.matches.decided)
    throw error
  }
}

const actionsOn = (pair: EntryPair): ActionFilter => ({
  kinds: ['entries_merged', 'entries_unmerged', ...MATCH_DECISIONS],
  about: auditedPair(pair),
})

const auditedPair = ({ kind, from, into }: EntryPair) => ({ entry_kind: kind, from, into })

const undoId = ({ kind, from, into }: EntryPair) => `${kind}/${from}/${into}`

/** @throws {ApiError} 404 if the form does not name two entries */
function pairIn(request: FastifyRequest): EntryPair {
  const kind = ENTRY_KINDS.find((known) => known === fieldOf(request, 'kind'))
  if (!kind) throw notFound()
  return { kind, from: parseId(fieldOf(request, 'from')), into: parseId(fieldOf(request, 'into')) }
}
