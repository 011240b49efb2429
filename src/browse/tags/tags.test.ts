import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { updateListings } from '#test/update-listings.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { sampleWorks } from '#test/sample-works.ts'
import type { ListedTag } from './schemas.ts'

const BASE = '/api/v3/open'
const HOSTILE = 'a/b %2F 100% _ "ü" 漫\\画?#'

type Page = {
  items: (ListedTag & { type: string; id: number })[]
  meta: { total_items: number; total_pages: number }
  next_cursor?: string | null
}

describeOnDatabase('tags', (engine) => {
  let service: TestService
  let full: string
  let readToken: string
  /** Ids of the works with the hostile tag: one of each kind, and an nsfw one. */
  let tagged: number[]
  let hidden: number

  const send = (path: string, token = full) =>
    sendApiRequest<Page>(service.url, { path: BASE + path, token })
  const namesBy = async (query: string, token = full) =>
    (await send(`/tags${query}`, token)).data.items.map(({ name }) => name)

  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
    readToken = await service.token('catalog:read')
    const works = await sampleWorks(service.db)
    tagged = [works.galgame[0] ?? 0, works.light_novel[0] ?? 0, works.manga[0] ?? 0]
    hidden = (await sampleWorks(service.db, true)).galgame[0] ?? 0
    await sql`
      update works set tags = ${JSON.stringify([
        { name: HOSTILE, likes: 1 },
        { name: 'Zzz Comedy', likes: 1 },
      ])}::jsonb where id = any(${[...tagged, hidden]})`.execute(service.db)
    await sql`
      update works set tags = tags || '[{"name": "only hidden", "likes": 1}, {"name": "comedy", "likes": 1}]'
      where id = ${hidden}`.execute(service.db)
    await updateListings(service.db)
  })
  after(() => service.close())

  it('are listed once across all pages, ordered by number of works', async () => {
    const { data } = await send('/tags?page_size=100')
    const { rows } = await sql<{ name: string; works: number }>`
      select named as name, count(distinct id) as works from works cross join tag_names(tags) named
      group by named`.execute(service.db)
    assert.equal(data.meta.total_items, rows.length)
    assert.deepEqual(
      new Map(data.items.map(({ name, works }) => [name, works])),
      new Map(rows.map(({ name, works }) => [name, works])),
    )
    const amounts = data.items.map(({ works }) => works)
    assert.deepEqual(
      amounts,
      amounts.toSorted((a, b) => b - a),
    )
    const pages = await Promise.all([1, 2, 3].map((page) => namesBy(`?page=${page}&page_size=5`)))
    assert.deepEqual(
      pages.flat(),
      data.items.slice(0, 15).map(({ name }) => name),
    )
  })

  it('are found by any part of their names, with prefix matches first', async () => {
    for (const q of ['comedy', 'COMEDY', 'Ｃomedy', ' comedy '])
      assert.deepEqual(await namesBy(`?q=${encodeURIComponent(q)}`), ['comedy', 'Zzz Comedy'])
    for (const q of ['漫', '%', '_', '"', '\\', 'Ü', '/b %2f'])
      assert.ok((await namesBy(`?q=${encodeURIComponent(q)}&page_size=100`)).includes(HOSTILE), q)
    for (const q of ['nobody has this', '💮'.repeat(300), '‮'])
      assert.deepEqual(await namesBy(`?q=${encodeURIComponent(q)}`), [])
    assert.equal((await send('/tags?q=%00')).status, 422)
    assert.equal((await send('/tags?page=0')).status, 422)
    assert.deepEqual(await namesBy('?q='), await namesBy(''))
  })

  it('list works of all kinds, whatever characters their names contain', async () => {
    const path = `/tags/${encodeURIComponent(HOSTILE)}/works`
    const { data } = await send(path)
    assert.deepEqual(
      data.items.map(({ id }) => id).toSorted((a, b) => a - b),
      [...tagged, hidden].toSorted((a, b) => a - b),
    )
    assert.equal(data.meta.total_items, 4)
    for (const sort of ['popularity', 'score', 'date', 'name', 'changed']) {
      const seen: number[] = []
      let query: string | null = `?sort=${sort}&page_size=1`
      while (query !== null) {
        const page: Page = (await send(path + query, readToken)).data
        seen.push(...page.items.map(({ id }) => id))
        query = page.next_cursor ? `?sort=${sort}&page_size=1&cursor=${page.next_cursor}` : null
      }
      assert.deepEqual(seen.toSorted(), tagged.toSorted(), sort)
    }
    const { next_cursor } = (await send(`${path}?page_size=1`)).data
    assert.equal((await send(`/tags/Zzz%20Comedy/works?cursor=${next_cursor ?? ''}`)).status, 422)
  })

  it('return 404 if no work visible to the caller has them', async () => {
    for (const [name, token] of [
      ['nobody has this', full],
      ['only hidden', readToken],
      ['COMEDY', full],
      ['%00', full],
      ['x'.repeat(2_000), full],
    ] as const)
      assert.equal((await send(`/tags/${encodeURIComponent(name)}/works`, token)).status, 404, name)
    assert.deepEqual(await namesBy('?q=hidden', readToken), [])
    assert.deepEqual(await namesBy('?q=hidden'), ['only hidden'])
    const shown = (await send(`/tags?q=${encodeURIComponent('a/b')}`, readToken)).data.items[0]
    assert.equal(shown?.works, 3)
    await sql`update works set tags = '[]' where id = ${hidden}`.execute(service.db)
    await updateListings(service.db)
    assert.equal((await send('/tags/only%20hidden/works')).status, 404)
  })
})
