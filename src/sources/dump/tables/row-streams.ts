import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../../db/database.ts'

const FETCH_SIZE = 250

/** Yields the rows of a query through a cursor of the transaction. */
export async function* streamRows<Row>(
  trx: Database,
  name: string,
  query: RawBuilder<unknown>,
): AsyncGenerator<Row> {
  for await (const rows of streamBatches<Row>(trx, name, query)) yield* rows
}

/** Yields the rows of a query in batches. The next batch is fetched while the caller processes the current one. */
export async function* streamBatches<Row>(
  trx: Database,
  name: string,
  query: RawBuilder<unknown>,
): AsyncGenerator<Row[]> {
  await sql`declare ${sql.ref(name)} no scroll cursor for ${query}`.execute(trx)
  const fetchSome = () => {
    const fetched = sql<Row>`fetch forward ${sql.lit(FETCH_SIZE)} from ${sql.ref(name)}`.execute(
      trx,
    )
    // The error surfaces where the batch is awaited. This handler covers the case in which the caller fails before it
    // awaits the batch.
    fetched.catch(() => {})
    return fetched
  }
  for (let next = fetchSome(); ;) {
    const { rows } = await next
    if (rows.length < FETCH_SIZE) {
      await sql`close ${sql.ref(name)}`.execute(trx)
      yield rows
      return
    }
    next = fetchSome()
    yield rows
  }
}

/** Items of one parent, with the position of the parent. */
export type Group<Value> = { n: number; list: Value[] }

/** Reads lists alongside their parents. Lists and parents are both in the order of the parents. */
export class GroupStream<Value> {
  readonly #groups: AsyncGenerator<Group<Value>[]>
  #fetched: Group<Value>[] = []
  #next = 0

  /** @param query rows `(n, list)` with unique `n` in ascending order and `list` as JSON */
  constructor(trx: Database, name: string, query: RawBuilder<unknown>) {
    this.#groups = streamBatches<Group<Value>>(trx, name, query)
  }

  /** Returns the list of a parent, or an empty one. Call it once per parent, in ascending order of `n`. */
  async take(n: number): Promise<Value[]> {
    for (;;) {
      const group = this.#fetched[this.#next]
      if (!group) {
        const { value, done } = await this.#groups.next()
        if (done) return []
        this.#fetched = value
        this.#next = 0
        continue
      }
      if (group.n > n) return []
      this.#next += 1
      if (group.n === n) return group.list
    }
  }
}
