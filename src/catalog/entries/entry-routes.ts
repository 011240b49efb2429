import { Type } from 'typebox'
import { queryRows } from '../../db/query.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { batchLoader } from '../../kernel/async/batch-loader.ts'
import { batchRoute, loadSelected, type EntryDefinition } from '../cache/batch.ts'
import { entryIdOf, handleAsync, ENTRY_OPERATION, type CatalogApp } from '../catalog-app.ts'
import { KINDS, type EntryKind } from '../kinds.ts'
import { sendCached } from '../cache/send-cached.ts'
import { maySee, requireVisible, seesNsfw } from '../visibility.ts'
import { selectionDocumentation, selectionOf, type SelectionQuery } from './selection.ts'

/** Registers the routes that return one entry or several by id. */
export function entryRoutes(app: CatalogApp, kind: EntryKind, entry: EntryDefinition) {
  detailRoute(app, kind, entry)
  batchRoute(app, kind, entry)
}

function detailRoute(catalogApp: CatalogApp, kind: EntryKind, entry: EntryDefinition) {
  const { app, reads, cache } = catalogApp
  const { path, tag, singular, description } = KINDS[kind]
  const selectable = selectionDocumentation(kind, entry.selectable)
  const route = documentedRoute({
    ...ENTRY_OPERATION,
    tag,
    operationId: `get${singular}`,
    summary: description,
    success: { 200: Envelope(Ref(entry.schema)) },
    example: entry.example,
    querystring: Type.Object(selectable.parameters, { style: 'form', explode: false }),
    faults: selectable.faults,
  })
  const find = batchLoader(
    (ids: number[]) => queryRows(reads, entry.statement, [ids]),
    (found) => found.id,
  )
  // `selectionOf` validates the query, and accepts lists in both forms.
  const options = { ...route, validatorCompiler: () => () => true }
  app.get<{ Querystring: SelectionQuery }>(`/${path}/:id`, options, (request, reply) => {
    const id = entryIdOf(request)
    const selection = selectionOf(request.query, entry.selectable)
    if (selection)
      return handleAsync(reply, async () => {
        const wanted = { id, selection, showsNsfw: seesNsfw(request) }
        const response = await loadSelected(catalogApp, kind, entry, wanted)
        sendCached(request, reply, await requireVisible(response, request, reads, kind, id))
      })
    const key = `${kind}/${id}`
    const cached = cache.get(key)
    if (cached && maySee(request, cached)) return sendCached(request, reply, cached)
    return handleAsync(reply, async () => {
      const response = await cache.load(key, () => find(id))
      sendCached(request, reply, await requireVisible(response, request, reads, kind, id))
    })
  })
}
