/** Statements under way at once; what is asked for meanwhile goes together into the next. */
const AT_ONCE = 4
/** Keys of one statement. */
const MOST = 64

type Waiting<Key, Row> = {
  key: Key
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Finds rows by key, those asked for at the same time with one statement: a lone request waits for nobody, and the
 * busier the process is, the fewer statements a row costs. Each is read after it was asked for.
 *
 * @param findAll the rows of those keys that exist, in any order
 */
export function batchLoader<Key, Row>(
  findAll: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): (key: Key) => Promise<Row | undefined> {
  const waiting: Waiting<Key, Row>[] = []
  let underWay = 0

  async function work() {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST)
      try {
        const rows = await findAll(batch.map(({ key }) => key))
        const found = new Map(rows.map((row) => [keyOf(row), row]))
        for (const { key, resolve } of batch) resolve(found.get(key))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    underWay -= 1
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (underWay === AT_ONCE) return
      underWay += 1
      // Together with the other requests of this turn of the event loop.
      setImmediate(() => void work())
    })
}
