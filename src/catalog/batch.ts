import type { FastifySchema } from 'fastify'
import { Type, type TObject } from 'typebox'
import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'
import { ENVELOPE_START } from '../http/wire/envelope.ts'
import { etagOf } from '../http/wire/etag.ts'
import { Id, Ref } from '../http/wire/schemas.ts'
import type { CachedResponse, ResponseCache, QueriedResponse } from './response-cache.ts'
import { okResponse, otherResponses } from './documentation.ts'
import { badIds, MAX_IDS, readIds } from './ids.ts'
import type { EntryKind } from './kinds.ts'
import { findMerged } from './merged.ts'
import { maySee, seesNsfw, type CatalogApp } from './routes.ts'
import { sendCached } from './send-cached.ts'

type Batch = {
  kind: EntryKind
  tag: string
  operationId: string
  url: string
  summary: string
  data: TObject
  /** The statement of the detail, for the ids `$1`. */
  sql: string
  /** What one of the details may be, from the real catalog. */
  example: unknown
}

/** Several entries by their ids: the details there are, the ids without one and those that were merged. */
export function batchRoute({ app, db, answers, documented }: CatalogApp, batch: Batch) {
  const { kind, url, sql } = batch
  app.get<{ Querystring: { ids?: string | string[] } }>(
    url,
    {
      schema: describe(batch, documented),
      config: { access: 'catalog' },
      // The schema tells one of the two forms; both are read by readIds.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const ids = readIds(request.query.ids)
      const found = await loadAll({ db, answers, kind, sql }, ids)
      const shown = new Map<number, CachedResponse>()
      const absent: number[] = []
      for (const id of ids) {
        const answer = found.get(id)
        if (!answer) absent.push(id)
        else if (maySee(request, answer)) shown.set(id, answer)
      }
      const merged =
        absent.length > 0 ? await findMerged(db, kind, absent, seesNsfw(request)) : new Map<number, number>()
      sendCached(request, reply, compose(ids, shown, merged))
      return reply
    },
  )
}

/** The answers of the details: those that are kept, and the rest with one statement, kept from then on. */
async function loadAll(
  { db, answers, kind, sql }: { db: Database; answers: ResponseCache; kind: EntryKind; sql: string },
  ids: number[],
): Promise<Map<number, CachedResponse | undefined>> {
  const asked: number[] = []
  // Begins once every id below has been looked for.
  const rows = Promise.resolve().then(async () => {
    const found = asked.length > 0 ? await queryRows<QueriedResponse & { id: number }>(db, sql, [asked]) : []
    return new Map(found.map((row) => [row.id, row]))
  })
  const find = async (id: number) => {
    asked.push(id)
    return (await rows).get(id)
  }
  const load = (id: number) => {
    const key = `${kind}/${id}`
    return answers.get(key) ?? answers.load(key, ENVELOPE_START, () => find(id))
  }
  return new Map(await Promise.all(ids.map(async (id) => [id, await load(id)] as const)))
}

/** Puts the kept bytes of the details side by side. */
function compose(
  ids: number[],
  shown: Map<number, CachedResponse>,
  merged: Map<number, number>,
): CachedResponse {
  const items = [...shown.values()].map(({ body }) => body.slice(ENVELOPE_START.length))
  const missing = ids.filter((id) => !shown.has(id) && !merged.has(id))
  const moved = ids.flatMap((id) => {
    const merged_into = merged.get(id)
    return merged_into === undefined ? [] : [{ id, merged_into }]
  })
  const data = `{"items":[${items.join(',')}],"missing":${JSON.stringify(missing)},"merged":${JSON.stringify(moved)}}`
  const etag = etagOf(Buffer.from(data, 'latin1'))
  return { body: ENVELOPE_START + data, etag, nsfw: false, total: undefined }
}

function describe({ tag, operationId, summary, data, example }: Batch, documented: boolean): FastifySchema {
  const shape = Type.Object(
    {
      items: Type.Array(Ref(data), { description: 'In the order asked for' }),
      missing: Type.Array(Id, { description: 'Not there, or hidden from this scope' }),
      merged: Type.Array(Type.Object({ id: Id, merged_into: Id }, { additionalProperties: false })),
    },
    { additionalProperties: false },
  )
  const sample = { items: [example], missing: [999_999], merged: [{ id: 900_001, merged_into: 1 }] }
  const ids = Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_IDS,
    description:
      'Separated by commas, or the parameter several times. One that is repeated is answered once.',
  })
  return {
    tags: [tag],
    ...(documented ? { operationId } : { hide: true }),
    summary,
    security: [{ application: ['catalog:read'] }, { user: ['catalog:read'] }],
    querystring: Type.Object({ ids }, { style: 'form', explode: false }),
    response: {
      200: okResponse(shape, { summary, example: sample }),
      ...otherResponses({ validated: true, named: false, faults: { ids: badIds('abc') } }),
    },
  }
}
