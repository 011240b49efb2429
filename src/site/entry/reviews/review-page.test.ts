import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { createUser, signedInAs, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { createAccounts, waitForTotals, writeRating, type Work } from '#test/ratings.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { banAccount } from '../../../accounts/ban-queries.ts'
import { savePreferences } from '../../../accounts/preferences/queries.ts'
import { hideSubject } from '../../../moderation/hide-queries.ts'
import { findSubject } from '../../../moderation/subject-queries.ts'
import { changeProgress } from '../../../ratings/progress/queries.ts'

const TEXT = 'The last chapter repays the first.'

describe('the page of a review', () => {
  let service: TestService
  let origin: PictureOrigin
  let guest: PlainBrowser
  let author: TestUser
  let novel: Work
  let adult: Work
  let review: number
  let ofAdultWork: number
  before(async () => {
    origin = await startPictureOrigin()
    service = await startService({ environment: { IMAGE_ORIGINS: origin.url } })
    const { db } = service
    const url = origin.show('/a.jpg', await makeTestPicture())
    const covers = [{ url, width: 400, height: 600, sexual: 0, violence: 0, votes: 1 }]
    for (const table of ['light_novels', 'galgames'])
      await sql`update ${sql.table(table)} set covers = ${JSON.stringify(covers)}::jsonb`.execute(
        db,
      )
    novel = { kind: 'light_novel', id: first((await sampleWorks(db)).light_novel) }
    adult = { kind: 'galgame', id: first((await sampleWorks(db, true)).galgame) }
    author = await createUser(service, 'Kotomi')
    const written = { status: 'COMPLETED', rate: 7.5, rate_content: TEXT } as const
    review = (await writeRating(db, author.id, novel, written)).id
    ofAdultWork = (await writeRating(db, author.id, adult, written)).id
    guest = new PlainBrowser(service.url)
  })
  after(async () => {
    await service?.close()
    await origin?.close()
  })

  const path = () => `/light-novels/${novel.id}/reviews/${review}`
  const card = (id = review) => `/images/cards/light-novels/${novel.id}/${id}.jpg`
  const adultPath = () => `/galgames/${adult.id}/reviews/${ofAdultWork}`
  const get = (target: string) => fetch(service.url + target, { redirect: 'manual' })
  const statuses = async (...targets: string[]) =>
    Promise.all(targets.map(async (target) => (await get(target)).status))

  it('shows the review with its work, author, score and votes, and has its own link preview', async () => {
    const { text, status } = await guest.get(path())
    assert.equal(status, 200)
    assert.match(
      text,
      /<h1[^>]*>[^<]+<\/h1>.*<h2>Review by Kotomi<\/h2>.*★ 7\.5.*The last chapter/s,
    )
    assert.match(
      text,
      new RegExp(`<a href="/light-novels/${novel.id}/reviews">Reviews: show all 1`),
    )
    assert.match(text, new RegExp(`href="/report\\?review=${review}"`))
    assert.match(text, new RegExp(`<link rel="canonical" href="${service.url}${path()}">`))
    assert.match(text, /<meta name="robots" content="noindex">/)
    assert.match(text, /<meta property="og:title" content="[^"]+: Review by Kotomi">/)
    assert.match(text, new RegExp(`<meta property="og:description" content="${TEXT}">`))
    assert.match(text, new RegExp(`og:image" content="${service.url}${card()}"`))

    const voter = await signedInBrowser(service, await createUser(service, 'Voter'))
    voter.headers['referer'] = service.url + path()
    const voted = await voter.press(await voter.get(path()), `/reviews/${review}/vote`, {
      vote: 'LIKE',
    })
    assert.equal(new URL(voted.url).pathname, path())
    await waitForTotals(service.db)
    assert.match((await voter.get(path())).text, /Helpful: 1 · Not helpful: 0/)
  })

  it('is linked from the lists that contain the review', async () => {
    for (const list of [
      `/light-novels/${novel.id}`,
      `/light-novels/${novel.id}/reviews`,
      '/reviews',
    ])
      assert.match((await guest.get(list)).text, new RegExp(`<a href="${path()}"><time`), list)
  })

  it('has a link preview with the cover and the score', async () => {
    const stars = async () => {
      const response = await get(card())
      assert.equal(response.headers.get('content-type'), 'image/jpeg')
      const { data, info } = await sharp(await response.arrayBuffer())
        .raw()
        .toBuffer({ resolveWithObject: true })
      assert.deepEqual([info.width, info.height], [1_200, 630])
      // Yellow pixels in the middle of the stars, to the right of the cover.
      const row = data.subarray((info.width * 315 + 550) * 3, info.width * 316 * 3)
      let filled = 0
      for (let at = 0; at < row.length; at += 3)
        if ((row[at] ?? 0) > 220 && (row[at + 2] ?? 255) < 130) filled += 1
      return filled
    }
    const seven = await stars()
    await writeRating(service.db, author.id, novel, { rate: 3 })
    const three = await stars()
    await writeRating(service.db, author.id, novel, { rate: 7.5 })
    assert.ok(three > 50 && seven > 2 * three, `${three} ${seven}`)
  })

  it('keeps the text of a spoiler out of link previews', async () => {
    await writeRating(service.db, author.id, novel, { is_spoiler: true })
    const { text } = await new PlainBrowser(service.url).get(`${path()}?spoiler`)
    assert.match(text, /<details class="spoiler"><summary>[^<]*<\/summary><p>The last chapter/)
    assert.doesNotMatch(/<head>.*<\/head>/s.exec(text)?.[0] ?? TEXT, /The last chapter/)
    await writeRating(service.db, author.id, novel, { is_spoiler: false })
  })

  it('does not exist for another work, or for ids that name no review', async () => {
    const [other = 0] = (await sampleWorks(service.db)).manga
    const ids = [0, 999_999_999, '99999999999999999999', 'x', `${review}.5`, '%00']
    for (const target of [
      `/mangas/${other}/reviews/${review}`,
      `/images/cards/mangas/${other}/${review}.jpg`,
      ...ids.map((id) => `/light-novels/${novel.id}/reviews/${id}`),
      ...ids.map((id) => `/images/cards/light-novels/${novel.id}/${id}.jpg`),
    ]) {
      const { status } = await get(target)
      assert.ok(status === 404 || status === 422 || status === 400, `${target}: ${status}`)
    }
  })

  it('shows a review of an adult work only to viewers who allow them', async () => {
    const preview = `/images/cards/galgames/${adult.id}/${ofAdultWork}.jpg`
    assert.deepEqual(await statuses(adultPath(), preview), [404, 404])
    const user = await createUser(service)
    const browser = await signedInBrowser(service, user)
    assert.equal((await browser.get(adultPath())).status, 404)
    await savePreferences(service.db, user.id, true)
    assert.match((await browser.get(adultPath())).text, new RegExp(TEXT))
    assert.equal((await get(preview)).status, 404, 'link previews are for everyone')
  })

  it('shows neither private notes nor a review that is private, hidden, or of a banned user', async () => {
    const { db } = service
    const stranger = await signedInBrowser(service, await createUser(service, 'Stranger'))
    const all = async (page = path(), preview = card()) => [
      (await guest.get(`${page}?${Math.random()}`)).status,
      (await stranger.get(page)).status,
      (await get(preview)).status,
    ]
    const [missing, shown] = [
      [404, 404, 404],
      [200, 200, 200],
    ]
    await changeProgress(
      db,
      { accountId: author.id, kind: novel.kind, workId: novel.id },
      null,
      () => ({ private_note: 'Lent to a friend.' }),
    )
    assert.deepEqual(await all(), shown)
    assert.doesNotMatch((await stranger.get(path())).text, /Lent to a friend/)

    await writeRating(db, author.id, novel, { status_private: true })
    assert.deepEqual(await all(), missing)
    await writeRating(db, author.id, novel, { status_private: false })
    assert.deepEqual(await all(), shown)

    const [moderator = 0] = await createAccounts(db, 1)
    const advertiser = await createUser(service, 'Advertiser')
    const hidden = await writeRating(db, advertiser.id, novel, { rate_content: 'Advertising.' })
    const hiddenPath = `/light-novels/${novel.id}/reviews/${hidden.id}`
    const hiddenCard = card(hidden.id)
    assert.deepEqual(await all(hiddenPath, hiddenCard), shown)
    const subject = await findSubject(db, { kind: 'REVIEW', id: hidden.id })
    assert.equal(subject?.place, hiddenPath)
    await hideSubject(db, subject, { reason: 'SPAM', note: '' }, { actorId: moderator })
    assert.deepEqual(await all(hiddenPath, hiddenCard), missing)
    const desk = await (await signedInAs(service, 'ADMIN')).browser.get(hiddenPath)
    assert.match(new URL(desk.url).pathname, /^\/desk\/hidden\/\d+$/)
    assert.equal((await (await signedInAs(service, null)).browser.get(hiddenPath)).status, 404)
    const own = await signedInBrowser(service, advertiser)
    const [, place = ''] = /<h3>[^<]*<a href="([^"]*)"/.exec((await own.get('/reports')).text) ?? []
    assert.equal((await own.get(place)).status, 200, 'the place in the list of hidden content')

    await writeRating(db, author.id, novel, { rate_content: '' })
    assert.deepEqual(await all(), missing, 'a rating without a text')
    await writeRating(db, author.id, novel, { rate_content: TEXT })
    await banAccount(db, author.id, 'spam')
    assert.deepEqual(await all(), missing)
  })
})
