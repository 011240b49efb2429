import { Type, type Static } from 'typebox'

/** The two parameters of every list. Without either the whole list is meant (decisions §2). */
export const PageQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'From 1; 1 when only `page_size` is sent.',
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: '10 when only `page` is sent.' }),
  ),
})
export type PageQuery = Static<typeof PageQuery>

export type Page = { page: number; pageSize: number }

/** @returns the page that is asked for, or undefined when the whole list is */
export function pageOf({ page, page_size }: PageQuery): Page | undefined {
  if (page === undefined && page_size === undefined) return undefined
  return { page: page ?? 1, pageSize: page_size ?? 10 }
}

/** For `offset` and `limit`; a null limit is the whole list. */
export function windowOf(page: Page | undefined): { offset: number; limit: number | null } {
  return page ? { offset: (page.page - 1) * page.pageSize, limit: page.pageSize } : { offset: 0, limit: null }
}

/**
 * The `Link` header of a page (RFC 8288): first, prev, next and last, as far as they exist.
 *
 * @param address of this page, absolute, with its query
 */
export function linkHeader(address: URL, { page, pageSize }: Page, total: number): string {
  const last = Math.max(1, Math.ceil(total / pageSize))
  const pages: [rel: string, page: number][] = [['first', 1]]
  if (page > 1) pages.push(['prev', Math.min(page - 1, last)])
  if (page < last) pages.push(['next', page + 1])
  pages.push(['last', last])
  return pages
    .map(([rel, number]) => {
      const target = new URL(address)
      target.searchParams.set('page', String(number))
      target.searchParams.set('page_size', String(pageSize))
      return `<${target.href}>; rel="${rel}"`
    })
    .join(', ')
}
