import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { addAccount } from '#test/accounts.ts'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { writeRating } from '#test/ratings.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { getProfileSettings, saveProfileSettings } from '../../../profiles/queries.ts'

const PASSWORD = 'a long enough one'

describe('the link preview of a profile', () => {
  let service: TestService
  let origin: PictureOrigin
  let account: number
  before(async () => {
    origin = await startPictureOrigin()
    service = await startService({ environment: { IMAGE_ORIGINS: origin.url } })
    const { db } = service
    const url = origin.show('/a.jpg', await makeTestPicture())
    const covers = (sexual: number) =>
      JSON.stringify([
        { url: `${url}?${sexual}`, width: 400, height: 600, sexual, violence: 0, votes: 1 },
      ])
    for (const sexual of [0, 1]) origin.show(`/a.jpg?${sexual}`, await makeTestPicture())
    const novels = (await sampleWorks(db)).light_novel
    const manga = first((await sampleWorks(db)).manga)
    const adult = first((await sampleWorks(db, true)).galgame)
    await sql`update light_novels set covers = ${covers(0)}::jsonb`.execute(db)
    await sql`update mangas set covers = ${covers(1)}::jsonb`.execute(db)
    await sql`update galgames set covers = ${covers(0)}::jsonb`.execute(db)
    account = await addAccount(db, {
      email: 'kotomi@example.com',
      name: 'Kotomi',
      password: PASSWORD,
    })
    await writeRating(
      db,
      account,
      { kind: 'light_novel', id: first(novels) },
      { status: 'COMPLETED' },
    )
    await writeRating(db, account, { kind: 'galgame', id: adult }, { status: 'COMPLETED' })
    await writeRating(
      db,
      account,
      { kind: 'manga', id: manga },
      { status: 'GOING', rate: 8, rate_content: 'Graded.' },
    )
    await publish({ shows_list: true, shows_reviews: true })
  })
  after(async () => {
    await service?.close()
    await origin?.close()
  })

  const publish = async (change: object) =>
    saveProfileSettings(service.db, account, {
      ...(await getProfileSettings(service.db, account)),
      is_shown: true,
      ...change,
    })
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers, redirect: 'manual' })

  /** Whether a picture has the sharp edge of the test picture. */
  async function hasEdge(bytes: Buffer): Promise<boolean> {
    const { data, info } = await sharp(bytes)
      .grayscale()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const row = data.subarray(info.width * 315, info.width * 316)
    return row.some((value, index) => Math.abs(value - (row[index + 4] ?? value)) > 100)
  }

  it('shows covers that guests see, graded ones blurred', async () => {
    const page = await (await get(`/u/${account}`, { accept: 'text/html' })).text()
    const [, image = ''] = /<meta property="og:image" content="([^"]+)"/.exec(page) ?? []
    assert.equal(image, `${service.url}/images/cards/${account}/list.jpg`)
    assert.match(page, /<meta property="og:title" content="Kotomi">/)
    const response = await get(new URL(image).pathname)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'image/jpeg')
    const card = Buffer.from(await response.arrayBuffer())
    const { width, height } = await sharp(card).metadata()
    assert.deepEqual([width, height], [1_200, 630])
    assert.equal(await hasEdge(card), true, 'the cover of the light novel')
    const etag = response.headers.get('etag') ?? ''
    assert.equal((await get(new URL(image).pathname, { 'if-none-match': etag })).status, 304)

    const reviews = await (await get(`/u/${account}/reviews`, { accept: 'text/html' })).text()
    assert.match(reviews, /og:image" content="[^"]+\/reviews\.jpg"/)
    const reviewed = await get(`/images/cards/${account}/reviews.jpg`)
    const blurred = Buffer.from(await reviewed.arrayBuffer())
    assert.equal((await sharp(blurred).metadata()).width, 1_200)
    assert.equal(await hasEdge(blurred), false, 'only the graded cover of the manga')
  })

  it('is missing if the part or the profile is not published', async () => {
    await publish({ shows_list: false })
    assert.equal((await get(`/images/cards/${account}/list.jpg`)).status, 404)
    await publish({ is_shown: false })
    assert.equal((await get(`/images/cards/${account}/reviews.jpg`)).status, 404)
    await publish({ shows_list: true })
    for (const path of [
      `${account}/x.jpg`,
      '0/list.jpg',
      'x/list.jpg',
      '99999999999999999999/list.jpg',
    ])
      assert.equal((await get(`/images/cards/${path}`)).status, 404, path)
  })

  it('is the general one while there is no cover to show', async () => {
    const id = await addAccount(service.db, {
      email: 'fuko@example.com',
      name: 'Fuko',
      password: PASSWORD,
    })
    await saveProfileSettings(service.db, id, {
      ...(await getProfileSettings(service.db, id)),
      is_shown: true,
      shows_list: true,
    })
    const response = await get(`/images/cards/${id}/list.jpg`)
    assert.equal(response.status, 302)
    assert.equal(response.headers.get('location'), '/assets/share.png')
  })
})
