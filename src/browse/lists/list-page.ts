import { randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { WORK_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import type { EntrySummary } from '../summary.ts'
import { findListPage, sumAdultEntries } from './queries.ts'
import type { ListRequest } from './page-statements.ts'
import type { ListQuery } from './parse-list-query.ts'
import { sendUncached } from '../../catalog/cache/send-cached.ts'
import { MAX_EXACT_TOTAL, metaOfPage } from '../../http/wire/requests/paging.ts'
import { encodeCursor } from './cursor.ts'

/**
 * A page of entries as objects. `total` is exact up to `MAX_EXACT_TOTAL`; `hasMore` is true if another page
 * follows.
 */
export type EntriesPage = { entries: EntrySummary[]; total: number; hasMore: boolean }

/** Returns the page of a list as objects, for callers that do not send JSON. */
export async function findEntries(
  db: Reads,
  { kinds, groups, query }: ListParts,
): Promise<EntriesPage> {
  const { pageSize, knownTotal, request } = query
  const found = await findListPage(db, { ...request, kinds, groups }, knownTotal)
  return {
    entries: valuesOf(found.entries.slice(0, pageSize)),
    total: found.total,
    hasMore: found.entries.length > pageSize,
  }
}

type ListParts = { kinds: EntryKind[]; groups: string[][]; query: ListQuery }

/** Returns the request for the first entry of a list. */
const firstEntryOf = ({ kinds, groups, query }: ListParts): ListRequest => ({
  ...query.request,
  kinds,
  groups,
  after: query.request.sort.columns.map(({ start }) => start),
  offset: 0,
  limit: 1,
})

/** Counts the adult entries that match a query, exactly up to `MAX_EXACT_TOTAL`. */
export async function countAdultEntries(db: Reads, list: ListParts): Promise<number> {
  const request = { ...firstEntryOf(list), nsfwValues: [true] }
  return (await findListPage(db, request, undefined)).total
}

/** Maximum number of entries among which a random one is chosen, because a list is read up to it. */
const MAX_RANDOM_ENTRIES = 2_000

/** Returns a random one of the first matches of a query, in its order; undefined if none match. */
export async function findRandomMatch(
  db: Reads,
  list: ListParts,
): Promise<EntrySummary | undefined> {
  const request = firstEntryOf(list)
  const { total } = await findListPage(db, request, undefined)
  if (total === 0) return undefined
  const offset = randomInt(Math.min(total, MAX_RANDOM_ENTRIES))
  const { entries } = await findListPage(db, { ...request, offset }, total)
  return valuesOf(entries)[0]
}

/** Counts all adult works. */
export const countAdultWorks = (db: Reads): Promise<number> => sumAdultEntries(db, WORK_KINDS)

// as: built by the statement
const valuesOf = (entries: { item: string | null }[]) =>
  entries.flatMap(({ item }) => (item === null ? [] : [JSON.parse(item) as EntrySummary]))

/** Sends a page of a list as `EntryPage`. */
export async function sendListPage(
  db: Reads,
  request: FastifyRequest,
  reply: FastifyReply,
  { kinds, groups, query }: ListParts,
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
  return sendUncached(request, reply, { nsfw: false, data })
}
