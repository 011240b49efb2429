import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linkHeader, offsetAndLimit, paged, pageOf, pageOfCollection } from './paging.ts'

describe('pageOf', () => {
  it('defaults to the whole list of a work and the first page of a collection', () => {
    for (const [query, page, ofCollection] of [
      [{}, undefined, { page: 1, pageSize: 10 }],
      [{ page: 3 }, { page: 3, pageSize: 10 }, { page: 3, pageSize: 10 }],
      [{ page_size: 25 }, { page: 1, pageSize: 25 }, { page: 1, pageSize: 25 }],
      [
        { page: 2, page_size: 1 },
        { page: 2, pageSize: 1 },
        { page: 2, pageSize: 1 },
      ],
    ] as const) {
      assert.deepEqual(pageOf(query), page)
      assert.deepEqual(pageOfCollection(query), ofCollection)
    }
  })

  it('maps a page to an offset and a limit', () => {
    assert.deepEqual(offsetAndLimit(undefined), { offset: 0, limit: null })
    assert.deepEqual(offsetAndLimit({ page: 1, pageSize: 10 }), { offset: 0, limit: 10 })
    assert.deepEqual(offsetAndLimit({ page: 4, pageSize: 25 }), { offset: 75, limit: 25 })
  })
})

describe('a page of a collection', () => {
  it('has its position and the totals in meta', () => {
    const meta = (items: number[], page: number, total: number) =>
      Object.values(paged(items, { page, pageSize: 2 }, total).meta)
    assert.deepEqual(meta([1, 2], 1, 5), [1, 2, 2, 5, 3])
    assert.deepEqual(meta([5], 3, 5), [3, 2, 1, 5, 3])
    assert.deepEqual(meta([], 9, 5), [9, 2, 0, 5, 3])
    assert.deepEqual(meta([], 1, 0), [1, 2, 0, 0, 0])
  })

  it('links to its existing neighbors, and to the last page if it lies past the end', () => {
    const url = new URL('https://api.example.org/v3/galgames/1/staff?role=ART&page=9')
    const links = (page: number, total: number) =>
      Object.fromEntries(
        linkHeader(url, { page, pageSize: 10 }, total)
          .split(', ')
          .map((link) => {
            const [, target = '', rel = ''] = /^<(.+)>; rel="(\w+)"$/.exec(link) ?? []
            const { origin, pathname, searchParams } = new URL(target)
            assert.equal(origin + pathname, 'https://api.example.org/v3/galgames/1/staff')
            assert.deepEqual(
              [searchParams.get('role'), searchParams.get('page_size')],
              ['ART', '10'],
            )
            return [rel, Number(searchParams.get('page'))]
          }),
      )
    for (const [page, total, expected] of [
      [1, 25, { first: 1, next: 2, last: 3 }],
      [2, 25, { first: 1, prev: 1, next: 3, last: 3 }],
      [3, 25, { first: 1, prev: 2, last: 3 }],
      [4, 25, { first: 1, prev: 3, last: 3 }],
      [9, 25, { first: 1, prev: 3, last: 3 }],
      [2, 20, { first: 1, prev: 1, last: 2 }],
      [1, 0, { first: 1, last: 1 }],
      [7, 0, { first: 1, prev: 1, last: 1 }],
    ] as const)
      assert.deepEqual(links(page, total), expected, `page ${page} of ${total}`)
  })
})
