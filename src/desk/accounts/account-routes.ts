import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listPersonalTokens } from '../../accounts/personal-tokens/queries.ts'
import { feedState } from '../../accounts/private-feeds.ts'
import { findAccount } from '../../accounts/queries.ts'
import { ROLES } from '../../accounts/role-queries.ts'
import {
  approveAccount,
  countWaitingAccounts,
  declineAccount,
  listWaitingAccounts,
} from '../../accounts/sign-up/approval-queries.ts'
import { getAccountCounts, searchAccounts } from '../../accounts/search-queries.ts'
import { recordEvent } from '../../audit/events.ts'
import { searchEvents } from '../../audit/search-queries.ts'
import { enqueueModerationMail } from '../../accounts/mail/enqueue-moderation-mail.ts'
import { inTransaction } from '../../db/transaction.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { isId, parseId } from '../../http/wire/requests/validation.ts'
import { endSessions } from '../../identity/provider/storage/session-queries.ts'
import {
  banAtDesk,
  resetFactorsAtDesk,
  revokeTokensAtDesk,
  setRoleAtDesk,
  turnOffFeedsAtDesk,
  unbanAtDesk,
  type CheckedDeskAction,
  type DeskAction,
} from '../../moderation/desk-action-queries.ts'
import { PageError } from '../../ui/page/errors.ts'
import { fieldOf, fieldsOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { conflictIn, FormConflict } from '../../ui/forms/form-state.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { readPageNumber } from '../../site/read-page-number.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { accountListView, accountView, type AccountData } from './account-view.ts'
import {
  actorOf,
  changedMeanwhile,
  readReason,
  refuseAction,
  readActionReason,
  type ActionReason,
} from '../moderator-action.ts'
import { deskViewer, FOR_ADMINS } from '../guard.ts'
import { redirectWithDone, takeDoneNotice, type DeskNotice } from '../notice.ts'

const EVENTS = 20

/** Number of waiting accounts on a page, which one form can decide about. */
const PAGE_SIZE = 100

type IdParams = { Params: { id: string } }

/** Registers the pages that search and administer users' accounts. */
export async function deskAccountRoutes(app: FastifyInstance, options: PageRouteOptions) {
  const { db, operations, contact } = options
  const idOf = (request: FastifyRequest<IdParams>) => parseId(request.params.id)
  const accountPath = (id: number) => `/desk/accounts/${id}`
  const actionOf = (request: FastifyRequest): DeskAction => ({
    origin: actorOf(request),
    reason: readReason(request),
    contact,
  })
  const undoableActionOf = (
    request: FastifyRequest,
    actionReason: ActionReason,
  ): CheckedDeskAction => ({ origin: actorOf(request), ...actionReason, contact })

  app.get('/desk/accounts', FOR_ADMINS, async (request, reply) => {
    const query = queryParameterOf(request, 'q').trim()
    const page = readPageNumber(request)
    const [accounts, waiting, total] = await Promise.all([
      searchAccounts(db, query),
      listWaitingAccounts(db, { page, pageSize: PAGE_SIZE }),
      countWaitingAccounts(db),
    ])
    const last = Math.ceil(total / PAGE_SIZE)
    const notice = await takeDoneNotice(db, request, reply)
    const view = accountListView(request.page, { accounts, query, waiting, page, last, notice })
    return sendCatalogPage(request, reply, view)
  })

  // Decides about one or several accounts, each in its own transaction.
  app.post('/desk/accounts/waiting', FOR_ADMINS, async (request, reply) => {
    const decision = fieldOf(request, 'decision')
    if (decision !== 'approve' && decision !== 'decline')
      return reply.redirect('/desk/accounts', 303)
    const ids = new Set(fieldsOf(request, 'account').filter(isId).map(Number))
    if (ids.size === 0 || ids.size > PAGE_SIZE)
      throw new PageError(422, undefined, request.page.messages.desk.accounts.noneSelected)
    const origin = actorOf(request)
    const reason = decision === 'decline' ? readReason(request) : ''
    let done = 0
    for (const id of ids) {
      const outcome =
        decision === 'approve'
          ? await approveAccount(db, id, origin)
          : await declineAccount(db, id, { ...origin, reason, contact })
      if (outcome === 'done') done += 1
    }
    if (done > 0) operations.wakeOutbox()
    const notice =
      done === 0 ? 'already' : done < ids.size ? 'someDecided' : (`${decision}d` as const)
    return redirectWithDone(reply, '/desk/accounts', { done: notice })
  })

  app.get<IdParams>('/desk/accounts/:id', FOR_ADMINS, async (request, reply) =>
    show(request, reply, { notice: await takeDoneNotice(db, request, reply) }),
  )

  async function show(
    request: FastifyRequest<IdParams>,
    reply: FastifyReply,
    { status = 200, ...data }: Pick<AccountData, 'notice' | 'typed'> & { status?: number },
  ) {
    const id = idOf(request)
    const [account, counts, tokens, feeds, events] = await Promise.all([
      findAccount(db, id),
      getAccountCounts(db, id),
      listPersonalTokens(db, id),
      feedState(db, id),
      searchEvents(db, { accountId: id }, { limit: EVENTS }),
    ])
    if (!account) throw notFound()
    const isOwn = deskViewer(request).accountId === id
    const found = { account, counts, tokens, feeds, events }
    const view = accountView(request.page, { ...found, isOwn, ...data })
    return sendCatalogPage(request, reply, view, { status })
  }

  /** Confirms an action on an account, with an email to its user. */
  function confirm(
    reply: FastifyReply,
    id: number,
    outcome: 'done' | 'already' | 'missing',
    notice: DeskNotice,
    alreadyDone: DeskNotice['done'] = 'already',
  ) {
    if (outcome === 'missing') throw notFound()
    if (outcome === 'already')
      return redirectWithDone(reply, accountPath(id), { done: alreadyDone })
    operations.wakeOutbox()
    return redirectWithDone(reply, accountPath(id), notice)
  }

  app.post<IdParams>('/desk/accounts/:id/ban', FOR_ADMINS, async (request, reply) => {
    const id = idOf(request)
    const { accounts: texts } = request.page.messages.desk
    const disablesApps = fieldOf(request, 'apps') === 'disable'
    const outcome = await banAtDesk(db, id, actionOf(request), { disablesApps })
    if (outcome === 'self') refuseAction(texts.self)
    if (outcome === 'has_role') refuseAction(texts.hasRole)
    return confirm(reply, id, outcome, { done: 'banned', undo: { action: 'unban', id } })
  })

  app.post<IdParams>('/desk/accounts/:id/unban', FOR_ADMINS, async (request, reply) => {
    const id = idOf(request)
    const actions = { kinds: ['banned', 'unbanned'], accountId: id } as const
    const outcome = await unbanAtDesk(
      db,
      id,
      undoableActionOf(request, readActionReason(request, actions, { kinds: ['banned'] })),
    )
    return confirm(reply, id, outcome, { done: 'unbanned' })
  })

  app.post<IdParams>('/desk/accounts/:id/factors', FOR_ADMINS, async (request, reply) => {
    const id = idOf(request)
    const action = actionOf(request)
    if (deskViewer(request).accountId === id) refuseAction(request.page.messages.desk.accounts.self)
    const outcome = await resetFactorsAtDesk(db, id, action)
    return confirm(reply, id, outcome, { done: 'factors' }, 'noFactors')
  })

  app.post<IdParams>('/desk/accounts/:id/sessions', FOR_ADMINS, async (request, reply) => {
    const id = idOf(request)
    const { origin, reason } = actionOf(request)
    if (!(await findAccount(db, id))) throw notFound()
    const ended = await inTransaction(db, async (trx) => {
      const sessions = await endSessions(trx, id, 'all')
      if (sessions.length === 0) return []
      const details = { sessions: sessions.length, reason }
      await recordEvent(trx, { kind: 'sessions_ended', accountId: id, ...origin, details })
      await enqueueModerationMail(trx, id, { kind: 'sessions_ended', note: reason, contact })
      return sessions
    })
    if (ended.length === 0) return redirectWithDone(reply, accountPath(id), { done: 'noSessions' })
    operations.announceSignOut(ended)
    operations.wakeOutbox()
    return redirectWithDone(reply, accountPath(id), { done: 'sessions' })
  })

  app.post<IdParams>('/desk/accounts/:id/tokens', FOR_ADMINS, async (request, reply) => {
    const id = idOf(request)
    const token = fieldOf(request, 'token')
    const which = token === 'all' ? token : parseId(token)
    const outcome = await revokeTokensAtDesk(db, id, which, actionOf(request))
    return confirm(reply, id, outcome, { done: 'tokens' })
  })

  app.post<IdParams>('/desk/accounts/:id/feeds', FOR_ADMINS, async (request, reply) => {
    const id = idOf(request)
    const outcome = await turnOffFeedsAtDesk(db, id, actionOf(request))
    return confirm(reply, id, outcome, { done: 'feeds' })
  })

  app.post<IdParams>('/desk/accounts/:id/role', FOR_ADMINS, async (request, reply) => {
    const id = idOf(request)
    const { accounts: texts } = request.page.messages.desk
    const requested = fieldOf(request, 'role')
    const role = requested === '' ? null : ROLES.find((known) => known === requested)
    if (role === undefined) throw new PageError(422, undefined, texts.badRole)
    const undoneAction = { kinds: ['role_changed'], details: { before: role } } as const
    const actionReason = readActionReason(
      request,
      { kinds: ['role_changed'], accountId: id },
      undoneAction,
      { role },
    )
    const result = await conflictIn(
      setRoleAtDesk(db, id, role, undoableActionOf(request, actionReason)),
    )
    if (result instanceof FormConflict) {
      const label = request.page.messages.desk.columns.role
      const notice = changedMeanwhile(request, result, (_name, stored) => ({
        label,
        value: typeof stored === 'string' ? stored : texts.noRole,
      }))
      return show(request, reply, {
        notice,
        typed: { role, note: actionReason.reason },
        status: 409,
      })
    }
    if (result.outcome === 'missing') throw notFound()
    if (result.outcome === 'waiting') refuseAction(texts.roleOfWaiting)
    if (result.outcome === 'last_admin') refuseAction(texts.lastAdmin)
    if (result.outcome === 'same')
      return redirectWithDone(reply, accountPath(id), { done: 'already' })
    operations.wakeOutbox()
    return redirectWithDone(reply, accountPath(id), { done: 'role', undo: { action: 'role', id } })
  })
}
