import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shareService } from '#test/shared-service.ts'
import type { TestService } from '#test/service.ts'
import { sendApiRequest } from '#test/user-api.ts'

const BASE = '/api/v3/open'

describe('titles in the API', () => {
  let service: TestService
  let token: string
  before(async () => {
    service = await shareService()
    token = await service.token()
  })
  after(() => service.close())

  async function read<Data>(path: string): Promise<Data> {
    const { status, data } = await sendApiRequest<Data>(service.url, {
      path: `${BASE}/${path}`,
      token,
    })
    assert.equal(status, 200, path)
    return data
  }

  it('are the same keys in every summary, hit and reference', async () => {
    const keys = ['en_title', 'romaji_title', 'ko_title'] as const
    type Titled = Partial<Record<(typeof keys)[number], string | null>>
    const lists = await Promise.all(
      ['galgames', 'light-novels', 'mangas', 'people', 'producers', 'characters'].map((path) =>
        read<{ items: Titled[] }>(`${path}?page_size=3`),
      ),
    )
    const hits = await read<{ items: Titled[] }>('search?q=key')
    const cast = await read<{ character: Titled; actors: Titled[] }[]>('galgames/1/characters')
    const relations = await read<{ galgame: Titled }[]>('galgames/1/relations')
    const all = [
      ...lists.flatMap(({ items }) => items),
      ...hits.items,
      ...cast.flatMap(({ character, actors }) => [character, ...actors]),
      ...relations.map(({ galgame }) => galgame),
    ]
    assert.ok(all.length > 10)
    for (const titled of all)
      for (const key of keys)
        assert.ok(titled[key] === null || typeof titled[key] === 'string', JSON.stringify(titled))
  })

  it('have the values that the sources state', async () => {
    const { items } = await read<{ items: { id: number }[] }>('galgames?page_size=50')
    const planetarian = items.find(({ id }) => id === 5)
    assert.partialDeepStrictEqual(planetarian, {
      title: 'planetarian',
      original_title: 'planetarian ～ちいさなほしのゆめ～',
      en_title: 'planetarian ~Dream of Little Star~',
      romaji_title: 'planetarian ~Chiisana Hoshi no Yume~',
      ko_title: 'planetarian ~작은 별의 꿈~',
    })
    const novel = await read<Record<string, unknown>>('light-novels/138')
    assert.deepEqual(
      [novel['en_name'], novel['romaji_name'], novel['ko_name']],
      [null, 'Haruhi Suzumiya', null],
    )
    const manga = await read<Record<string, unknown>>('mangas/103')
    assert.equal(manga['en_name'], 'Chobits')
  })
})
