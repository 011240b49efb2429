import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { snapshotIfPending, numberChanges } from '../../src/catalog/changes/sequencer-queries.ts'
import type { Database } from '../../src/db/database.ts'
import { responseValidator } from './openapi.ts'
import type { TestService } from './service.ts'

const PATH = '/api/v3/open/catalog/changes'

export type ChangeItem = {
  id: number
  resource_type: string
  resource_id: number
  kind: 'UPSERT' | 'DELETE' | 'MERGE'
  merged_to_id: number | null
  created_at: string
}
export type ChangesResponse = {
  items: ChangeItem[]
  latest_id: number
  has_more: boolean
  epoch: string
}

const problems = responseValidator()

/** Retries on 503 with Retry-After, like a client of the feed. Fails after a minute. */
export async function fetchWithRetry(url: string, init: RequestInit): Promise<Response> {
  for (const deadline = Date.now() + 60_000; ;) {
    const response = await fetch(url, init)
    if (response.status !== 503 || Date.now() > deadline) return response
    assert.ok(Number(response.headers.get('retry-after')) >= 1)
    await sleep(100)
  }
}

/** Reads a page of the feed, and validates the response against the document. */
export async function readChanges(
  url: string,
  token: string,
  query = '',
  send: typeof fetchWithRetry = fetch,
): Promise<ChangesResponse> {
  const response = await send(`${url}${PATH}${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const body: unknown = await response.json()
  assert.equal(problems(PATH, response.status, body), '')
  assert.equal(response.status, 200, JSON.stringify(body))
  // as: checked on the lines above
  return (body as { data: ChangesResponse }).data
}

/** A client that follows the feed from a given cursor. */
export class FeedFollower {
  readonly #token: string
  #since: number
  readonly #ask: typeof fetchWithRetry

  constructor(token: string, since = 0, send: typeof fetchWithRetry = fetch) {
    this.#token = token
    this.#since = since
    this.#ask = send
  }

  /** Reads everything new, in as many requests as needed. Fails if the ids do not ascend. */
  async read(url: string, limit = 500): Promise<ChangeItem[]> {
    const all: ChangeItem[] = []
    for (;;) {
      const { items, has_more } = await readChanges(
        url,
        this.#token,
        `?since=${this.#since}&limit=${limit}`,
        this.#ask,
      )
      for (const item of items) {
        assert.ok(item.id > this.#since, `${item.id} after ${this.#since}`)
        this.#since = item.id
      }
      all.push(...items)
      if (!has_more) return all
    }
  }
}

/** A feed item as tests compare it, with the database's name of its type. */
export const formatChange = ({ resource_type, resource_id, kind, merged_to_id }: ChangeItem) =>
  `${kind} ${resource_type.toLowerCase()} ${resource_id}${merged_to_id === null ? '' : ` into ${merged_to_id}`}`

/** Numbers all committed changes, without the service's delay. */
export async function numberAllChanges(db: Database) {
  const deadline = Date.now() + 30_000
  for (;;) {
    const snapshot = await snapshotIfPending(db)
    if (snapshot === undefined) return
    assert.ok(Date.now() < deadline, 'changes are not numbered')
    if ((await numberChanges(db, snapshot)) === 0) await sleep(10)
  }
}

type FeedChange = string | ((trx: Database) => Promise<unknown>)

/** Follows the feed from its current end, with and without `catalog:full`. */
export async function followFeed({ url, db, token }: TestService) {
  const tokens = {
    full: await token('catalog:full catalog:sync'),
    limited: await token('catalog:sync'),
  }
  await numberAllChanges(db)
  const { latest_id } = await readChanges(url, tokens.full)
  const full = new FeedFollower(tokens.full, latest_id)
  const limited = new FeedFollower(tokens.limited, latest_id)
  /** Returns what each follower receives. */
  async function read() {
    await numberAllChanges(db)
    const [toFull, toLimited] = await Promise.all([full.read(url), limited.read(url)])
    return { full: toFull.map(formatChange), limited: toLimited.map(formatChange) }
  }
  /** Runs a change in a transaction, and returns what each follower receives. */
  async function changesSeen(change: FeedChange) {
    await db
      .transaction()
      .execute((trx) => (typeof change === 'string' ? sql.raw(change).execute(trx) : change(trx)))
    return read()
  }
  return {
    tokens,
    read,
    changesSeen,
    /** Runs a change, and compares what each follower receives. */
    assertSeen: async (change: FeedChange, expected: { full: string[]; limited: string[] }) =>
      assert.deepEqual(await changesSeen(change), expected),
    async idsOf(type: string, nsfw = false): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`
        select resource_id as id from catalog_entries
        where resource_type = ${type} and nsfw = ${nsfw} order by resource_id`.execute(db)
      return rows.map(({ id }) => id)
    },
    /** Creates an entry without references, so that its deletion affects nothing else. */
    async make(type: 'galgame' | 'person', nsfw = false): Promise<number> {
      const { rows } = await (
        type === 'person'
          ? sql<{ id: number }>`insert into people (name) values ('New') returning id`
          : sql<{ id: number }>`
              with work as (insert into works (kind, nsfw) values ('galgame', ${nsfw}) returning id)
              insert into galgames (id, origin_title) select id, 'New' from work returning id`
      ).execute(db)
      await read()
      return rows[0]?.id ?? 0
    },
  }
}

export type FollowedFeed = Awaited<ReturnType<typeof followFeed>>

/** Changes that callers receive both with and without `catalog:full`. */
export const seenByBoth = (...items: string[]) => ({ full: items, limited: items })
