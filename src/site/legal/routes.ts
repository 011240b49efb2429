import type { FastifyInstance } from 'fastify'
import { html } from '../../ui/html.ts'
import { LISTED_PAGE, type PageRouteOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'

/** Serves the operator's terms, privacy policy and imprint, as far as they are configured. */
export async function legalRoutes(
  app: FastifyInstance,
  { legalPages, defaultLanguage }: PageRouteOptions,
) {
  for (const [name, texts] of legalPages)
    app.get(`/${name}`, LISTED_PAGE, (request, reply) => {
      const { messages, language } = request.page
      const text = texts.get(language) ?? texts.get(defaultLanguage)
      const isTranslated = text?.language === language
      const title = (isTranslated && text.title) || messages.legal[name]
      const heading = text?.title ?? messages.legal[name]
      const other = !isTranslated && text && html` lang="${text.language}"`
      return sendCatalogPage(request, reply, {
        title,
        head: { canonical: `/${name}` },
        body: html`<article class="legal prose"${other}>
<h1>${heading}</h1>
${text?.body}</article>`,
      })
    })
}
