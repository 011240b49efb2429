import { randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { WORK_KINDS, type EntryKind, type WorkKind } from '../../catalog/kinds.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import type { EntrySummary } from '../summary.ts'
import { findListPage, sumAdultEntries } from './queries.ts'
import type { ListRequest } from './page-statements.ts'
import type { ListQuery } from './parse-list-query.ts'
import { sendUncached } from '../../catalog/cache/send-cached.ts'
import { MAX_EXACT_TOTAL, metaOfPage } from '../../http/wire/requests/paging.ts'
import { encodeCursor } from './cursor.ts'

/**
 * A page of entries as objects. `total` is exact up to `MAX_EXACT_TOTAL`; `hasMore` is true if another page follows.
 */
export type EntriesPage = { entries: EntrySummary[]; total: number; hasMore: boolean }

/** Facets of a list, and the dates that they imply. */
export type ListFilters = Pick<ListRequest, 'groups' | 'excluded' | 'names' | 'role'> &
  Partial<Pick<ListRequest, 'dates'>>

type ListParts = ListFilters & { kinds: EntryKind[]; query: ListQuery }

/** Returns the page of a list as objects, for callers that do not send JSON. */
export async function findEntries(
  db: Reads,
  { query, ...filters }: ListParts,
): Promise<EntriesPage> {
  const { pageSize, knownTotal, request } = query
  const found = await findListPage(db, { ...request, ...filters }, knownTotal)
  return {
    entries: valuesOf(found.entries.slice(0, pageSize)),
    total: found.total,
    hasMore: found.entries.length > pageSize,
  }
}

/** Maximum number of entries among which a random one is chosen, because a list is read up to it. */
const MAX_RANDOM_ENTRIES = 2_000

/** Returns a random one of the first matches of a query, in its order; undefined if none match. */
export async function findRandomMatch(
  db: Reads,
  { query, ...filters }: ListParts,
): Promise<EntrySummary | undefined> {
  const after = query.request.sort.columns.map(({ start }) => start)
  const request = { ...query.request, ...filters, after, offset: 0, limit: 1 }
  const { total } = await findListPage(db, request, undefined)
  if (total === 0) return undefined
  const offset = randomInt(Math.min(total, MAX_RANDOM_ENTRIES))
  const { entries } = await findListPage(db, { ...request, offset }, total)
  return valuesOf(entries)[0]
}

/** Counts the adult works of all kinds, or of the given ones. */
export const countAdultWorks = (
  db: Reads,
  kinds: readonly WorkKind[] = WORK_KINDS,
): Promise<number> => sumAdultEntries(db, kinds)

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
