import type { FastifyReply, FastifyRequest } from 'fastify'
import { toCachedResponse } from '../../catalog/cache/cached-response.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import { sendCached } from '../../catalog/cache/send-cached.ts'
import type { Database } from '../../db/database.ts'
import { MAX_EXACT_TOTAL, metaOfPage } from '../../http/wire/requests/paging.ts'
import { encodeCursor } from './cursor.ts'
import { findListPage } from './queries.ts'
import type { ListQuery } from './parse-list-query.ts'

/** Sends a page of a list as `EntryPage`. */
export async function sendListPage(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  { kinds, groups, query }: { kinds: EntryKind[]; groups: string[][]; query: ListQuery },
): Promise<FastifyReply> {
  const { pageSize, before, knownTotal, key } = query
  const found = await findListPage(db, { ...query.request, kinds, groups }, knownTotal)
  const entries = found.entries.slice(0, pageSize)
  const last = entries.at(-1)
  const total = Math.min(found.total, MAX_EXACT_TOTAL)
  const items = entries.flatMap(({ item }) => item ?? [])
  const meta = metaOfPage(
    items.length,
    { page: Math.floor(before / pageSize) + 1, pageSize },
    total,
  )
  const next =
    last && found.entries.length > pageSize
      ? encodeCursor(key, last.keys, before + entries.length, total)
      : null
  const data = `{"items":[${items.join(',')}],"meta":${JSON.stringify(meta)},"next_cursor":${JSON.stringify(next)}}`
  sendCached(request, reply, toCachedResponse({ nsfw: false, data }))
  return reply
}
