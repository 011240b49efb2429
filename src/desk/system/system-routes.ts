import type { FastifyInstance } from 'fastify'
import { listQueuedMails, retryMail } from '../../accounts/mail/outbox/queue-queries.ts'
import { listEventKinds, searchEvents } from '../../audit/search-queries.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { currentEnvironment } from '../../config/config.ts'
import { LIMITS } from '../../doctor/check.ts'
import { recentExamination } from '../../doctor/recent-examination.ts'
import { findDatabaseHealth, listKeyAges } from '../../operations/database-health-queries.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { actorOf } from '../moderator-action.ts'
import { FOR_ADMINS } from '../guard.ts'
import { readLogFilter } from '../log/log-filter.ts'
import { logView } from '../log/log-view.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import { readIdParameter } from '../read-parameters.ts'
import { healthView, mailsView } from './system-view.ts'

const PAGE_SIZE = 100

/** Registers the pages for emails, health and the audit log. */
export async function systemRoutes(
  app: FastifyInstance,
  { db, operations, cache }: PageRouteOptions,
) {
  const examineRecently = recentExamination(() => ({
    context: {
      config: operations.config,
      environment: currentEnvironment(),
      folder: '.',
      engine: operations.config.databaseUrl === undefined ? 'embedded' : 'server',
      limits: LIMITS,
      now: Date.now,
    },
    database: db,
    isThorough: false,
  }))

  app.get('/desk/mails', FOR_ADMINS, async (request, reply) => {
    const mails = await listQueuedMails(db)
    const notice = await takeDoneNotice(db, request, reply)
    return sendCatalogPage(request, reply, mailsView(request.page, { mails, notice }))
  })

  app.post<{ Params: { id: string } }>(
    '/desk/mails/:id/retry',
    FOR_ADMINS,
    async (request, reply) => {
      const outcome = await retryMail(db, parseId(request.params.id), actorOf(request))
      if (outcome === 'gone') throw notFound()
      operations.wakeOutbox()
      return redirectWithDone(reply, '/desk/mails', {
        done: outcome === 'done' ? 'retried' : 'already',
      })
    },
  )

  app.get('/desk/health', FOR_ADMINS, async (request, reply) => {
    const [database, keys, examination] = await Promise.all([
      findDatabaseHealth(db),
      listKeyAges(db),
      examineRecently(),
    ])
    const { config, isRedisConnected: isRedisThere } = operations
    const view = healthView(request.page, {
      database,
      keys,
      poolSize: config.databasePoolSize,
      workers: config.workers,
      redis: isRedisThere?.(),
      cache: cache.size,
      now: new Date(),
      examination,
    })
    return sendCatalogPage(request, reply, view)
  })

  app.get('/desk/log', FOR_ADMINS, async (request, reply) => {
    const kinds = await listEventKinds(db)
    const { filter, typed, faults } = readLogFilter(
      (name) => queryParameterOf(request, name),
      kinds,
      request.page.messages.desk.log,
    )
    const isRefused = Object.keys(faults).length > 0
    const events = isRefused
      ? []
      : await searchEvents(db, filter, {
          before: readIdParameter(request, 'before'),
          limit: PAGE_SIZE + 1,
        })
    const shown = events.slice(0, PAGE_SIZE)
    const next = events.length > PAGE_SIZE ? shown.at(-1)?.id : undefined
    return sendCatalogPage(
      request,
      reply,
      logView(request.page, { events: shown, kinds, typed, faults, next }),
      { status: isRefused ? 422 : 200 },
    )
  })
}
