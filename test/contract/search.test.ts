import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

/** Schema of a search hit: all six keys are required. */
const HIT = {
  type: 'object',
  required: ['type', 'id', 'title', 'subtitle', 'developer', 'cover'],
  properties: {
    type: { enum: ['galgame', 'light_novel', 'manga', 'character', 'person', 'producer'] },
    id: { type: 'integer', minimum: 1 },
    title: { type: 'string', minLength: 1 },
    subtitle: { type: ['string', 'null'] },
    developer: { type: ['string', 'null'] },
    cover: {
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          required: ['url', 'sexual', 'violence', 'votes', 'width', 'height'],
          properties: {
            url: { type: 'string', pattern: '^https?://' },
            sexual: { type: 'integer' },
            violence: { type: 'integer' },
            votes: { type: 'integer' },
            width: { type: ['integer', 'null'] },
            height: { type: ['integer', 'null'] },
          },
        },
      ],
    },
  },
}
/** Subtitles, keyed by type. A galgame's is a year, because one client shows nothing else. */
const SUBTITLES: Record<string, RegExp> = {
  galgame: /^(null|\d{4})$/,
  light_novel: /^(连载中|已完结|休刊中|已中止)( · \d{4})?$/,
  manga: /^(连载中|已完结|休刊中|已中止)( · \d{4})?$/,
  person: /^null$/,
  producer: /^[A-Z]+$/,
  character: /./,
}
const COUNT = { type: 'integer', minimum: 0 }
const PAGE = {
  type: 'object',
  required: ['items', 'meta'],
  properties: {
    items: { type: 'array', items: HIT },
    meta: {
      type: 'object',
      required: ['page', 'page_size', 'item_count', 'total_items', 'total_pages'],
      properties: {
        page: COUNT,
        page_size: COUNT,
        item_count: COUNT,
        total_items: COUNT,
        total_pages: COUNT,
      },
    },
  },
}
const HIT_GROUPS = {
  type: 'object',
  required: ['groups'],
  properties: {
    groups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'items'],
        properties: { items: { type: 'array', minItems: 1, maxItems: 3, items: HIT } },
      },
    },
  },
}

type Hit = { subtitle: string | null; developer: string | null }

describeOnDatabase('the search contract', (engine) => {
  let service: TestService
  let token: string
  before(async () => {
    service = await shareService(engine)
    token = await service.token('catalog:full')
  })
  after(() => service.close())

  async function dataOf(path: string) {
    const response = await service.get(path, token)
    assert.equal(response.status, 200, path)
    return ((await response.json()) as { data: unknown }).data
  }

  it('matches hits of every kind, on both families of paths', async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    const [isPage, isGroups] = [ajv.compile(PAGE), ajv.compile(HIT_GROUPS)]
    const types = new Set<string>()
    for (const family of ['/api/v3/open', '/v3'])
      for (const q of ['a', 'shi', 'の', '人', '2', 'key', 'no such name anywhere'].map(
        encodeURIComponent,
      )) {
        for (const type of ['galgame', 'light_novel', 'manga', 'character', 'person', 'producer']) {
          const page = await dataOf(`${family}/search?q=${q}&types=${type}&page_size=20`)
          assert.ok(isPage(page), `${q} ${type}: ${ajv.errorsText(isPage.errors)}`)
          // as: validated by the schema
          for (const { subtitle, developer } of (page as { items: Hit[] }).items) {
            types.add(type)
            assert.match(String(subtitle), SUBTITLES[type] ?? /-/, q)
            if (type !== 'galgame') assert.equal(developer, null)
          }
        }
        const groups = await dataOf(`${family}/search/instant?q=${q}`)
        assert.ok(isGroups(groups), `${q}: ${ajv.errorsText(isGroups.errors)}`)
      }
    assert.equal(types.size, 6)
  })

  it('includes the requests with which clients test their connection', async () => {
    for (const query of [
      'q=test&page_size=1',
      'q=ATRI&types=galgame&page=1&page_size=1',
      `q=${'x'.repeat(200)}`,
    ]) {
      const { items } = (await dataOf(`/v3/search?${query}`)) as { items: unknown[] }
      assert.ok(Array.isArray(items), query)
    }
  })
})
