import { listCatalogChanges } from './operations.js'

/** Yields every item of a list, page by page. */
export async function* pages(operation, client, parameters = {}, options = {}) {
  const { page_size = 100, page: first = 1 } = parameters
  let next = { page: first > 1 ? first : undefined }
  for (let page = first; ;) {
    const result = await operation(client, { ...parameters, page_size, ...next }, options)
    const items = Array.isArray(result) ? result : result.items
    yield* items
    page += 1
    const { next_cursor: cursor, meta } = result
    next = cursor ? { page: undefined, cursor } : { page }
    const isLast = meta ? page > meta.total_pages : items.length < page_size
    if (cursor === undefined ? isLast : cursor === null) return
  }
}

/**
 * Yields the changes of the catalog after a position. `id` and `epoch` of a change are the position to store when it has
 * been processed.
 */
export async function* changes(client, position = {}, options = {}) {
  const { follow = false, wait = 50, ...rest } = options
  let { since = 0, epoch, limit = 500 } = position
  // The first response describes the rate limit. Until then, the client sends one request at a time.
  for (let current; ; current = follow ? wait : undefined) {
    const page = await listCatalogChanges(
      client,
      { since, epoch, limit, wait: current },
      { timeout: (wait + 30) * 1000, ...rest, revalidate: true },
    )
    for (const change of page.items) yield { ...change, epoch: page.epoch }
    ;({ epoch } = page)
    since = page.items.at(-1)?.id ?? since
    if (!page.has_more && !follow) return
  }
}
