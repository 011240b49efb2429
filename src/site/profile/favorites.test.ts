import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { writeRating } from '#test/ratings.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { savePreferences } from '../../accounts/preferences/queries.ts'
import { exportAccount } from '../../accounts/profile/export.ts'
import { queryText } from '../../db/query.ts'
import { listFavoriteKeys, saveFavorites } from '../../profiles/favorite-queries.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'

const PATH = '/library/profile/favorites'

describeOnDatabase('favorites on a profile', (engine) => {
  let service: TestService
  let user: TestUser
  let browser: PlainBrowser
  let guest: PlainBrowser
  let novels: number[]
  let adult: number
  before(async () => {
    service = await shareService(engine)
    novels = (await sampleWorks(service.db)).light_novel
    adult = first((await sampleWorks(service.db, true)).galgame)
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
    guest = new PlainBrowser(service.url)
    await saveProfileSettings(service.db, user.id, (stored) => ({ ...stored, is_shown: true }))
  })
  after(() => service.close())

  async function choose(...texts: string[]) {
    const page = await browser.get('/library/profile')
    const form = page.forms.find(({ action }) => action === PATH)
    const filled = Object.fromEntries(
      [1, 2, 3, 4].map((place) => [`favorite-${place}`, texts[place - 1] ?? '']),
    )
    return browser.submit(page, filled, form)
  }
  const shownTo = async (viewer: PlainBrowser) =>
    [
      ...(await viewer.get(`/u/${user.id}`)).text.matchAll(/<li class="entry"><a href="([^"]*)"/g),
    ].map(([, path]) => path)
  const novelPath = (index: number) => `/light-novels/${novels[index]}`

  it('are up to four works in the chosen order, given by their addresses', async () => {
    const [one, two] = [novelPath(0), novelPath(1)]
    const saved = await choose(two, '', `${service.url}${one}/reviews?page=1`, ` ${two} `)
    assert.equal(saved.status, 200)
    assert.deepEqual(await shownTo(guest), [two, one])
    const page = await browser.get('/library/profile')
    assert.match(page.text, new RegExp(`name="favorite-1" value="${two}"`))
    assert.equal((await guest.get('/library/profile')).url.endsWith('/sign-in'), true)
    const forged = await browser.post(PATH, { 'favorite-1': one })
    assert.equal(forged.status, 403)
  })

  it('are suggested from the list of the user, best rated first', async () => {
    const { db } = service
    for (const [index, rate] of [7, 9].entries())
      await writeRating(db, user.id, { kind: 'light_novel', id: novels[index] ?? 0 }, { rate })
    const { text } = await browser.get('/library/profile')
    const options = [...text.matchAll(/<option value="([^"]*)">/g)].map(([, path]) => path)
    assert.deepEqual(options, [novelPath(1), novelPath(0)])
  })

  it('are rejected, keeping the input, if an address is not that of a visible work', async () => {
    const before = await shownTo(guest)
    for (const text of [
      'CLANNAD',
      '/galgames/0',
      '/galgames/999999',
      `/mangas/${novels[0]}`,
      `https://elsewhere.example${novelPath(0)}`,
      `/galgames/${adult}`,
      '//',
      'http://[',
      '9'.repeat(400),
      `"><script>alert(1)</script>`,
    ]) {
      const refused = await choose(novelPath(2), text)
      assert.equal(refused.status, 422, text)
      assert.match(refused.text, /id="favorite-2-error"/, text)
      assert.doesNotMatch(refused.text, /<script>alert|id="favorite-1-error"/)
    }
    assert.deepEqual(await shownTo(guest), before)
  })

  it('show adult works only to viewers who allow adult content, and stay when their owner does not', async () => {
    const { db } = service
    await savePreferences(db, user.id, true)
    const path = `/galgames/${adult}`
    assert.equal((await choose(path, novelPath(0))).status, 200)
    assert.deepEqual(await shownTo(browser), [path, novelPath(0)])
    assert.deepEqual(await shownTo(guest), [novelPath(0)])
    await savePreferences(db, user.id, false)
    assert.deepEqual(await shownTo(browser), [novelPath(0)])
    assert.equal((await choose(path, novelPath(1))).status, 200)
    assert.deepEqual(await shownTo(guest), [novelPath(1)])
  })

  it('come from a single request after concurrent saves, and are deleted with the account', async () => {
    const { db } = service
    const sets = [novels.slice(0, 4), novels.slice(4, 7)]
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(sets.map((ids) => saveFavorites(db, user.id, ids)))
      const stored = (await listFavoriteKeys(db, user.id, true)).map(({ id }) => id)
      assert.ok(
        sets.some((ids) => ids.join() === stored.join()),
        stored.join(),
      )
    }
    const exported = await exportAccount(db, user.id)
    assert.ok([3, 4].includes(exported?.favorites.length ?? 0))
    await deleteAccount(db, user.id)
    assert.deepEqual(
      await queryText(db, 'select from favorites where account_id = $1', [user.id]),
      [],
    )
  })
})
