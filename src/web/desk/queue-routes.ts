import type { FastifyInstance } from 'fastify'
import { html } from '../../pages/html.ts'
import type { WebOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { FOR_MODERATORS } from './guard.ts'

/** What waits for a decision. */
export async function queueRoutes(app: FastifyInstance, _options: WebOptions) {
  app.get('/desk', FOR_MODERATORS, async (request, reply) => {
    const { desk: title } = request.page.messages.layout
    return sendCatalogPage(request, reply, {
      title,
      head: { robots: 'noindex' },
      body: html`<h1>${title}</h1>`,
    })
  })
}
