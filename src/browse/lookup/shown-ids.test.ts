import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { SAMPLES } from '#test/dumps.ts'
import { startService, type TestService } from '#test/service.ts'
import { KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { openSource } from '../../curation/sources.ts'
import { importSource } from '../../curation/import-source.ts'

type Shown = string | number | null
type Detail = {
  id: number
  vndb_id?: Shown
  bangumi_id?: Shown
  bangumi_game_id?: Shown
  bangumi_book_id?: Shown
  bangumi_subject_id?: Shown
  ranobedb_id?: Shown
  steam_apps?: { app_id: number }[]
  external_source?: { vndb: string | null; bangumi: string | null }
}
type LookupCase = { source: string; id: string; url: string }

/** URL pattern of an entry's page, keyed by site. */
const ADDRESSES: Record<string, (kind: EntryKind, id: string) => string> = {
  vndb: (_, id) => `https://vndb.org/${id}`,
  bangumi: (kind, id) =>
    `https://bgm.tv/${kind === 'character' ? 'character' : kind === 'person' || kind === 'producer' ? 'person' : 'subject'}/${id}`,
  ranobedb: (_, id) => `https://ranobedb.org/series/${id}`,
  steam: (_, id) => `https://store.steampowered.com/app/${id}/`,
}

/** Returns the external ids in an entry's detail. */
function shownIds(kind: EntryKind, detail: Detail): LookupCase[] {
  const vndb = detail.vndb_id ?? null
  const shown: [string, string | number | null | undefined][] = [
    ['vndb', typeof vndb === 'number' ? `v${vndb}` : vndb],
    ['vndb', detail.external_source?.vndb],
    ['bangumi', detail.bangumi_id],
    ['bangumi', detail.external_source?.bangumi],
    ['bangumi', detail.bangumi_game_id ?? detail.bangumi_book_id ?? detail.bangumi_subject_id],
    ['ranobedb', detail.ranobedb_id],
    ...(detail.steam_apps ?? []).map(({ app_id }): [string, number] => ['steam', app_id]),
  ]
  const requested = shown.flatMap(([source, id]) =>
    id === null || id === undefined
      ? []
      : [{ source, id: typeof id === 'number' ? String(id) : id }],
  )
  return [...new Map(requested.map((item) => [`${item.source} ${item.id}`, item])).values()].map(
    (item) => ({ ...item, url: ADDRESSES[item.source]?.(kind, item.id) ?? '' }),
  )
}

describeOnDatabase('an external id', (engine) => {
  for (const [source, least] of [
    ['vndb', 3],
    ['bangumi', 1],
    ['ranobedb', 1],
  ] as const)
    it(`in an entry’s response is found by lookup and by its URL, even if only ${source} is imported`, async () => {
      const service = await startService({ engine, content: 'empty' })
      try {
        await importSample(service, source)
        const token = await service.token('catalog:full')
        const seen = new Map<string, number>()
        for (const [kind, { path }] of Object.entries(KINDS) as [EntryKind, { path: string }][])
          for (const detail of await detailsOf(service, token, path))
            for (const { source: site, id, url } of shownIds(kind, detail)) {
              seen.set(site, (seen.get(site) ?? 0) + 1)
              const query = new URLSearchParams({ source: site, id, type: kind })
              const { items } = await fetchData<{
                items: { type: string; entry: { id: number } }[]
              }>(service, token, `lookup?${query.toString()}`)
              assert.ok(
                items.some((item) => item.type === kind && item.entry.id === detail.id),
                `lookup of ${site} ${id}, which ${path}/${detail.id} shows`,
              )
              const search = new URLSearchParams({ q: url, types: kind, page_size: '50' })
              const hits = await fetchData<{ items: { type: string; id: number }[] }>(
                service,
                token,
                `search?${search.toString()}`,
              )
              assert.ok(
                hits.items.some((hit) => hit.id === detail.id),
                `search for ${url}, which ${path}/${detail.id} shows`,
              )
            }
        assert.ok((seen.get(source) ?? 0) > 20, JSON.stringify([...seen]))
        assert.ok(seen.size >= least, JSON.stringify([...seen]))
      } finally {
        await service.close()
      }
    })

  it('is found by a search with the prefix `id:`', async () => {
    const service = await startService({ engine })
    try {
      const token = await service.token('catalog:full')
      for (const q of ['id:v4', 'id: v4', 'ID：V4', 'v4']) {
        const { items } = await fetchData<{ items: { title: string }[] }>(
          service,
          token,
          `search?q=${encodeURIComponent(q)}`,
        )
        assert.equal(items[0]?.title, 'CLANNAD', q)
      }
      const { items } = await fetchData<{ items: { type: string }[] }>(
        service,
        token,
        'search?q=id:p24',
      )
      assert.equal(items[0]?.type, 'producer')
    } finally {
      await service.close()
    }
  })
})

async function importSample(service: TestService, source: keyof typeof SAMPLES) {
  const { records, close } = await openSource(source, SAMPLES[source])
  await importSource(service.db, source, records, { allowShrink: 'all' }).finally(close)
}

async function fetchData<Data>(service: TestService, token: string, path: string): Promise<Data> {
  const response = await service.get(`/v3/${path}`, token)
  const text = await response.text()
  assert.equal(response.status, 200, `${path}: ${text}`)
  // as: the envelope of §2.1
  return (JSON.parse(text) as { data: Data }).data
}

async function detailsOf(service: TestService, token: string, path: string): Promise<Detail[]> {
  const details: Detail[] = []
  for (let page = 1; ; page += 1) {
    const { items } = await fetchData<{ items: { id: number }[] }>(
      service,
      token,
      `${path}?page=${page}&page_size=100`,
    )
    if (items.length === 0) return details
    const ids = items.map(({ id }) => id).join(',')
    details.push(
      ...(await fetchData<{ items: Detail[] }>(service, token, `${path}?ids=${ids}`)).items,
    )
  }
}
