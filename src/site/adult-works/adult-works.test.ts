import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { savePreferences } from '../../accounts/preferences/queries.ts'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { createCollectionOwner } from '#test/collections.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { queryText } from '../../db/query.ts'

const mainOf = ({ text }: Visit) => /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? ''
const hiddenIn = (page: Visit) =>
  Number(/(\d+) adult works? (?:is|are) hidden\./.exec(mainOf(page))?.[1] ?? 0)
/** Replaces the ID of a galgame, so that pages of different entries can be compared. */
const withoutId = (page: Visit, id: number) => page.text.replaceAll(`galgames/${id}`, 'galgames/ID')

describe('adult works on pages', () => {
  const services = new Map<'hidden' | 'blurred', TestService>()
  let game: { id: number; origin_title: string; en_title: string }
  let amounts: Record<(typeof WORK_KINDS)[number], number[]>
  before(async () => {
    for (const mode of ['hidden', 'blurred'] as const)
      services.set(mode, await startService({ environment: { ADULT_WORKS: mode } }))
    const { db } = serviceOf('hidden')
    amounts = await sampleWorks(db, true)
    game = first(
      await queryText<typeof game>(
        db,
        `select game.id, game.origin_title, game.en_title from galgames game
         join works work on work.id = game.id
         where work.nsfw and game.en_title ~ '^[A-Za-z]{4,}$'
         order by game.id limit 1`,
        [],
      ),
    )
    // The sample has no covers of adult works. The added one has no grade.
    for (const { db: each } of services.values())
      await queryText(
        each,
        `update galgames
         set covers = '[{"url": "https://lain.bgm.tv/pic/cover/l/adult.jpg", "width": null, "height": null, "sexual": 0, "violence": 0, "votes": 0}]'
         where id = $1`,
        [game.id],
      )
  })
  after(async () => {
    for (const service of services.values()) await service.close()
  })

  function serviceOf(mode: 'hidden' | 'blurred'): TestService {
    const service = services.get(mode)
    assert.ok(service)
    return service
  }
  const guestOf = (mode: 'hidden' | 'blurred') => {
    const browser = new PlainBrowser(serviceOf(mode).url)
    browser.headers['accept-language'] = 'en'
    return browser
  }
  async function userOf(mode: 'hidden' | 'blurred', allows: boolean) {
    const service = serviceOf(mode)
    const user = await createUser(service)
    await savePreferences(service.db, user.id, allows)
    const browser = await signedInBrowser(service, user)
    browser.headers['accept-language'] = 'en'
    return browser
  }

  it('are counted where they are hidden, with a way to show them', async () => {
    const guest = guestOf('hidden')
    const total = WORK_KINDS.reduce((sum, kind) => sum + amounts[kind].length, 0)
    assert.ok(total > 0)
    for (const path of ['/', '/tags']) assert.equal(hiddenIn(await guest.get(path)), total, path)
    for (const kind of WORK_KINDS) {
      const path = `/${KINDS[kind].path}`
      assert.equal(hiddenIn(await guest.get(path)), amounts[kind].length, path)
      assert.equal(hiddenIn(await guest.get(`${path}?view=table`)), amounts[kind].length, path)
    }
    const list = await guest.get('/galgames')
    assert.match(mainOf(list), /<a href="\/galgames\?view=table">/)
    assert.match(mainOf(list), /<details class="filters /)
    assert.match(mainOf(list), /<a href="\/account\/preferences">Sign in to show them</)
    const user = await userOf('hidden', false)
    const own = await user.get('/galgames')
    assert.equal(hiddenIn(own), amounts.galgame.length)
    assert.match(mainOf(own), /<a href="\/account\/preferences">Change this in your preferences</)
    const adult = await (await userOf('hidden', true)).get('/galgames')
    assert.equal(hiddenIn(adult), 0)
  })

  it('are not counted for filters, tags and entries, because the counts would reveal them', async () => {
    const { db } = serviceOf('hidden')
    const guest = guestOf('hidden')
    const producers = await queryText<{ id: number; amount: number }>(
      db,
      `select producer.id, count(work.id)::integer as amount
       from producers producer
       left join galgame_producers credit on credit.producer_id = producer.id
       left join works work on work.id = credit.galgame_id and work.nsfw
       group by 1 order by 2 desc, 1`,
      [],
    )
    const [some, none] = [first(producers), first(producers.toReversed())]
    assert.ok(some.amount > 0 && none.amount === 0)
    const [tag] = await queryText<{ name: string }>(
      db,
      `select tag.name
       from tags tag join tag_listings listing on listing.tag_id = tag.id
       where listing.everybody > 0 and listing.total > listing.everybody order by 1 limit 1`,
      [],
    )
    for (const path of [
      ...[some, none].flatMap(({ id }) => [`/producers/${id}`, `/galgames?producer=${id}`]),
      '/galgames?from=1990',
      '/galgames?without=x',
      ...(tag ? [`/tags/${encodeURIComponent(tag.name)}`] : []),
    ]) {
      const page = await guest.get(path)
      assert.equal(hiddenIn(page), 0, path)
      assert.match(mainOf(page), /Adult works are hidden, so some results may be missing/, path)
    }
  })

  it('are counted in a public collection, except for its owner', async () => {
    const service = serviceOf('hidden')
    const owner = await createCollectionOwner(service)
    const { id } = await owner.create({ name: 'Both', is_private: false })
    const safe = first((await sampleWorks(service.db)).galgame)
    for (const work of [safe, game.id])
      assert.ok((await owner.put(id, `galgames/${work}`)).status < 300)
    assert.equal(hiddenIn(await guestOf('hidden').get(`/collections/${id}`)), 1)
    const browser = await signedInBrowser(service, owner.user)
    browser.headers['accept-language'] = 'en'
    assert.equal(hiddenIn(await browser.get(`/collections/${id}`)), 0)
  })

  it('are counted by a search for a whole name, and never named', async () => {
    const guest = guestOf('hidden')
    const search = (q: string, path = '/search') =>
      guest.get(`${path}?${new URLSearchParams({ q }).toString()}`)
    const { id, en_title: title } = game
    for (const path of ['/search', '/search/instant']) {
      const page = await guest.get(`${path}?${new URLSearchParams({ q: title }).toString()}`)
      assert.match(page.text, /adult works? (?:is|are) hidden\./, path)
      assert.doesNotMatch(page.text, new RegExp(`/galgames/${id}\\b`), path)
    }
    assert.ok(hiddenIn(await search(title)) >= 1)
    assert.ok(hiddenIn(await search(game.origin_title)) >= 1)
    // Otherwise, the count would reveal a title letter by letter.
    const part = await search(title.slice(0, -1))
    assert.equal(hiddenIn(part), 0)
    const unknown = await search('zzqzzq')
    assert.match(mainOf(unknown), /Adult works are hidden, so some results may be missing/)
    const adult = await userOf('hidden', true)
    assert.doesNotMatch(mainOf(await adult.get('/search?q=zzqzzq')), /hidden/)
  })

  it('have the same page as missing ones', async () => {
    for (const browser of [guestOf('hidden'), await userOf('hidden', false)]) {
      const hidden = await browser.get(`/galgames/${game.id}`)
      const missing = await browser.get('/galgames/99999')
      assert.equal(hidden.status, 404)
      assert.equal(missing.status, 404)
      assert.equal(withoutId(hidden, game.id), withoutId(missing, 99_999))
      assert.match(
        mainOf(hidden),
        /doesn’t exist, or it’s about an adult work that your settings hide/,
      )
    }
    const adult = await userOf('hidden', true)
    assert.equal((await adult.get(`/galgames/${game.id}`)).status, 200)
    const missing = await adult.get('/galgames/99999')
    assert.doesNotMatch(mainOf(missing), /adult work/)
    assert.equal((await guestOf('blurred').get('/galgames/99999')).status, 404)
  })

  it('have a page with the title, a blurred cover and a hint on how to see the rest if the operator allows it', async () => {
    const { db } = serviceOf('blurred')
    await queryText(
      db,
      `update works set tags = '[{"name": "Adult Tag", "likes": 9}]' where id = $1`,
      [game.id],
    )
    await queryText(
      db,
      `update galgames
       set en_intro = 'What happens in it.', origin_intro = 'What happens.', images = covers, homepage = 'https://adult.example/'
       where id = $1`,
      [game.id],
    )
    const path = `/galgames/${game.id}`
    for (const browser of [guestOf('blurred'), await userOf('blurred', false)]) {
      const page = await browser.get(path)
      assert.equal(page.status, 200)
      const main = mainOf(page)
      assert.match(main, new RegExp(`<h1[^>]*>${game.en_title}<`))
      assert.match(main, /Adult works are hidden, except for their titles and blurred covers/)
      assert.match(main, /<a href="\/account\/preferences">/)
      assert.match(page.text, /<meta name="robots" content="noindex">/)
      const covers = [...page.text.matchAll(/\/images\/[^" ]+/g)].map(([url]) => url)
      assert.ok(covers.length > 0)
      assert.deepEqual(
        covers.filter((url) => !/\/0-160-blurred\./.test(url)),
        [],
      )
      assert.doesNotMatch(
        page.text,
        /What happens|Adult Tag|adult\.jpg|adult\.example|ld\+json|og:image|\/report\?/,
      )
      for (const part of ['characters', 'staff', 'reviews'])
        assert.equal((await browser.get(`${path}/${part}`)).url, page.url, part)
    }
    const whole = await (await userOf('blurred', true)).get(path)
    assert.match(whole.text, /What happens in it/)
    assert.doesNotMatch(whole.text, /noindex/)
  })

  it('are listed with blurred covers where the operator allows it', async () => {
    const link = `/galgames/${game.id}"`
    for (const browser of [guestOf('blurred'), await userOf('blurred', false)])
      for (const path of [
        '/galgames',
        '/galgames?view=table',
        `/search?q=${game.en_title}`,
        `/search/instant?q=${game.en_title}`,
      ]) {
        const { text } = await browser.get(path)
        assert.ok(text.includes(link), path)
        assert.match(text, /class="adult"/, path)
        const covers = [
          ...text.matchAll(new RegExp(`/images/[a-z-]+/${game.id}/0-\\d+([^.]*)\\.`, 'g')),
        ]
        assert.ok(
          covers.every(([, variant]) => variant === '-blurred'),
          path,
        )
        assert.ok(path.includes('table') || covers.length > 0, path)
        assert.doesNotMatch(text, /adult works? (?:is|are) hidden/, path)
      }
    const adult = await (await userOf('blurred', true)).get('/galgames')
    assert.ok(adult.text.includes(link))
    assert.ok(!(await guestOf('hidden').get('/galgames')).text.includes(link))
  })

  it('have a picture for guests only if it is the blurred cover of a listed work', async () => {
    const statusOf = async (mode: 'hidden' | 'blurred', file: string, kind = 'galgames') =>
      (await fetch(`${serviceOf(mode).url}/images/${kind}/${game.id}/${file}`)).status
    assert.equal(await statusOf('hidden', '0-160-blurred.jpg'), 404)
    assert.equal(await statusOf('blurred', '0-160.jpg'), 404)
    // The source cannot be reached: the picture is allowed, and its fallback is sent.
    assert.notEqual(await statusOf('blurred', '0-160-blurred.jpg'), 404)
  })
})
