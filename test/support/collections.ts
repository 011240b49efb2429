import assert from 'node:assert/strict'
import { sql, type RawBuilder } from 'kysely'
import { createClient, createUser, obtainTokens, type TestUser } from './authorization.ts'
import { eventually } from './browser.ts'
import type { Engine } from './databases.ts'
import { sendApiRequest, type ApiResponse } from './user-api.ts'
import { startService, type TestService } from './service.ts'
import { first, sampleWorks } from './sample-works.ts'
import type { Database } from '../../src/db/database.ts'
import type { Collection, CollectionItem, FavoritedItem } from '../../src/collections/schemas.ts'

export const OWN_COLLECTIONS = '/v3/user/me/collections'
export const OWN_COLLECTIONS_ALIAS = '/api/v3/open/user/me/collections'
export const PUBLIC_COLLECTIONS = '/api/v3/open/collections'
export const PUBLIC_COLLECTIONS_ALIAS = '/v3/collections'

export const startCollectionService = (engine: Engine, environment: NodeJS.ProcessEnv = {}) =>
  startService({ engine, environment })

export type ListPage<Item> = { items: Item[]; meta: { total_items: number; item_count: number } }
type Body = object | string
export type RequestOptions = { method?: string; body?: Body; headers?: Record<string, string> }

/** Sends a request, and validates the response against the document that the service serves. */
export const requestCollections = <Data>(
  service: TestService,
  path: string,
  token?: string,
  request: RequestOptions = {},
) => sendApiRequest<Data>(service.url, { path, token, ...request })

/** A user with a token who requests their own collections. */
export type CollectionOwner = {
  user: TestUser
  token: string
  /** Sends a request below `/v3/user/me/collections`. */
  send<Data = Collection>(method: string, path?: string, body?: Body): Promise<ApiResponse<Data>>
  create(body?: object): Promise<Collection>
  put(
    collection: number | 'default',
    work: string,
    body?: object,
  ): Promise<ApiResponse<FavoritedItem>>
  /** Formats the titles and notes of a collection's items. */
  works(collection: number | 'default'): Promise<string[]>
}

export async function createCollectionOwner(
  service: TestService,
  { scope = 'collection:write', user: existing }: { scope?: string; user?: TestUser } = {},
): Promise<CollectionOwner> {
  const owner = existing ?? (await createUser(service))
  const app = await createClient(service)
  const { access_token: token } = await obtainTokens(service, { app, user: owner, scope })
  const collector: CollectionOwner = {
    user: owner,
    token,
    send: (method, path = '', body) =>
      requestCollections(service, OWN_COLLECTIONS + path, token, {
        method,
        ...(body !== undefined && { body }),
      }),
    async create(body = {}) {
      const { status, data, text } = await collector.send('POST', '', {
        name: 'A collection',
        ...body,
      })
      assert.equal(status, 200, text)
      return data
    },
    put: (collection, work, body = {}) =>
      collector.send<FavoritedItem>('PUT', `/${collection}/items/${work}`, body),
    async works(collection) {
      const { data } = await collector.send<ListPage<CollectionItem>>(
        'GET',
        `/${collection}/items?page_size=100`,
      )
      return data.items.map(({ type, work_id, note }) => [type, work_id, note].join(' ').trim())
    },
  }
  return collector
}

/** Ids of works in the bundled sample: safe ones of each kind, lowest first, and an nsfw one. */
export async function pickSampleWorks(db: Database) {
  const [safe, nsfw] = [await sampleWorks(db), await sampleWorks(db, true)]
  return {
    galgame: first(safe.galgame),
    secondGalgame: first(safe.galgame.slice(1)),
    lightNovel: first(safe.light_novel),
    manga: first(safe.manga),
    nsfw: first(nsfw.galgame),
    all: Object.entries(safe).flatMap(([kind, ids]) => ids.map((id) => ({ kind, id }))),
  }
}

/**
 * Starts requests one after another while the locks of a statement block them, and then releases them all at once.
 * Needs a server, because the embedded database has one connection.
 */
export async function raceBehindLock<Result>(
  db: Database,
  statement: RawBuilder<unknown>,
  requests: (() => Promise<Result>)[],
): Promise<Result[]> {
  const begun: Promise<Result>[] = []
  await db.transaction().execute(async (trx) => {
    await statement.execute(trx)
    for (const request of requests) {
      begun.push(request())
      await eventually(async () => {
        // Otherwise the statistics snapshot stays the same for the whole transaction.
        await sql`select pg_stat_clear_snapshot()`.execute(trx)
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(trx)
        return rows.length === begun.length
      }, `request ${begun.length} being held up`)
    }
  })
  return Promise.all(begun)
}
