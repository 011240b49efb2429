import type { FastifyInstance } from 'fastify'
import { html } from '../../pages/html.ts'
import { PAGE, type WebOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'

/** `/` */
export async function homeRoutes(app: FastifyInstance, _options: WebOptions) {
  app.get('/', PAGE, async (request, reply) => {
    const { title } = request.page.messages.home
    return sendCatalogPage(request, reply, { title, body: html`<h1>${title}</h1>` })
  })
}
