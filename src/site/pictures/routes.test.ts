import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { startService, type TestService } from '#test/service.ts'
import { signInCookie } from '#test/signed-in-page.ts'
import { picturePathOf, versionOf } from './picture-path.ts'

describe('the picture routes', () => {
  let origin: PictureOrigin
  let service: TestService
  let adult: Record<string, string>
  /** Two galgames from the sample, one of them adult. */
  let ids: { open: number; nsfw: number }
  const media = (url: string, sexual = 0) => ({ url, width: 400, height: 600, sexual, violence: 0 })

  before(async () => {
    origin = await startPictureOrigin()
    service = await startService({ environment: { IMAGE_ORIGINS: origin.url } })
    const { rows } = await sql<{ open: number; nsfw: number }>`
      select
        (select min(id) from works where kind = 'galgame' and not nsfw) as open,
        (select min(id) from works where kind = 'galgame' and nsfw) as nsfw`.execute(service.db)
    ids = rows[0] ?? { open: 0, nsfw: 0 }
    const cover = origin.show('/a.jpg', await makeTestPicture())
    const covers = [
      media(cover),
      media(`${cover}?graded`, 2),
      media(`${origin.url}/missing`),
      { ...media(`${cover}?violent`), violence: 1 },
    ]
    for (const query of ['graded', 'violent'])
      origin.show(`/a.jpg?${query}`, await makeTestPicture())
    for (const id of [ids.open, ids.nsfw])
      await sql`update galgames set covers = ${JSON.stringify(covers)}::jsonb where id = ${id}`.execute(
        service.db,
      )
    adult = { cookie: await signInCookie(service, { nsfw: true }) }
  })
  after(async () => {
    await service.close()
    await origin.close()
  })

  const at = (file: string, id = ids.open) => `/images/galgames/${id}/${file}`
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.get(path, undefined, headers)

  it('serve each width and format, cached for a year under a versioned URL', async () => {
    const version = versionOf(`${origin.url}/a.jpg`)
    const shared = {
      kind: 'galgame',
      id: ids.open,
      index: 0,
      width: 320,
      blurred: false,
      version,
    } as const
    for (const [format, type] of [
      ['avif', 'image/avif'],
      ['webp', 'image/webp'],
      ['jpg', 'image/jpeg'],
    ] as const) {
      const path = picturePathOf({ ...shared, format })
      const response = await get(path)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), type)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.match(
        response.headers.get('content-security-policy') ?? '',
        /default-src 'none'; sandbox/,
      )
      const { width } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
      assert.equal(width, 320)
      assert.equal(
        (await get(path.replace(version, '00000000'))).headers.get('cache-control'),
        'public, max-age=300',
      )
    }
    assert.equal(origin.requests.filter((request) => request === '200 /a.jpg').length, 1)
  })

  it('return 404 for variants that do not exist', async () => {
    for (const file of [
      '0-321.webp',
      '0-99999.webp',
      '0-0.webp',
      '0-320.svg',
      '0-320.png',
      '0-320',
      '00-320.webp',
      '-1-320.webp',
      '7-320.webp',
      '9999-320.webp',
      '0-320.webp.jpg',
      '0-320-blurred-blurred.webp',
      '..%2f..%2fpostgres%2fPG_VERSION',
      '..%2F0-320.webp',
      '0-320.webp%00',
      '%2e%2e',
      '0-320.WEBP',
      '0-3200000000000000000000.webp',
    ])
      assert.equal((await get(at(file))).status, 404, file)
    for (const path of [
      '/images/galgames/0/0-320.webp',
      '/images/galgames/x/0-320.webp',
      '/images/works/1/0-320.webp',
      '/images/galgames/99999999/0-320.webp',
      '/images/..%2f/1/0-320.webp',
    ])
      assert.equal((await get(path)).status, 404, path)
  })

  it('serve guests only the blurred variant of a graded picture, whatever the URL', async () => {
    const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())
    for (const index of [1, 3]) {
      const [plain, blurred, asAdult] = await Promise.all([
        get(at(`${index}-320.webp`)),
        get(at(`${index}-160-blurred.webp`)),
        get(at(`${index}-320.webp`), adult),
      ])
      const [guests, forAll, users] = await Promise.all([
        bytes(plain),
        bytes(blurred),
        bytes(asAdult),
      ])
      assert.deepEqual(guests, forAll)
      assert.notDeepEqual(users, forAll)
      assert.equal((await sharp(users).metadata()).width, 320)
      // Shared caches must keep the two variants apart, and browsers must not mix them up after signing in or out.
      for (const response of [plain, asAdult]) {
        assert.equal(response.headers.get('cache-control'), 'private, no-cache')
        assert.equal(response.headers.get('vary'), 'Cookie')
      }
      assert.match(blurred.headers.get('cache-control') ?? '', /^public/)
    }
  })

  it('serve pictures of adult works only to users who allow adult content', async () => {
    for (const file of ['0-320.webp', '1-160-blurred.webp'])
      assert.equal((await get(at(file, ids.nsfw))).status, 404)
    const response = await get(at('0-320.webp', ids.nsfw), adult)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'private, no-cache')
    const user = { cookie: await signInCookie(service, { nsfw: false }) }
    assert.equal((await get(at('0-320.webp', ids.nsfw), user)).status, 404)
  })

  it('hide covers, volumes and screenshots of adult works from guests', async () => {
    type Ids = { novel: number; novel_volume: number; manga: number; manga_volume: number }
    const { rows } = await sql<Ids>`
      select
        novel.light_novel_id as novel, novel.id as novel_volume, manga.manga_id as manga, manga.id as manga_volume
      from
        (select id, light_novel_id from light_novel_volumes order by id limit 1) novel,
        (select id, manga_id from manga_volumes order by id limit 1) manga`.execute(service.db)
    const [row] = rows
    assert.ok(row)
    const cover = JSON.stringify(media(`${origin.url}/a.jpg`))
    for (const statement of [
      sql`update works set nsfw = true where id in (${row.novel}, ${row.manga})`,
      sql`update galgames set images = jsonb_build_array(${cover}::jsonb) where id = ${ids.nsfw}`,
      sql`update light_novels set covers = jsonb_build_array(${cover}::jsonb) where id = ${row.novel}`,
      sql`update light_novel_volumes set covers = jsonb_build_array(${cover}::jsonb) where id = ${row.novel_volume}`,
      sql`update mangas set covers = jsonb_build_array(${cover}::jsonb) where id = ${row.manga}`,
      sql`update manga_volumes set cover = ${cover}::jsonb where id = ${row.manga_volume}`,
    ])
      await statement.execute(service.db)
    for (const path of [
      `galgames/${ids.nsfw}`,
      `galgame-screenshots/${ids.nsfw}`,
      `light-novels/${row.novel}`,
      `light-novel-volumes/${row.novel_volume}`,
      `mangas/${row.manga}`,
      `manga-volumes/${row.manga_volume}`,
    ]) {
      assert.equal((await get(`/images/${path}/0-320.webp`)).status, 404, path)
      assert.equal((await get(`/images/${path}/0-320.webp`, adult)).status, 200, path)
    }
  })

  it('serve the placeholder if the source has no picture', async () => {
    const response = await get(at('2-320.webp'))
    assert.equal(response.status, 502)
    assert.equal(response.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(await response.text(), /^<svg [^]*<tspan/)
  })

  it('respond to HEAD as they do to GET, but without a body', async () => {
    await get(at('0-160.jpg'))
    const response = await fetch(service.url + at('0-160.jpg'), { method: 'HEAD' })
    assert.equal(response.status, 200)
    assert.ok(Number(response.headers.get('content-length')) > 100)
  })
})
