import { queryRows } from '../../db/query.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import {
  BODY_ENCODING,
  encodedData,
  type CachedResponse,
  type QueriedResponse,
} from './cached-response.ts'
import { ENTRIES } from '../entries/entries.ts'
import type { EntryKind, WorkKind } from '../kinds.ts'
import { listCacheKey, type ResponseCache } from './response-cache.ts'
import type { PictureUrls } from '../../http/wire/picture-urls.ts'
import type { WorkList } from '../statements.ts'

export type ReadDetail = { nsfw: boolean; data: unknown }
export type ReadList = { total: number; items: unknown[] }

/** Reads details and lists as objects, using the same statements and response cache as the API routes. */
export class CatalogReader {
  readonly #db: Reads
  readonly #cache: ResponseCache
  readonly #pictureUrls: PictureUrls | undefined

  constructor(db: Reads, cache: ResponseCache, pictureUrls: PictureUrls | undefined) {
    this.#db = db
    this.#pictureUrls = pictureUrls
    this.#cache = cache
  }

  /** Returns the detail of an entry, as in the API. */
  async findDetail(kind: EntryKind, id: number): Promise<ReadDetail | undefined> {
    const found = await this.#find(`${kind}/${id}`, () =>
      queryRows(this.#db, ENTRIES[kind].statement, [[id]]),
    )
    return found && { nsfw: found.nsfw, data: this.#dataOf(found) }
  }

  /**
   * Returns a list of a work in its default order, without filters.
   *
   * @param name last segment of the list's path
   * @param seesNsfw whether lists of works include nsfw works
   * @param limit maximum number of items, or null for all
   */
  async findList(
    work: { kind: WorkKind; id: number },
    name: string,
    { list, seesNsfw, offset = 0, limit = null }: ListOptions,
  ): Promise<ReadList> {
    const chosen: unknown[] = Object.keys(list.filters).map(() => null)
    if (list.hidesNsfw) chosen.push(seesNsfw)
    const key = listCacheKey(work.kind, work.id, name, { chosen, sort: '', offset, limit })
    const load = () => queryRows(this.#db, list.statement, [work.id, offset, limit, ...chosen])
    const found = await this.#find(key, load)
    // as: `data` of a list is an array
    return { total: found?.total ?? 0, items: found ? (this.#dataOf(found) as unknown[]) : [] }
  }

  /** Parses a response body with the sources' picture URLs, even if an earlier send has already replaced them. */
  #dataOf(response: CachedResponse): unknown {
    const text = Buffer.from(encodedData(response), BODY_ENCODING).toString()
    return JSON.parse(this.#pictureUrls?.withSources(text) ?? text)
  }

  async #find(
    key: string,
    load: () => Promise<QueriedResponse[]>,
  ): Promise<CachedResponse | undefined> {
    const cached = this.#cache.get(key)
    if (cached) return cached
    return this.#cache.load(key, async () => (await load())[0])
  }
}

type ListOptions = { list: WorkList; seesNsfw: boolean; offset?: number; limit?: number | null }
