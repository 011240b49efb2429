import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { first } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { statementsOf } from '#test/statements.ts'
import { updateListings } from '#test/update-listings.ts'
import { synonymsOf } from '../../browse/tags/tag-concepts.ts'
import { queryText } from '../../db/query.ts'

type Game = { id: number; year: number | null; tags: string[] }

const idsIn = ({ text }: Visit) =>
  [...text.matchAll(/<li class="entry"><a href="\/galgames\/(\d+)"/g)]
    .map(([, id]) => Number(id))
    .toSorted((a, b) => a - b)
const chosenIn = ({ text }: Visit, name: string) =>
  new RegExp(`<select id="by-${name}".*?</select>`, 's')
    .exec(text)?.[0]
    .match(/<option value="([^"]*)" selected>/)?.[1]
const query = (...pairs: [name: string, value: string][]) =>
  `/galgames?${new URLSearchParams(pairs).toString()}`

describeOnDatabase('the filters of a list', (engine) => {
  let service: TestService
  let guest: PlainBrowser
  let games: Game[]
  /** Two tags that some of the listed games have. Other games have only one of them. */
  const tags = ['Romance', 'Mystery'] as const
  before(async () => {
    service = await startService({ engine, environment: { IMAGES: 'off' } })
    guest = new PlainBrowser(service.url)
    guest.headers['accept-language'] = 'en'
    // The sample has few tags.
    await queryText(
      service.db,
      `update works set tags = case id % 3
         when 0 then '[{"name": "Romance", "likes": 3}, {"name": "Mystery", "likes": 2}]'::jsonb
         when 1 then '[{"name": "恋愛", "likes": 3}]'
         else '[{"name": "Mystery", "likes": 3}]' end
       where kind = 'galgame'`,
      [],
    )
    await updateListings(service.db)
    games = await queryText<Game>(
      service.db,
      `select game.id, extract(year from game.release_date)::integer as year,
         array(select tag_names(work.tags)) as tags
       from galgames game join works work on work.id = game.id
       where not work.nsfw order by game.id`,
      [],
    )
  })
  after(() => service.close())

  const has = (game: Game, tag: string) => {
    const spellings = synonymsOf(tag)
    return game.tags.some((name) => spellings.includes(name))
  }
  const idsOf = (isListed: (game: Game) => boolean) => games.filter(isListed).map(({ id }) => id)
  const listed = async (...pairs: [name: string, value: string][]) =>
    idsIn(await guest.get(query(...pairs)))

  it('list works that have every tag, and none of the excluded ones', async () => {
    const [one, other] = tags
    assert.deepEqual(
      await listed(['tag', one], ['tag', other]),
      idsOf((game) => has(game, one) && has(game, other)),
    )
    assert.deepEqual(
      await listed(['without', one]),
      idsOf((game) => !has(game, one)),
    )
    assert.deepEqual(
      await listed(['tag', one], ['without', other]),
      idsOf((game) => has(game, one) && !has(game, other)),
    )
    assert.deepEqual(await listed(['tag', one], ['without', one]), [])
    assert.deepEqual(
      await listed(['without', 'no such tag']),
      idsOf(() => true),
    )
  })

  it('list works of a range of years, which may be open or reversed', async () => {
    const years = games.flatMap(({ year }) => year ?? []).toSorted((a, b) => a - b)
    const [from = 0, to = 0] = [years[2], years.at(-3)]
    const between = idsOf(({ year }) => year !== null && year >= from && year <= to)
    assert.ok(between.length > 0 && between.length < games.length)
    assert.deepEqual(await listed(['from', String(from)], ['to', String(to)]), between)
    assert.deepEqual(await listed(['from', String(to)], ['to', String(from)]), between)
    assert.deepEqual(
      await listed(['from', String(from)], ['sort', 'date']),
      idsOf(({ year }) => year !== null && year >= from),
    )
    assert.deepEqual(await listed(['to', '1001']), [])
  })

  it('accept earlier URLs, and drop empty parameters', async () => {
    const year = String(first(games.flatMap((game) => game.year ?? [])))
    const page = await guest.get(`/galgames?year=${year}&status=&platform=&tag=`)
    assert.equal(page.url, `${service.url}/galgames?year=${year}`)
    assert.deepEqual(
      idsIn(page),
      idsOf((game) => String(game.year) === year),
    )
    assert.deepEqual([chosenIn(page, 'from'), chosenIn(page, 'to')], [year, year])
    assert.equal((await guest.get('/galgames?status=&sort=')).url, `${service.url}/galgames`)
    const years = [...new Set(games.flatMap((game) => game.year ?? []))].slice(0, 2).map(String)
    assert.deepEqual(
      await listed(...years.map((value): [string, string] => ['year', value])),
      idsOf((game) => years.includes(String(game.year))),
    )
  })

  it('are shown as links, each of which removes its filter', async () => {
    const [one, other] = tags
    const pairs: [string, string][] = [
      ['tag', one],
      ['tag', other],
      ['without', 'x'],
      ['from', '1990'],
      ['to', '2020'],
    ]
    const { text } = await guest.get(query(...pairs))
    const [, chips = ''] = /<ul class="chips active">(.*?)<\/ul>/s.exec(text) ?? []
    const links = [...chips.matchAll(/<li><a href="([^"]*)" aria-label/g)].map(([, href = '']) =>
      new URL(href.replaceAll('&amp;', '&'), service.url).searchParams.toString(),
    )
    const expected = pairs.map((removed) =>
      new URLSearchParams(pairs.filter((pair) => pair !== removed)).toString(),
    )
    assert.deepEqual(links.toSorted(), expected.toSorted())
    assert.match(chips, /aria-label="[^"]*" class="excluded">Without x </)
    assert.equal(chips.split('class="excluded"').length, 2)
    assert.match(chips, />From 1990 </)
    const twice = await guest.get(query(['tag', one], ['tag', one]))
    assert.equal(twice.text.split('aria-label="Remove filter: ').length, 2)
    // The form keeps what it cannot show.
    for (const [name, value] of pairs.slice(0, 3))
      assert.ok(text.includes(`<input type="hidden" name="${name}" value="${value}">`), name)
  })

  it('are rejected with an explanation if they are invalid', async () => {
    for (const path of [
      '/galgames?from=soon',
      '/galgames?to=20040',
      '/galgames?without=%00',
      `/galgames?${Array.from({ length: 21 }, (_, index) => `without=${index}`).join('&')}`,
      '/people?without=x',
      '/characters?from=2004',
    ]) {
      const { status, text } = await guest.get(path)
      assert.equal(status, 422, path)
      assert.match(text, /<h1/, path)
      // NUL is rejected before the parameters are parsed.
      if (path.endsWith('%00')) continue
      const [, name = ''] = /\?(\w+)=/.exec(path) ?? []
      assert.match(text, new RegExp(`<li>${name}(?:\\.\\d+)?: `), path)
    }
  })

  it('take as many statements for many tags as for one, and one more for a range of years', async () => {
    const countOf = async (path: string) => {
      const sent = await statementsOf(async () => assert.equal((await guest.get(path)).status, 200))
      return sent.filter(({ sql }) =>
        /\b(?:from|join) (?:listings|listing_facets|tags)\b/.test(sql),
      ).length
    }
    const [one, other] = tags
    const single = await countOf(query(['tag', one]))
    const many = [
      ['tag', one],
      ['tag', other],
      ['without', 'x'],
    ] satisfies [string, string][]
    assert.ok(single > 0)
    assert.equal(await countOf(query(...many)), single)
    assert.equal(await countOf(query(...many, ['from', '1991'], ['to', '2021'])), single + 1)
  })
})

describeOnDatabase('people, producers and characters in lists', (engine) => {
  let service: TestService
  let guest: PlainBrowser
  before(async () => {
    service = await startService({ engine })
    guest = new PlainBrowser(service.url)
    guest.headers['accept-language'] = 'en'
  })
  after(() => service.close())

  it('have their usual role and their best-known work below the name', async () => {
    const grid = await guest.get('/characters?sort=name&starts=o')
    assert.match(
      grid.text,
      />Okazaki Tomoya<\/span><\/a>\s*<p class="quiet card-text">Main character · <span[^>]*>CLANNAD</,
    )
    const table = await guest.get('/characters?sort=name&starts=o&view=table')
    assert.match(
      table.text,
      />Okazaki Tomoya<\/a>.*?<span class="quiet other">Main character · <span[^>]*>CLANNAD</,
    )
    const { id, title } = first(
      await queryText<{ id: number; title: string }>(
        service.db,
        `select credit.producer_id as id, coalesce(game.en_title, game.romaji_title, game.origin_title) as title
         from galgame_producers credit
         join galgames game on game.id = credit.galgame_id
         join listings listing on listing.kind = 'galgame' and listing.id = game.id
         where not listing.nsfw
         order by listing.popularity desc, game.id limit 1`,
        [],
      ),
    )
    const producers = (await guest.get('/producers')).text
    const card = producers
      .split('<li class="entry">')
      .find((part) => part.startsWith(`<a href="/producers/${id}">`))
    assert.ok(card?.includes(title.replaceAll('&', '&amp;')), card ?? producers)
  })

  it('are never described by a work that the viewer may not see', async () => {
    const works = await queryText<{ title: string }>(
      service.db,
      `select coalesce(game.en_title, game.romaji_title, game.origin_title) as title
       from galgames game join works work on work.id = game.id
       where work.nsfw and char_length(game.origin_title) > 4`,
      [],
    )
    assert.ok(works.length > 0)
    for (const path of ['/people', '/producers', '/characters'])
      for (const page of [1, 2, 3]) {
        const { text } = await guest.get(`${path}?view=table&page=${page}`)
        assert.deepEqual(
          works.filter(({ title }) => text.includes(`>${title}</span>`)),
          [],
          path,
        )
      }
  })

  it('can be filtered by their role in a work that the viewer may see', async () => {
    const expected = await queryText<{ id: number }>(
      service.db,
      `select distinct credit.person_id as id
       from galgame_character_actors credit join works work on work.id = credit.galgame_id
       where not work.nsfw`,
      [],
    )
    const found = new Set<number>()
    for (let page = 1; found.size < expected.length && page < 20; page += 1) {
      const { text } = await guest.get(`/people?role=VOICE&view=table&page=${page}`)
      for (const [, id] of text.matchAll(/<td><a href="\/people\/(\d+)"/g)) found.add(Number(id))
      assert.match(text, new RegExp(`>${expected.length} entries<`))
    }
    assert.deepEqual([...found].toSorted(), expected.map(({ id }) => id).toSorted())
    const page = await guest.get('/people?role=VOICE')
    assert.equal(chosenIn(page, 'role'), 'VOICE')
    assert.match(page.text, /Remove filter: Voice actor/)
    for (const path of ['/people?role=COOK', '/people?role=%00', '/galgames?role=VOICE'])
      assert.equal((await guest.get(path)).status, 422, path)
  })

  it('are shown as pictures only if some have one', async () => {
    const hasViews = async (path: string) => (await guest.get(path)).text.includes('chips views')
    assert.equal(await hasViews('/galgames'), true)
    await queryText(service.db, 'update people set image = null', [])
    assert.equal(await hasViews('/people?sort=changed'), false)
  })
})

describe('the filters of a list in a real browser', { skip: chromiumMissing() }, () => {
  let service: TestService
  let browser: TestBrowser
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    browser = await shareChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const search = (page: Page) => new URL(page.url()).search

  for (const width of [360, 1_280])
    it(`apply when one changes and return the focus to it, at ${width} px`, async () => {
      const page = await browser.newPage({ locale: 'en-GB', viewport: { width, height: 900 } })
      await page.goto(`${service.url}/galgames?tag=Romance`)
      if (width < 1_024) await page.click('.filters summary')
      await page.selectOption('#by-status', 'RELEASED')
      await page.waitForURL('**/galgames?tag=Romance&status=RELEASED')
      await page.waitForFunction(`document.activeElement.id === 'by-status'`)
      assert.equal(await page.locator('#by-status').isVisible(), true)
      assert.equal(await page.locator('.filters button').isVisible(), false)
      await page.fill('#by-without', 'Family')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/galgames?tag=Romance&status=RELEASED&without=Family')
      await page.click('.chips.active a:has-text("Romance")')
      await page.waitForURL('**/galgames?status=RELEASED&without=Family')
      await page.context().close()
    })

  it('apply with a button without scripts', async () => {
    const page = await browser.newPage({ locale: 'en-GB', javaScriptEnabled: false })
    await page.goto(`${service.url}/galgames`)
    await page.selectOption('#by-from', '2004')
    await page.fill('#by-tag', 'Romance')
    await page.click('.filters button')
    assert.equal(search(page), '?from=2004&tag=Romance')
    await page.context().close()
  })
})
