import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { eventually } from '#test/browser.ts'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'

const SIGNED = /^\/pictures\/[\w-]{22}\/http\//

/** Collects a response's picture URLs: those of graded objects, and `src`. */
function picturesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own =
    'sexual' in value && 'url' in value
      ? [String(value.url)]
      : 'src' in value
        ? [String(value.src)]
        : []
  return [...own, ...Object.values(value).flatMap(picturesIn)]
}

describe('a picture in an API response', () => {
  let origin: PictureOrigin
  let service: TestService
  let full: string
  let user: SignedInUser
  let bytes: Buffer
  let ids: { open: number; nsfw: number; person: number }
  let name: string
  const media = (url: string, sexual = 0) => ({ url, width: 400, height: 600, sexual, violence: 0 })
  before(async () => {
    origin = await startPictureOrigin()
    service = await startService({ environment: { IMAGE_ORIGINS: origin.url } })
    full = await service.token('catalog:full')
    user = await signIn(service, {
      scope: 'user:read status:read status:write collection:read collection:write catalog:full',
    })
    bytes = await makeTestPicture()
    const { rows } = await sql<typeof ids>`
      select
        (select min(id) from works where kind = 'galgame' and not nsfw) as open,
        (select min(id) from works where kind = 'galgame' and nsfw) as nsfw,
        (select min(id) from people) as person`.execute(service.db)
    ids = rows[0] ?? { open: 0, nsfw: 0, person: 0 }
    const cover = origin.show('/cover.jpg?r=1', bytes)
    const graded = origin.show('/graded.jpg', bytes)
    for (const [id, covers] of [
      [
        ids.open,
        [
          { ...media(cover), votes: 0 },
          { ...media(graded, 2), votes: 0 },
        ],
      ],
      [ids.nsfw, [{ ...media(graded, 2), votes: 0 }]],
    ] as const)
      await sql`update galgames set covers = ${JSON.stringify(covers)}::jsonb where id = ${id}`.execute(
        service.db,
      )
    await sql`update people set image = ${JSON.stringify(media(origin.show('/face.jpg', bytes)))}::jsonb where id = ${ids.person}`.execute(
      service.db,
    )
    const { rows: named } = await sql<{
      origin_title: string
    }>`select origin_title from galgames where id = ${ids.open}`.execute(service.db)
    name = named[0]?.origin_title ?? ''
  })
  after(async () => {
    await service.close()
    await origin.close()
  })

  async function fetchData(path: string, token?: string): Promise<unknown> {
    const response = await service.get(path, token)
    assert.equal(response.status, 200, path)
    return response.json()
  }
  const pathOf = (url: string) => {
    assert.ok(url.startsWith(`${service.url}/`), url)
    return url.slice(service.url.length)
  }

  it('has a URL on this service in every kind of response', async () => {
    const { rates, items } = await recordAndCollect()
    for (const path of [
      `/v3/galgames/${ids.open}`,
      `/v3/galgames?ids=${ids.open},${ids.nsfw}`,
      `/v3/galgames?page_size=100`,
      `/v3/people/${ids.person}`,
      `/v3/search?q=${encodeURIComponent(name)}`,
      `/v3/search/instant?q=${encodeURIComponent(name)}`,
      `/v3/lookup?source=vndb&id=4`,
      rates,
      items,
    ]) {
      const token = path.startsWith('/v3/user/') ? user.token : full
      const pictures = picturesIn(await fetchData(path, token)).filter((url) =>
        url.includes('.jpg'),
      )
      assert.ok(pictures.length > 0, path)
      for (const url of pictures) assert.match(url, /\/pictures\/[\w-]{22}\/https?\//, path)
    }
  })

  async function recordAndCollect() {
    const put = await fetch(`${service.url}/v3/user/me/rates/galgames/${ids.open}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: '{"status":"PLAN"}',
    })
    assert.equal(put.status, 200)
    const lists = (await fetchData('/v3/user/me/collections', user.token)) as {
      data: { id: number }[]
    }
    const collection = lists.data[0]?.id
    const cached = await fetch(
      `${service.url}/v3/user/me/collections/${collection}/galgames/${ids.open}`,
      { method: 'PUT', headers: { authorization: `Bearer ${user.token}` } },
    )
    assert.equal(cached.status, 200)
    return { rates: '/v3/user/me/rates', items: `/v3/user/me/collections/${collection}/items` }
  }

  it('is returned unchanged, to pages from any origin, and is fetched from the source only once', async () => {
    const [url = ''] = picturesIn(await fetchData(`/v3/galgames/${ids.open}`, full))
    const path = pathOf(url)
    assert.match(path, SIGNED)
    assert.match(path, /\/cover\.jpg\?r=1$/)
    for (let times = 0; times < 3; times += 1) {
      const response = await service.get(path)
      assert.equal(response.status, 200)
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
      assert.equal(response.headers.get('content-type'), 'image/jpeg')
      assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin')
      assert.equal(response.headers.get('access-control-allow-origin'), '*')
      assert.match(response.headers.get('content-security-policy') ?? '', /sandbox/)
    }
    assert.equal(origin.requests.filter((request) => request.includes('/cover.jpg')).length, 1)
  })

  it('requires, for an adult work, a signed URL that only callers with access to the work receive', async () => {
    const [url = ''] = picturesIn(await fetchData(`/v3/galgames/${ids.nsfw}`, full))
    const path = pathOf(url)
    assert.equal((await service.get(path)).status, 200)
    const [, , signature = ''] = path.split('/')
    for (const forged of [
      path.replace(signature, 'A'.repeat(22)),
      path.replace(signature, ''),
      path.replace('/graded.jpg', '/cover.jpg'),
      path.replace('/http/', '/https/'),
      `${path}?r=2`,
      `${path}/`,
      '/pictures/',
    ])
      assert.equal((await service.get(forged)).status, 404, forged)
    assert.equal(
      (await service.get(`/v3/galgames/${ids.nsfw}`, await service.token('catalog:read'))).status,
      404,
    )
  })

  it('returns 404 once a moderator has hidden it, and redirects to the source if it cannot be fetched', async () => {
    const [url = ''] = picturesIn(await fetchData(`/v3/people/${ids.person}`, full))
    await sql`insert into takedowns (kind, subject, place, reason, note) values ('PICTURE', ${`${origin.url}/face.jpg`}, '', 'OTHER', '')`.execute(
      service.db,
    )
    assert.equal((await service.get(pathOf(url))).status, 404)
    const missing = `${origin.url}/missing.jpg`
    await sql`update people set image = ${JSON.stringify(media(missing))}::jsonb where id = ${ids.person + 1}`.execute(
      service.db,
    )
    const [other = ''] = picturesIn(await fetchData(`/v3/people/${ids.person + 1}`, full))
    const response = await fetch(other, { redirect: 'manual' })
    assert.deepEqual([response.status, response.headers.get('location')], [302, missing])
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })

  it('keeps its original URL if a user entered it, for example for a profile picture', async () => {
    for (const picture of ['https://t.vndb.org/cv/1.jpg?x=1', 'https://lain.bgm.tv/any.jpg']) {
      await sql`update accounts set picture = ${picture} where id = ${user.user.id}`.execute(
        service.db,
      )
      const { data } = (await fetchData('/v3/user/me', user.token)) as {
        data: { avatar: { src: string } }
      }
      assert.equal(data.avatar.src, picture)
    }
  })

  it('is hidden whatever the query and fragment of its URL', async () => {
    const [path, other] = [
      origin.show('/hidden.jpg?r=1', bytes),
      origin.show('/hidden.jpg?r=2', bytes),
    ]
    for (const [id, url] of [
      [ids.person + 3, path],
      [ids.person + 4, other],
    ] as const)
      await sql`update people set image = ${JSON.stringify(media(url))}::jsonb where id = ${id}`.execute(
        service.db,
      )
    await sql`insert into takedowns (kind, subject, place, reason, note) values ('PICTURE', ${path}, '', 'OTHER', '')`.execute(
      service.db,
    )
    for (const id of [ids.person + 3, ids.person + 4]) {
      const [url = ''] = picturesIn(await fetchData(`/v3/people/${id}`, full))
      assert.equal((await service.get(pathOf(url))).status, 404)
      assert.equal((await service.get(`/images/people/${id}/0-160.jpg`)).status, 404)
    }
  })

  it('stays hidden if a moderator hides it during a request', async () => {
    const { db } = service
    const hidden = origin.show('/racing.jpg', bytes)
    const id = ids.person + 5
    await sql`update people set image = ${JSON.stringify(media(hidden))}::jsonb where id = ${id}`.execute(
      db,
    )
    const [url = ''] = picturesIn(await fetchData(`/v3/people/${id}`, full))
    // A stable function uses the snapshot of its calling statement, however long it waits.
    await sql`alter table takedowns rename to stored_takedowns`.execute(db)
    await sql`
      create function read_takedowns() returns setof stored_takedowns stable language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(4711); return query select * from stored_takedowns; end $$`.execute(
      db,
    )
    await sql`create view takedowns as select * from read_takedowns()`.execute(db)
    const holder = new pg.Client({ connectionString: service.config.databaseUrl })
    await holder.connect()
    await holder.query('select pg_advisory_lock(4711)')
    const response = service.get(pathOf(url))
    await eventually(async () => {
      const { rows } =
        await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(db)
      return rows.length > 0
    }, 'a request that waits')
    await sql`insert into stored_takedowns (kind, subject, place, reason, note) values ('PICTURE', ${hidden}, '', 'OTHER', '')`.execute(
      db,
    )
    // Every process is notified within a second.
    await sleep(1_500)
    await holder.end()
    assert.equal((await response).status, 200, 'the state at the time of the read')
    assert.equal((await service.get(pathOf(url))).status, 404)
    await sql`drop view takedowns`.execute(db)
    await sql`drop function read_takedowns`.execute(db)
    await sql`alter table stored_takedowns rename to takedowns`.execute(db)
  })

  it('does not affect HTML pages, which use their own picture URLs', async () => {
    await fetchData(`/v3/people/${ids.person + 2}`, full)
    await fetchData(`/v3/galgames/${ids.open}`, full)
    const page = await (
      await service.get(`/galgames/${ids.open}`, undefined, { accept: 'text/html' })
    ).text()
    assert.match(page, /\/images\/galgames\//)
    assert.doesNotMatch(page, /\/pictures\//)
    const [, url = ''] = /src="(\/images\/galgames\/[^"]*\/0-320\.jpg\?v=[^"]+)"/.exec(page) ?? []
    const response = await service.get(url.replaceAll('&amp;', '&'))
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable', url)
  })

  for (const environment of [{ API_PICTURES: 'source' }, { IMAGES: 'off' }])
    it(`keeps its original URL with ${Object.entries(environment).join().replace(',', '=')}`, async () => {
      const other = await startService({ environment })
      try {
        const response = await other.get('/v3/galgames/1', await other.token('catalog:full'))
        const [url = ''] = picturesIn(await response.json())
        assert.match(url, /^https:\/\/lain\.bgm\.tv\//)
      } finally {
        await other.close()
      }
    })
})
