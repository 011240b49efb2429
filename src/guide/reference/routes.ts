import type { FastifyInstance } from 'fastify'
import {
  REFERENCE_CLIENT_ID,
  REFERENCE_SCOPES,
  referenceRedirectUri,
} from '../../apps/operator/first-party.ts'
import { withImplied } from '../../apps/rules/scopes.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { isId } from '../../http/wire/requests/validation.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { contentSecurityPolicy, PAGE_HEADERS, type View } from '../../ui/page/page.ts'
import { sendPage } from '../../ui/page/send-page.ts'
import { LISTED_PAGE, PAGE, type PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { callbackView } from './views/callback-view.ts'
import { errorsView } from './views/errors-view.ts'
import { operationView } from './views/operation-view.ts'
import { operationListView } from './views/operation-list-view.ts'
import { schemaPage, schemasView } from './views/schemas-view.ts'
import type { GuideSearch } from '../search-guide.ts'
import type { References } from './references.ts'
import { startOf } from '../../kernel/printable.ts'

const MAX_QUERY = 100

/** Registers the API reference, generated from the routes. */
export async function referenceRoutes(
  app: FastifyInstance,
  {
    urls,
    referenceFor,
    searchGuide,
  }: Pick<PageRouteOptions, 'urls'> & { referenceFor: References; searchGuide: GuideSearch },
) {
  const client = {
    id: REFERENCE_CLIENT_ID,
    redirectUri: referenceRedirectUri(urls.authUrl),
    scopes: [...withImplied(REFERENCE_SCOPES)],
  }
  // Origins that issue tokens and serve the API.
  const hosts = [...new Set(Object.values(urls))].join(' ')
  const headers = {
    'content-security-policy': contentSecurityPolicy("'self' data:", `'self' ${hosts}`),
    // Isolates pages that hold a token from their opener and from windows they open.
    'cross-origin-opener-policy': 'same-origin',
  }
  const orMissing = (view: View | undefined): View => {
    if (!view) throw notFound()
    return view
  }

  app.get('/docs', LISTED_PAGE, (request, reply) => {
    const q = startOf(queryParameterOf(request, 'q'), MAX_QUERY)
    const { language } = request.page
    const view = operationListView(request.page, referenceFor(language), {
      q,
      urls,
      sections: searchGuide(q, language),
    })
    return sendCatalogPage(request, reply, view, { headers })
  })
  app.get('/docs/schemas', PAGE, (request, reply) =>
    sendCatalogPage(
      request,
      reply,
      schemasView(request.page, referenceFor(request.page.language)),
      { headers },
    ),
  )
  app.get('/docs/errors', PAGE, (request, reply) =>
    sendCatalogPage(request, reply, errorsView(request.page, referenceFor(request.page.language)), {
      headers,
    }),
  )
  app.get<{ Params: { name: string } }>('/docs/schemas/:name', PAGE, (request, reply) => {
    const view = orMissing(
      schemaPage(request.page, referenceFor(request.page.language), request.params.name),
    )
    return sendCatalogPage(request, reply, view, { headers })
  })
  // The URL contains a code, so the page is not cached and sends no referrer.
  app.get('/docs/callback', PAGE, (request, reply) =>
    sendPage(request, reply, {
      ...callbackView(request.page),
      headers: { ...PAGE_HEADERS, ...headers, 'referrer-policy': 'no-referrer' },
    }),
  )
  app.get<{ Params: { id: string } }>('/docs/:id', PAGE, (request, reply) => {
    const reference = referenceFor(request.page.language)
    const operation = reference.operations.get(request.params.id)
    const id = queryParameterOf(request, 'id')
    const entryId = isId(id) ? id : ''
    const view =
      operation && operationView(request.page, reference, { operation, urls, client, entryId })
    return sendCatalogPage(request, reply, orMissing(view), { headers })
  })
}
