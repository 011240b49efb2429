import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../../db/database.ts'

/** Rows of a query that are fetched at once. */
const FETCHED = 250

/**
 * The rows of a query in their order, some at once, however many there are: through a cursor of the transaction. While some
 * are looked at the next are on their way.
 */
export async function* streamRows<Row>(
  trx: Database,
  name: string,
  query: RawBuilder<unknown>,
): AsyncGenerator<Row[]> {
  await sql`declare ${sql.ref(name)} no scroll cursor for ${query}`.execute(trx)
  const fetchSome = () => {
    const fetched = sql<Row>`fetch forward ${sql.lit(FETCHED)} from ${sql.ref(name)}`.execute(trx)
    // It is told where it is waited for; nobody does when whoever asked for the rows has failed meanwhile.
    fetched.catch(() => {})
    return fetched
  }
  for (let next = fetchSome(); ;) {
    const { rows } = await next
    if (rows.length < FETCHED) {
      await sql`close ${sql.ref(name)}`.execute(trx)
      yield rows
      return
    }
    next = fetchSome()
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
