import { Type, type TObject } from 'typebox'
import { queryRows } from '../../db/query.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { Closed, Envelope, Id, Ref } from '../../http/wire/schemas.ts'
import { encodedData, fromEncodedData, type CachedResponse } from './cached-response.ts'
import type { CatalogApp, EntryList } from '../catalog-app.ts'
import { loadWithParts, selectedData, type EntryWithParts } from '../entries/parts.ts'
import {
  selectionDocumentation,
  selectionOf,
  type Selectable,
  type Selection,
  type SelectionQuery,
} from '../entries/selection.ts'
import { invalidIds, MAX_IDS, parseIds } from '../ids.ts'
import { KINDS, type EntryKind, type WorkKind } from '../kinds.ts'
import { findMerged } from '../merged.ts'
import { sendCached } from './send-cached.ts'
import type { DetailStatement, DetailWithPartsStatement } from '../statements.ts'
import { maySee, seesNsfw } from '../visibility.ts'

/** Definition of a kind's entries, shared by the detail and the batch route. */
export type EntryDefinition = {
  schema: TObject
  statement: DetailStatement
  /** Statement that also reads parts, for works. */
  withParts?: { kind: WorkKind; statement: DetailWithPartsStatement }
  /** Names that `include` and `fields` accept. */
  selectable: Selectable
  /** An entry from the bundled sample. */
  example: unknown
}

/** Maximum number of ids in a request that includes parts. */
const MAX_IDS_WITH_PARTS = 25

/**
 * Registers the route that returns several entries by id, and lists missing and merged ids. Without `ids`, the route
 * returns the list of the kind.
 */
export function batchRoute(catalogApp: CatalogApp, kind: EntryKind, entry: EntryDefinition) {
  const { app, reads } = catalogApp
  const list = catalogApp.lists.forKind(kind)
  app.get<{ Querystring: SelectionQuery & { ids?: string | string[] } }>(
    `/${KINDS[kind].path}`,
    {
      ...batchDocumentation(kind, entry, list),
      // No schema validation here: `parseIds` accepts both forms of `ids`, and the list validates its own parameters.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      if (request.query.ids === undefined) return list.handle(request, reply)
      const selection = selectionOf(request.query, entry.selectable)
      const ids = parseIds(
        request.query.ids,
        selection && selection.parts.length > 0 ? MAX_IDS_WITH_PARTS : MAX_IDS,
      )
      const found = await loadEntries(catalogApp, kind, entry, {
        ids,
        selection,
        showsNsfw: seesNsfw(request),
      })
      const visible = new Map<number, CachedResponse>()
      const absent: number[] = []
      for (const id of ids) {
        const response = found.get(id)
        if (!response) absent.push(id)
        else if (maySee(request, response)) visible.set(id, response)
      }
      const merged =
        absent.length > 0
          ? await findMerged(reads, kind, absent, seesNsfw(request))
          : new Map<number, number>()
      sendCached(request, reply, composeBatch(ids, visible, merged))
      return reply
    },
  )
}

type SelectedIds = {
  ids: number[]
  selection: Selection | undefined
  /** Whether parts include nsfw works. */
  showsNsfw: boolean
}

/** Returns the selected fields and parts of entries, by id. */
async function loadEntries(
  catalogApp: CatalogApp,
  kind: EntryKind,
  { statement, withParts }: EntryDefinition,
  { ids, selection, showsNsfw }: SelectedIds,
): Promise<Map<number, CachedResponse | undefined>> {
  if (!selection) return loadDetails(catalogApp, kind, statement, ids)
  const found = new Map<number, CachedResponse>()
  const { parts } = selection
  if (withParts && parts.length > 0) {
    const entries = await loadWithParts(catalogApp, withParts, { ids, parts, showsNsfw })
    for (const [id, entry] of entries) found.set(id, select(entry, selection))
  } else
    for (const [id, detail] of await loadDetails(catalogApp, kind, statement, ids))
      if (detail) found.set(id, select({ detail, parts: new Map() }, selection))
  return found
}

/** Returns one entry with its selected fields and parts. */
export async function loadSelected(
  catalogApp: CatalogApp,
  kind: EntryKind,
  entry: EntryDefinition,
  { id, ...wanted }: Omit<SelectedIds, 'ids'> & { id: number },
): Promise<CachedResponse | undefined> {
  return (await loadEntries(catalogApp, kind, entry, { ids: [id], ...wanted })).get(id)
}

const select = (entry: EntryWithParts, selection: Selection): CachedResponse => ({
  ...fromEncodedData(selectedData(entry, selection)),
  nsfw: entry.detail.nsfw,
})

/** Returns the responses of all details: cached ones from the cache, the rest with one statement. */
async function loadDetails(
  { reads, cache }: CatalogApp,
  kind: EntryKind,
  statement: DetailStatement,
  ids: number[],
) {
  const found = new Map<number, CachedResponse | undefined>()
  const uncached = new Map<string, number>()
  for (const id of ids) {
    const key = `${kind}/${id}`
    const cached = cache.get(key)
    if (cached) found.set(id, cached)
    else uncached.set(key, id)
  }

  const loaded = await cache.loadMany(uncached, async (toLoad) => {
    const rows = await queryRows(reads, statement, [toLoad])
    return new Map(rows.map((row) => [row.id, row]))
  })
  for (const [id, response] of loaded) found.set(id, response)
  return found
}

/** Concatenates the bytes of the details into one response. */
function composeBatch(
  ids: number[],
  visible: Map<number, CachedResponse>,
  merged: Map<number, number>,
): CachedResponse {
  const items = [...visible.values()].map(encodedData)
  const missing = ids.filter((id) => !visible.has(id) && !merged.has(id))
  const moved = ids.flatMap((id) => {
    const merged_into = merged.get(id)
    return merged_into === undefined ? [] : [{ id, merged_into }]
  })
  return fromEncodedData(
    `{"items":[${items.join(',')}],"missing":${JSON.stringify(missing)},"merged":${JSON.stringify(moved)}}`,
  )
}

function batchDocumentation(
  kind: EntryKind,
  { schema, example, selectable }: EntryDefinition,
  list: EntryList,
) {
  const selection = selectionDocumentation(kind, selectable)
  const { tag, plural } = KINDS[kind]
  const byId = Closed(
    {
      items: Type.Array(Ref(schema), { description: 'In the requested order' }),
      missing: Type.Array(Id, {
        description: 'Ids that do not exist or are hidden from the scopes of the token',
      }),
      merged: Type.Array(Closed({ id: Id, merged_into: Id })),
    },
    { description: 'With `ids`' },
  )
  const sample = { items: [example], missing: [999_999], merged: [{ id: 900_001, merged_into: 1 }] }
  const ids = Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_IDS,
    description: 'Separated by commas, or as a repeated parameter. Repeated ids are returned once.',
  })
  return documentedRoute({
    tag,
    operationId: `get${plural}`,
    summary: `${tag}: several by id, or a list by filters`,
    description:
      'With `ids`, returns the details of those entries, with the parts in `include` and only the fields in `fields`, and ' +
      'ignores all other parameters. With `include`, at most 25 ids are accepted. Without `ids`, returns a page of ' +
      'summaries of the entries that match every filter; for a filter with several values, any of them matches. ' +
      '`total_items` is exact up to 1,000, its maximum. `page` reaches the first 10,000 entries. `next_cursor` reaches ' +
      'all of them, each once, even if entries are added, changed or deleted between two requests.',
    access: 'catalog',
    querystring: Type.Object(
      { ids: Type.Optional(ids), ...selection.parameters, ...list.parameters },
      { style: 'form', explode: false },
    ),
    success: { 200: Envelope(Type.Union([byId, Ref(list.page)])) },
    example: sample,
    otherExamples: { list: list.example },
    cacheable: true,
    faults: { badIds: invalidIds('abc'), ...selection.faults, ...list.faults },
  })
}
