import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { snapshotIfPending, numberChanges } from '../../src/catalog/changes/sequencer-queries.ts'
import type { Database } from '../../src/db/database.ts'
import { answerValidator } from './openapi.ts'

const PATH = '/api/v3/open/catalog/changes'

export type ChangeItem = {
  id: number
  resource_type: string
  resource_id: number
  kind: 'UPSERT' | 'DELETE' | 'MERGE'
  merged_to_id: number | null
  created_at: string
}
export type ChangesAnswer = { items: ChangeItem[]; latest_id: number; has_more: boolean }

const problems = answerValidator()

/** Asks again when it is told to come back later, as who follows the feed does; a minute of that is a failure. */
export async function askPatiently(address: string, init: RequestInit): Promise<Response> {
  for (const deadline = Date.now() + 60_000; ;) {
    const response = await fetch(address, init)
    if (response.status !== 503 || Date.now() > deadline) return response
    assert.ok(Number(response.headers.get('retry-after')) >= 1)
    await sleep(100)
  }
}

/** Reads a part of the feed; the answer is checked against the document. */
export async function readChanges(
  url: string,
  token: string,
  query = '',
  ask: typeof askPatiently = fetch,
): Promise<ChangesAnswer> {
  const response = await ask(`${url}${PATH}${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const body: unknown = await response.json()
  assert.equal(problems(PATH, response.status, body), '')
  assert.equal(response.status, 200, JSON.stringify(body))
  // as: checked on the lines above
  return (body as { data: ChangesAnswer }).data
}

/** Somebody who keeps up with the feed, from the place given on. */
export class Follower {
  readonly #token: string
  #since: number
  readonly #ask: typeof askPatiently

  constructor(token: string, since = 0, ask: typeof askPatiently = fetch) {
    this.#token = token
    this.#since = since
    this.#ask = ask
  }

  /** Everything that is new, by as many requests as it takes; ids that do not ascend are a failure. */
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

/** An item as tests compare it, with its type as the database names it. */
export const told = ({ resource_type, resource_id, kind, merged_to_id }: ChangeItem) =>
  `${kind} ${resource_type.toLowerCase()} ${resource_id}${merged_to_id === null ? '' : ` into ${merged_to_id}`}`

/** Gives everything that was committed its number, without the wait that the service has before it. */
export async function allNumbered(db: Database) {
  const deadline = Date.now() + 30_000
  for (;;) {
    const snapshot = await snapshotIfPending(db)
    if (snapshot === undefined) return
    assert.ok(Date.now() < deadline, 'changes are left without a number')
    if ((await numberChanges(db, snapshot)) === 0) await sleep(10)
  }
}
