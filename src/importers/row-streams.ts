import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../db/database.ts'

/** Rows of a query that are in this process at once. */
const FETCHED = 500

/** The rows of a query in their order, some at once, however many there are: through a cursor of the transaction. */
export async function* streamRows<Row>(
  trx: Database,
  name: string,
  query: RawBuilder<unknown>,
): AsyncGenerator<Row[]> {
  await sql`declare ${sql.ref(name)} no scroll cursor for ${query}`.execute(trx)
  const fetchSome = sql<Row>`fetch forward ${sql.lit(FETCHED)} from ${sql.ref(name)}`
  for (let isLast = false; !isLast;) {
    const { rows } = await fetchSome.execute(trx)
    isLast = rows.length < FETCHED
    if (isLast) await sql`close ${sql.ref(name)}`.execute(trx)
    yield rows
  }
}

/** What belongs to one parent: `n` is the parent's place. */
export type Group<Value> = { n: number; list: Value[] }

/** Lists by parent, read beside the parents: both come in the parents' order. */
export class GroupStream<Value> {
  readonly #groups: AsyncGenerator<Group<Value>[]>
  #fetched: Group<Value>[] = []
  #next = 0

  /** @param query rows `(n, list)`, `list` json, by rising `n`, each once */
  constructor(trx: Database, name: string, query: RawBuilder<unknown>) {
    this.#groups = streamRows<Group<Value>>(trx, name, query)
  }

  /** The list of a parent, empty where there is none. Parents are asked for by rising `n`, each once. */
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
