import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { onEachDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { GOLDEN } from '../../test/search/golden.ts'

type Hit = { type: string; id: number; title: string; subtitle: string | null }
type Result = { items: Hit[]; meta: { total_items: number; item_count: number; total_pages: number } }

onEachDatabase('search', (engine) => {
  let service: TestService
  let full: string
  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
  })
  after(() => service.close())

  async function search(q: string, more = '', token = full): Promise<Result> {
    const response = await service.get(`/api/v3/open/search?q=${encodeURIComponent(q)}${more}`, token)
    const body = (await response.json()) as { data: Result; error?: unknown }
    assert.equal(response.status, 200, JSON.stringify(body))
    return body.data
  }

  it('has the golden hits first', async () => {
    const wrong: string[] = []
    for (const { q, first, types } of GOLDEN) {
      const { items } = await search(q, types ? `&types=${types}` : '')
      const [hit] = items
      const found = hit ? `${hit.type}: ${hit.title}` : 'nothing'
      if (found !== first) wrong.push(`${q} ⇒ ${found} instead of ${first}`)
    }
    assert.deepEqual(wrong, [])
  })
})
