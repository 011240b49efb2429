/** Maximum batches in flight. Keys that arrive in the meantime share the next one. */
const MAX_IN_FLIGHT = 4
/** Maximum keys in a batch. */
const MAX_BATCH = 64

type PendingLoad<Key, Row> = {
  key: Key
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Loads rows by key, in batches of keys that are requested concurrently. A lone request does not wait. The busier the
 * process, the fewer calls each row costs. A row is never read before it has been requested.
 *
 * @param findAll returns the existing rows of these keys, in any order
 */
export function batchLoader<Key, Row>(
  findAll: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): (key: Key) => Promise<Row | undefined> {
  const waiting: PendingLoad<Key, Row>[] = []
  let inFlight = 0

  async function loadBatches() {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      try {
        const rows = await findAll(batch.map(({ key }) => key))
        const found = new Map(rows.map((row) => [keyOf(row), row]))
        for (const { key, resolve } of batch) resolve(found.get(key))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    inFlight -= 1
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (inFlight === MAX_IN_FLIGHT) return
      inFlight += 1
      // Wait for the other requests of this turn of the event loop.
      setImmediate(() => void loadBatches())
    })
}
