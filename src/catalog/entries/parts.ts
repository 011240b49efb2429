import { Type, type TSchema } from 'typebox'
import { queryRows } from '../../db/query.ts'
import { Paged, pageJson } from '../../http/wire/requests/paging.ts'
import { Closed, Ref } from '../../http/wire/schemas.ts'
import {
  BODY_ENCODING,
  encodedData,
  type CachedResponse,
  type QueriedResponse,
} from '../cache/cached-response.ts'
import { listCacheKey } from '../cache/response-cache.ts'
import type { CatalogApp } from '../catalog-app.ts'
import { isWorkKind, type EntryKind, type WorkKind } from '../kinds.ts'
import { WORK_LISTS } from '../lists/work-lists.ts'
import type { DetailWithPartsStatement } from '../statements.ts'
import type { Selection } from './selection.ts'

/** Page of a part that responses include: the first of its own route. */
const FIRST_PAGE = { page: 1, pageSize: 10 }

const listsOf = (kind: EntryKind) => (isWorkKind(kind) ? WORK_LISTS[kind] : {})

/** Returns the names of the parts that a kind's entries have: its lists. */
export const partNames = (kind: EntryKind): string[] => Object.keys(listsOf(kind))

/** Returns the property of a kind's schema that holds included parts, if entries of the kind have parts. */
export function includedProperty(kind: EntryKind): Record<string, TSchema> {
  const parts = Object.entries(listsOf(kind)).map(
    ([name, { schema }]) => [name, Type.Optional(Paged(Ref(schema)))] as const,
  )
  if (parts.length === 0) return {}
  const description = 'Parts that the request includes'
  return { included: Type.Optional(Closed(Object.fromEntries(parts), { description })) }
}

/** An entry with its included parts, all of them from the cache or the same statement. */
export type EntryWithParts = { detail: CachedResponse; parts: Map<string, CachedResponse> }

/** One response to load: the detail of an entry, or the first page of one of its parts. */
type Wanted = { id: number; part?: string }

/**
 * Returns entries with parts. Details and first pages are cached like those of their own routes, so parts add no
 * variants to the cache and are evicted with them. One statement reads everything that is not cached.
 */
export async function loadWithParts(
  { reads, cache }: CatalogApp,
  { kind, statement }: { kind: WorkKind; statement: DetailWithPartsStatement },
  {
    ids,
    parts,
    showsNsfw,
  }: { ids: readonly number[]; parts: readonly string[]; showsNsfw: boolean },
): Promise<Map<number, EntryWithParts>> {
  const found = new Map<string, CachedResponse | undefined>()
  const uncached = new Map<string, Wanted>()
  const keyOf = ({ id, part }: Wanted) =>
    part === undefined ? `${kind}/${id}` : firstPageKey(kind, id, part, showsNsfw)
  for (const id of ids)
    for (const wanted of [{ id }, ...parts.map((part) => ({ id, part }))]) {
      const key = keyOf(wanted)
      const cached = cache.get(key)
      if (cached) found.set(key, cached)
      else uncached.set(key, wanted)
    }

  const loaded = await cache.loadMany(uncached, async (toLoad) => {
    const wantedIds = [...new Set(toLoad.map(({ id }) => id))]
    const wantedParts = [...new Set(toLoad.flatMap(({ part }) => part ?? []))]
    const rows = await queryRows(reads, statement, [
      wantedIds,
      wantedParts,
      FIRST_PAGE.pageSize,
      showsNsfw,
    ])
    const byId = new Map(rows.map((row) => [row.id, row]))
    const responses = new Map<Wanted, QueriedResponse>()
    for (const wanted of toLoad) {
      const row = byId.get(wanted.id)
      if (!row) continue
      const { nsfw, data } = row
      const read = wanted.part === undefined ? { data } : row.parts[wanted.part]
      if (read) responses.set(wanted, { nsfw, ...read })
    }
    return responses
  })
  for (const [wanted, response] of loaded) found.set(keyOf(wanted), response)

  const entries = new Map<number, EntryWithParts>()
  for (const id of ids) {
    const detail = found.get(keyOf({ id }))
    if (!detail) continue
    const pages = parts.flatMap((part) => {
      const page = found.get(keyOf({ id, part }))
      return page ? [[part, page] as const] : []
    })
    entries.set(id, { detail, parts: new Map(pages) })
  }
  return entries
}

function firstPageKey(kind: WorkKind, id: number, name: string, showsNsfw: boolean): string {
  const list = WORK_LISTS[kind][name]?.list
  const chosen: unknown[] = Object.keys(list?.filters ?? {}).map(() => null)
  if (list?.hidesNsfw) chosen.push(showsNsfw)
  return listCacheKey(kind, id, name, { chosen, sort: '', offset: 0, limit: FIRST_PAGE.pageSize })
}

/** Returns the selected fields and parts of an entry as JSON, in `BODY_ENCODING`. */
export function selectedData(
  { detail, parts }: EntryWithParts,
  { fields, parts: wanted }: Selection,
): string {
  const data = fields ? onlyFields(encodedData(detail), fields) : encodedData(detail)
  if (wanted.length === 0) return data
  const pages = [...parts].map(([name, page]) => {
    const total = page.total ?? 0
    const count = Math.min(total, FIRST_PAGE.pageSize)
    return `"${name}":${pageJson(encodedData(page), count, FIRST_PAGE, total)}`
  })
  return `${data.slice(0, -1)},"included":{${pages.join(',')}}}`
}

function onlyFields(data: string, fields: ReadonlySet<string>): string {
  // as: a detail is an object
  const entry = JSON.parse(Buffer.from(data, BODY_ENCODING).toString()) as Record<string, unknown>
  const chosen = Object.entries(entry).filter(([name]) => fields.has(name))
  return Buffer.from(JSON.stringify(Object.fromEntries(chosen))).toString(BODY_ENCODING)
}
