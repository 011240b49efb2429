import { queryRows } from '../../db/query.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { batchLoader } from '../../kernel/async/batch-loader.ts'
import { batchRoute, type EntryDefinition } from '../cache/batch.ts'
import { entryIdOf, handleAsync, ENTRY_OPERATION, type CatalogApp } from '../catalog-app.ts'
import { KINDS, type EntryKind } from '../kinds.ts'
import { sendCached } from '../cache/send-cached.ts'
import { maySee, requireVisible } from '../visibility.ts'

/** Registers the routes that return one entry or several by id. */
export function entryRoutes(app: CatalogApp, kind: EntryKind, entry: EntryDefinition) {
  detailRoute(app, kind, entry)
  batchRoute(app, kind, entry)
}

function detailRoute({ app, reads, cache }: CatalogApp, kind: EntryKind, entry: EntryDefinition) {
  const { path, tag, singular, description } = KINDS[kind]
  const route = documentedRoute({
    ...ENTRY_OPERATION,
    tag,
    operationId: `get${singular}`,
    summary: description,
    success: { 200: Envelope(Ref(entry.schema)) },
    example: entry.example,
  })
  const find = batchLoader(
    (ids: number[]) => queryRows(reads, entry.statement, [ids]),
    (found) => found.id,
  )
  app.get(`/${path}/:id`, route, (request, reply) => {
    const id = entryIdOf(request)
    const key = `${kind}/${id}`
    const cached = cache.get(key)
    if (cached && maySee(request, cached)) return sendCached(request, reply, cached)
    return handleAsync(reply, async () => {
      const response = await cache.load(key, () => find(id))
      sendCached(request, reply, await requireVisible(response, request, reads, kind, id))
    })
  })
}
