import type { FastifyInstance } from 'fastify'
import { listQueuedMails, retryMail } from '../../accounts/mail/queue-queries.ts'
import { listEventKinds, searchEvents } from '../../audit/search-queries.ts'
import { notFound } from '../../http/wire/refusals.ts'
import { isId, parseId } from '../../http/wire/validation.ts'
import { findDatabaseHealth, listKeyAges } from '../../operations/database-health-queries.ts'
import { parameterOf } from '../../pages/form-field.ts'
import type { WebOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { actorOf } from './act.ts'
import { FOR_ADMINS } from './guard.ts'
import { logView } from './log-view.ts'
import { sendDone, takeDone } from './notice.ts'
import { healthView, mailsView } from './system-view.ts'

const PAGE_SIZE = 100
/** There is no year 0. */
const DAY = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const CLIENT_ID = /^[\w-]{1,64}$/

/** What the service itself does: mails, health, and the log of what happened. */
export async function systemRoutes(app: FastifyInstance, { db, operations, cache }: WebOptions) {
  app.get('/desk/mails', FOR_ADMINS, async (request, reply) => {
    const mails = await listQueuedMails(db)
    const notice = takeDone(request, reply)
    return sendCatalogPage(request, reply, mailsView(request.page, { mails, notice }))
  })

  app.post<{ Params: { id: string } }>('/desk/mails/:id/retry', FOR_ADMINS, async (request, reply) => {
    if (!(await retryMail(db, parseId(request.params.id), actorOf(request)))) throw notFound()
    operations.wakeOutbox()
    return sendDone(reply, '/desk/mails', { done: 'retried' })
  })

  app.get('/desk/health', FOR_ADMINS, async (request, reply) => {
    const [database, keys] = await Promise.all([findDatabaseHealth(db), listKeyAges(db)])
    const { config, isRedisThere } = operations
    const view = healthView(request.page, {
      database,
      keys,
      poolSize: config.databasePoolSize,
      workers: config.workers,
      redis: isRedisThere?.(),
      cache: cache.size,
      now: new Date(),
    })
    return sendCatalogPage(request, reply, view)
  })

  app.get('/desk/log', FOR_ADMINS, async (request, reply) => {
    const [account, clientId, kind, since, until, before] = [
      'account',
      'app',
      'kind',
      'since',
      'until',
      'before',
    ].map((name) => parameterOf(request, name).trim())
    const asked = {
      account: isId(account ?? '') ? account : undefined,
      app: CLIENT_ID.test(clientId ?? '') ? clientId : undefined,
      kind: kind === '' ? undefined : kind,
      since: dayOf(since),
      until: dayOf(until),
    }
    const filter = { ...asked, accountId: asked.account && Number(asked.account), clientId: asked.app }
    const [events, kinds] = await Promise.all([
      searchEvents(
        db,
        { ...filter, accountId: filter.accountId || undefined },
        {
          before: isId(before ?? '') ? Number(before) : undefined,
          limit: PAGE_SIZE + 1,
        },
      ),
      listEventKinds(db),
    ])
    const shown = events.slice(0, PAGE_SIZE)
    const next = events.length > PAGE_SIZE ? shown.at(-1)?.id : undefined
    return sendCatalogPage(request, reply, logView(request.page, { events: shown, kinds, asked, next }))
  })
}

/** A day there is, as the database reads it. */
const dayOf = (text = '') =>
  DAY.test(text) && new Date(text).toISOString().startsWith(text) ? text : undefined
