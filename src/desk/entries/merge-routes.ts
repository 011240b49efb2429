import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ActionFilter } from '../../audit/undo-queries.ts'
import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import { EntryRefusedError } from '../../curation/merge/entry-refusal.ts'
import { listMerges } from '../../curation/merge/list-merges-queries.ts'
import {
  mergeEntries,
  requireEntry,
  unmergeEntries,
  type EntryPair,
} from '../../curation/merge/merge-entries.ts'
import type { Database } from '../../db/database.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { FOR_ADMINS } from '../guard.ts'
import { readActionReason } from '../moderator-action.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import { readChoice, readIdParameter } from '../read-parameters.ts'
import { withAuditEvent, explainRefusal } from './entry-action.ts'
import { MATCH_DECISIONS } from './match-decisions.ts'
import { mergesView } from './merge-view.ts'
import { findPortraits, portraitKey } from './portrait-queries.ts'

const PAGE_SIZE = 50

/** Registers the pages that compare, merge and unmerge entries. */
export async function mergeRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get('/desk/merges', FOR_ADMINS, async (request, reply) => {
    const kind = readChoice(request, 'kind', ENTRY_KINDS)
    const [from, into] = [readIdParameter(request, 'from'), readIdParameter(request, 'into')]
    const compared =
      kind && from !== undefined && into !== undefined
        ? await explainRefusal(request, comparePair(db, { kind, from, into }))
        : undefined
    const merges = await listMerges(db, {
      before: readIdParameter(request, 'before'),
      limit: PAGE_SIZE + 1,
    })
    const shown = merges.slice(0, PAGE_SIZE)
    const { merges: texts } = request.page.messages.desk
    const view = mergesView(request.page, {
      merges: shown,
      next: merges.length > PAGE_SIZE ? shown.at(-1)?.id : undefined,
      typed: { kind, from, into },
      compared: compared && {
        ...compared,
        sides: [
          { portrait: compared.fromPortrait, label: texts.removed },
          { portrait: compared.intoPortrait, label: texts.kept },
        ],
      },
      notice: await takeDoneNotice(db, request, reply),
    })
    return sendCatalogPage(request, reply, view)
  })

  app.post('/desk/merges', FOR_ADMINS, async (request, reply) => {
    const pair = pairIn(request)
    const actionReason = readActionReason(request, actionsOn(pair), { kinds: ['entries_unmerged'] })
    const afterChange = withAuditEvent(request, 'entries_merged', actionReason, () =>
      auditedPair(pair),
    )
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
    const afterChange = withAuditEvent(request, 'entries_unmerged', actionReason, () =>
      auditedPair(pair),
    )
    const { done } = await explainRefusal(request, unmergeEntries(db, pair, afterChange))
    if (!done) return redirectWithDone(reply, '/desk/merges', { done: 'already' })
    return redirectWithDone(reply, '/desk/merges', {
      done: 'unmerged',
      undo: { action: 'mergeEntries', id: undoId(pair) },
    })
  })
}

/** @throws {EntryRefusedError} if one of the entries does not exist, or both are the same */
async function comparePair(db: Database, pair: EntryPair) {
  const { kind, from, into } = pair
  if (from === into)
    throw new EntryRefusedError({ code: 'merge.itself', params: { kind, id: from } })
  for (const id of [from, into]) await requireEntry(db, kind, id)
  const portraits = await findPortraits(db, [
    { kind, id: from },
    { kind, id: into },
  ])
  return {
    ...pair,
    fromPortrait: portraits.get(portraitKey({ kind, id: from })),
    intoPortrait: portraits.get(portraitKey({ kind, id: into })),
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
