import { Type, type Static, type TSchema } from 'typebox'
import { Closed, Named, Ref } from '../schemas.ts'

/** Query parameters of every list. If both are missing, the response contains the whole list (decision 0002). */
export const PageQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Starts at 1, which is also the default if only `page_size` is sent.',
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Default 10 if only `page` is sent.' }),
  ),
})
export type PageQuery = Static<typeof PageQuery>

export type Page = { page: number; pageSize: number }

/** @returns the requested page, or `undefined` for the whole list */
export function pageOf({ page, page_size }: PageQuery): Page | undefined {
  if (page === undefined && page_size === undefined) return undefined
  return { page: page ?? 1, pageSize: page_size ?? 10 }
}

/** Returns SQL `offset` and `limit`. A null limit selects the whole list. */
export function offsetAndLimit(page: Page | undefined): { offset: number; limit: number | null } {
  return page
    ? { offset: (page.page - 1) * page.pageSize, limit: page.pageSize }
    : { offset: 0, limit: null }
}

/** Largest exact `total_items`, for collections that take too long to count on every request. */
export const MAX_EXACT_TOTAL = 1_000

/**
 * Returns the requested page of a collection such as search results or a user's ratings. Defaults to the first page.
 */
export const pageOfCollection = (query: PageQuery): Page =>
  pageOf(query) ?? { page: 1, pageSize: 10 }

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** Position of a page in its collection (decision 0002). */
export const PageMeta = Named('PageMeta', {
  page: Type.Integer({ minimum: 1 }),
  page_size: Type.Integer({ minimum: 1, maximum: 100 }),
  item_count: count('On this page'),
  total_items: count('In the whole list'),
  total_pages: count('0 when the list is empty'),
})

/** `data` of one page of a collection. */
export const Paged = <Entry extends TSchema>(entry: Entry) =>
  Closed({ items: Type.Array(entry), meta: Ref(PageMeta) })

/** `meta` of a page. */
export const metaOfPage = (item_count: number, { page, pageSize }: Page, total_items: number) => ({
  page,
  page_size: pageSize,
  item_count,
  total_items,
  total_pages: Math.ceil(total_items / pageSize),
})

/** Returns `data` for a page of a collection. */
export const paged = <Item>(items: Item[], page: Page, total: number) => ({
  items,
  meta: metaOfPage(items.length, page, total),
})

/** Returns `data` for a page as JSON, from the JSON array of its items. */
export const pageJson = (items: string, itemCount: number, page: Page, total: number) =>
  `{"items":${items},"meta":${JSON.stringify(metaOfPage(itemCount, page, total))}}`

/**
 * Returns the `Link` header of a page (RFC 8288) with those of first, prev, next and last that exist.
 *
 * @param url absolute URL of this page, with its query
 */
export function linkHeader(url: URL, { page, pageSize }: Page, total: number): string {
  const last = Math.max(1, Math.ceil(total / pageSize))
  const pages: [rel: string, page: number][] = [['first', 1]]
  if (page > 1) pages.push(['prev', Math.min(page - 1, last)])
  if (page < last) pages.push(['next', page + 1])
  pages.push(['last', last])
  return pages
    .map(([rel, number]) => {
      const target = new URL(url)
      target.searchParams.set('page', String(number))
      target.searchParams.set('page_size', String(pageSize))
      return `<${target.href}>; rel="${rel}"`
    })
    .join(', ')
}
