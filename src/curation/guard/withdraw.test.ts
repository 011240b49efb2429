import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { numberAllChanges, FeedFollower, formatChange } from '#test/change-feed.ts'
import { sendApiRequest, signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { followSample } from '../../sample.ts'
import type { SourceRecord } from '../../sources/records/record.ts'

const { galgame, novel, volume, person, character, staff, sameAs } = sourceRecords

const CATALOG = '/api/v3/open'
const RATES = '/v3/user/me/rates'

/** VNDB records: some to withdraw, and some that stay and refer to them. */
const WITHDRAWN: SourceRecord[] = [
  galgame(
    'v1',
    {
      origin_title: 'Clannad',
      trans_title: '团子大家族',
      release_date: '2004-04-28',
      covers: [
        {
          url: 'https://t.vndb.org/cv/1.jpg',
          width: 1,
          height: 2,
          sexual: 0,
          violence: 0,
          votes: 3,
        },
      ],
      tags: [{ name: 'drama', likes: 3 }],
    },
    { ...staff('s1', 's2'), characters: [{ ref: 'c1', role: 'MAIN', actors: [{ ref: 's2' }] }] },
  ),
  person('s2', { name: 'Maeda' }),
  character('c1', { name: 'Nagisa' }),
]
const STAYING: SourceRecord[] = [
  galgame(
    'v2',
    { origin_title: 'Tomoyo After' },
    {
      ...staff('s2', 's1'),
      characters: [{ ref: 'c1', role: 'GUEST', actors: [{ ref: 's2' }, { ref: 's1' }] }],
      relations: [{ ref: 'v1', relation: 'PREQUEL' }],
    },
  ),
  person('s1', { name: 'Hinoue' }),
  novel('n1', { volumes: [{ ref: 'b1' }] }),
  volume('b1', { volume_number: 1 }),
]
/** An entry from two sources, with a list that only one of them has. */
const SHARED = galgame(
  'v3',
  { origin_title: 'Kanon', homepage: 'https://k' },
  staff('s1'),
  sameAs('bangumi', '3'),
)
const OF_BANGUMI = [
  galgame('3', { origin_title: 'Kanon of Bangumi', origin_intro: 'Snow.' }, staff('7')),
  person('7', { name: 'Orito' }),
]

describeOnDatabase('a withdrawn entry', (engine) => {
  let service: TestService
  let token: string
  let follower: FeedFollower
  let me: SignedInUser
  let other: SignedInUser
  const ids: Record<string, number> = {}

  const importAll = (...records: SourceRecord[]) =>
    importRecords(service.db, 'vndb', records, { isWhole: () => true, allowShrink: 'all' })
  const get = (path: string) => sendApiRequest(service.url, { token, path: CATALOG + path })
  const idOf = async (title: string) => (await get(`/search?q=${title}`)).data.items[0]?.id
  const changes = async () => {
    await numberAllChanges(service.db)
    return (await follower.read(service.url)).map(formatChange)
  }

  before(async () => {
    service = await startService({
      engine,
      content: 'empty',
      environment: { API_PICTURES: 'source' },
    })
    token = await service.token('catalog:full catalog:sync')
    follower = new FeedFollower(token)
    await importRecords(service.db, 'bangumi', OF_BANGUMI)
    await importAll(...WITHDRAWN, ...STAYING, SHARED)
    await followSample(service.db)
    for (const name of ['Clannad', 'Tomoyo', 'Kanon', 'Maeda', 'Hinoue', 'Nagisa', 'n1'])
      ids[name] = await idOf(name)
    me = await signIn(service)
    other = await signIn(service)
    const put = (path: string, body: object) => me.send('PUT', path, body)
    assert.equal(
      (await put(`${RATES}/galgames/${ids['Clannad']}`, { rate: 9, status: 'COMPLETED' })).status,
      200,
    )
    await put(`/v3/user/me/collections/default/items/galgames/${ids['Clannad']}`, {
      note: 'Cried.',
    })
    await changes()

    const { kinds } = await importAll(...STAYING)
    assert.deepEqual(
      kinds.map(({ kind, created, changed, unchanged, withdrawn, returned }) =>
        [kind, created, changed, unchanged, withdrawn, returned].join(' '),
      ),
      [
        'character 0 0 0 1 0',
        'galgame 0 0 1 2 0',
        'light_novel 0 0 1 0 0',
        'light_novel_volume 0 0 1 0 0',
        'person 0 0 1 1 0',
      ],
    )
  })
  after(() => service.close())

  it('returns 404 at all URLs of the catalog, and is in no list', async () => {
    const work = `/galgames/${ids['Clannad']}`
    for (const path of [
      work,
      ...[
        'staff',
        'characters',
        'producers',
        'relations',
        'similar',
        'rates',
        'rates/statistics',
      ].map((list) => `${work}/${list}`),
      `/people/${ids['Maeda']}`,
      `/people/${ids['Maeda']}/works`,
      `/characters/${ids['Nagisa']}`,
      `/characters/${ids['Nagisa']}/works`,
    ]) {
      const { status, code } = await get(path)
      assert.deepEqual([path, status, code], [path, 404, 'COMMON_NOT_FOUND'])
    }
    const shown = async (path: string) => {
      const { status, text } = await get(path)
      assert.equal(status, 200, `${path} ${text}`)
      return text
    }
    for (const path of [
      '/galgames',
      '/galgames?tag=drama',
      `/galgames?ids=${ids['Clannad']},${ids['Tomoyo']}`,
      '/people',
      '/characters',
      '/search?q=Clannad',
      '/search/instant?q=Maeda',
      '/search/suggestions?q=Nagisa',
      '/lookup?source=vndb&id=v1&id=s2&id=c1',
      `/people/${ids['Hinoue']}/works`,
      `/galgames/${ids['Tomoyo']}/relations`,
      `/galgames/${ids['Tomoyo']}/characters`,
      `/galgames/${ids['Tomoyo']}/staff`,
      '/tags',
    ])
      assert.doesNotMatch(
        await shown(path),
        /"name":"(Clannad|Maeda|Nagisa|drama)"|"origin_title":"Clannad"/,
        path,
      )
    const { data } = await get(`/galgames/${ids['Tomoyo']}/staff`)
    assert.deepEqual(
      data.map(({ person: { name } }: { person: { name: string } }) => name),
      ['Hinoue'],
    )
  })

  it('appears in the change feed as DELETE', async () => {
    const items = await changes()
    for (const item of [
      `DELETE galgame ${ids['Clannad']}`,
      `DELETE person ${ids['Maeda']}`,
      `DELETE character ${ids['Nagisa']}`,
      `UPSERT galgame ${ids['Tomoyo']}`,
      `UPSERT galgame ${ids['Kanon']}`,
    ])
      assert.ok(items.includes(item), `${item} is not among ${items.join(', ')}`)
  })

  it('keeps the data of another source that still has it', async () => {
    const { data } = await get(`/galgames/${ids['Kanon']}`)
    assert.deepEqual(
      [data.origin_title, data.origin_intro, data.homepage, data.vndb_id, data.bangumi_game_id],
      ['Kanon of Bangumi', 'Snow.', null, null, 3],
    )
    const { data: credits } = await get(`/galgames/${ids['Kanon']}/staff`)
    assert.deepEqual(
      credits.map(({ person: { name } }: { person: { name: string } }) => name),
      ['Orito'],
    )
  })

  it('stays in the lists, history, export and collections of users', async () => {
    const { data: list } = await me.send('GET', RATES)
    const [item] = list.items
    assert.deepEqual(
      [item.work_id, item.rate, item.title, item.cover.src, item.work.name],
      [ids['Clannad'], 9, '团子大家族', 'https://t.vndb.org/cv/1.jpg', 'Clannad'],
    )
    const { data: history } = await me.send('GET', `${RATES}/history`)
    assert.equal(history.items[0].work.name, 'Clannad')
    const { data: exported } = await me.send('GET', `${RATES}/export`)
    assert.deepEqual(
      [exported.ratings[0].work.name, exported.ratings[0].rate, exported.ratings[0].external_ids],
      ['Clannad', 9, { vndb: 'v1' }],
    )
    const { data: collection } = await me.send('GET', '/v3/user/me/collections/default/items')
    const [entryItem] = collection.items
    assert.deepEqual(
      [
        entryItem.note,
        entryItem.work.name,
        entryItem.galgame.trans_title,
        entryItem.galgame.release_date,
        entryItem.galgame.covers.length,
      ],
      ['Cried.', 'Clannad', '团子大家族', '2004-04-28T00:00:00.000Z', 1],
    )
    const { data: found } = await me.send(
      'GET',
      '/v3/user/me/collections/default/items?keyword=clannad',
    )
    assert.equal(found.items.length, 1)
  })

  it('accepts no new rating or collection item, but existing ones can be changed', async () => {
    const rating = `${RATES}/galgames/${ids['Clannad']}`
    const item = `/v3/user/me/collections/default/items/galgames/${ids['Clannad']}`
    assert.deepEqual((await other.send('PUT', rating, { rate: 1 })).code, 'COMMON_NOT_FOUND')
    assert.deepEqual((await other.send('PUT', item, {})).code, 'COMMON_NOT_FOUND')
    assert.equal((await me.send('PUT', rating, { rate: 8 })).status, 200)
    assert.equal((await me.send('PUT', item, { note: 'Cried twice.' })).status, 200)
    assert.equal((await me.send('GET', rating)).data.rate, 8)
  })

  it('returns with its id and ratings', async () => {
    await changes()
    const { kinds } = await importAll(...WITHDRAWN, ...STAYING, SHARED)
    assert.deepEqual(
      kinds.map(({ kind, created, changed, returned }) =>
        [kind, created, changed, returned].join(' '),
      ),
      [
        'character 0 0 1',
        'galgame 0 0 2',
        'light_novel 0 0 0',
        'light_novel_volume 0 0 0',
        'person 0 0 1',
      ],
    )
    for (const name of ['Clannad', 'Maeda', 'Nagisa', 'Kanon'])
      assert.equal(await idOf(name), ids[name], name)
    const items = await changes()
    assert.ok(items.includes(`UPSERT galgame ${ids['Clannad']}`), items.join(', '))
    await eventually(
      async () => (await get(`/galgames/${ids['Kanon']}`)).data.origin_title === 'Kanon',
      'that the cached response is dropped',
    )
    const { data: credits } = await get(`/galgames/${ids['Tomoyo']}/staff`)
    assert.equal(credits.length, 2)
    assert.equal(
      (await other.send('PUT', `${RATES}/galgames/${ids['Clannad']}`, { rate: 1 })).status,
      200,
    )
    assert.equal((await me.send('GET', RATES)).data.items.length, 1)
  })
})
