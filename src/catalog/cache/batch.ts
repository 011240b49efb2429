import { Type, type TObject } from 'typebox'
import { queryRows } from '../../db/query.ts'
import { operation } from '../../http/document/operation.ts'
import { Envelope, Id, Ref } from '../../http/wire/schemas.ts'
import { encodedData, fromEncodedData, type CachedResponse } from './cached-response.ts'
import type { CatalogApp } from '../catalog-app.ts'
import type { EntryList } from '../entries/entry-list.ts'
import { badIds, MAX_IDS, readIds } from '../ids.ts'
import { KINDS, type EntryKind } from '../kinds.ts'
import { findMerged } from '../merged.ts'
import { sendCached } from './send-cached.ts'
import type { DetailStatement } from '../statements.ts'
import { maySee, seesNsfw } from '../visibility.ts'

/** What the two ways to ask for entries of a kind, by one id or by several, have in common. */
export type EntryDefinition = {
  schema: TObject
  statement: DetailStatement
  /** One of them in the bundled sample. */
  example: unknown
}

/**
 * Several entries by their ids: the details there are, the ids without one and those that were merged. Without ids the
 * list of the kind.
 */
export function batchRoute(catalogApp: CatalogApp, kind: EntryKind, entry: EntryDefinition) {
  const { app, db } = catalogApp
  const list = catalogApp.lists.of(kind)
  app.get<{ Querystring: { ids?: string | string[] } }>(
    `/${KINDS[kind].path}`,
    {
      schema: batchOperation(kind, entry, list),
      config: { access: 'catalog' },
      // The schema describes one of two forms of ids, which readIds reads; the rest is the list's, and read there.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      if (request.query.ids === undefined) return list.answer(request, reply)
      const ids = readIds(request.query.ids)
      const found = await loadAll(catalogApp, kind, entry.statement, ids)
      const visible = new Map<number, CachedResponse>()
      const absent: number[] = []
      for (const id of ids) {
        const response = found.get(id)
        if (!response) absent.push(id)
        else if (maySee(request, response)) visible.set(id, response)
      }
      const merged =
        absent.length > 0
          ? await findMerged(db, kind, absent, seesNsfw(request))
          : new Map<number, number>()
      sendCached(request, reply, compose(ids, visible, merged))
      return reply
    },
  )
}

/** The answers of the details: those that are cached, and the rest with one statement, cached from then on. */
async function loadAll(
  { db, cache }: CatalogApp,
  kind: EntryKind,
  statement: DetailStatement,
  ids: number[],
) {
  const found = new Map<number, CachedResponse | undefined>()
  const missing = new Map<string, number>()
  for (const id of ids) {
    const key = `${kind}/${id}`
    const cached = cache.get(key)
    if (cached) found.set(id, cached)
    else missing.set(key, id)
  }

  const loaded = await cache.loadMany(missing, async (unasked) => {
    const rows = await queryRows(db, statement, [unasked])
    return new Map(rows.map((row) => [row.id, row]))
  })
  for (const [id, response] of loaded) found.set(id, response)
  return found
}

/** Puts the bytes of the details side by side. */
function compose(
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

function batchOperation(kind: EntryKind, { schema, example }: EntryDefinition, list: EntryList) {
  const { tag, plural } = KINDS[kind]
  const byId = Type.Object(
    {
      items: Type.Array(Ref(schema), { description: 'In the order asked for' }),
      missing: Type.Array(Id, { description: 'Not there, or hidden from this scope' }),
      merged: Type.Array(Type.Object({ id: Id, merged_into: Id }, { additionalProperties: false })),
    },
    { additionalProperties: false, description: 'With `ids`' },
  )
  const sample = { items: [example], missing: [999_999], merged: [{ id: 900_001, merged_into: 1 }] }
  const ids = Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_IDS,
    description:
      'Separated by commas, or the parameter several times. One that is repeated is answered once.',
  })
  return operation({
    tag,
    operationId: `get${plural}`,
    summary: `${tag}: several by id, or a list by filters`,
    description:
      'With `ids` the details of those entries; no other parameter counts. Without it a page of summaries of the ' +
      'entries that pass every filter sent; of several values of one filter any will do. `total_items` is exact up to ' +
      '1,000; where there are more it is 1,000. `page` reaches the first 10,000 entries; `next_cursor` reaches all of ' +
      'them, each once, whatever comes, changes and goes meanwhile.',
    access: 'catalog',
    querystring: Type.Object(
      { ids: Type.Optional(ids), ...list.parameters },
      { style: 'form', explode: false },
    ),
    success: { 200: Envelope(Type.Union([byId, Ref(list.page)])) },
    example: sample,
    otherExamples: { list: list.example },
    cacheable: true,
    faults: { badIds: badIds('abc'), ...list.faults },
  })
}
