import assert from 'node:assert/strict'
import { eventually } from '#test/browser.ts'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createUser } from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { findSchemaFaults } from '#test/schema-org.ts'
import { waitForTotals } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { signInCookie } from '#test/signed-in-page.ts'
import { createCollection } from '../../collections/queries.ts'
import { putItem } from '../../collections/items/item-write-queries.ts'
import { LANGUAGES } from '../../i18n/languages.ts'
import { signal } from '../../db/upkeep/signals.ts'
import { saveRating } from '../../ratings/own/queries.ts'

type Ids = Record<
  'clannad' | 'nsfw' | 'novel' | 'manga' | 'person' | 'producer' | 'character',
  number
>

describeOnDatabase('an entry page', (engine) => {
  let service: TestService
  let ids: Ids
  let adult: Record<string, string>

  before(async () => {
    service = await startService({ engine })
    const { rows } = await sql<Ids>`
      select
        (select entry_id from source_records where source = 'vndb' and kind = 'galgame' and external_id = 'v4') as clannad,
        (select min(id) from works where kind = 'galgame' and nsfw) as nsfw,
        (select light_novel_id from light_novel_volumes group by 1 order by count(*) desc, 1 limit 1) as novel,
        (select manga_id from manga_volumes group by 1 order by count(*) desc, 1 limit 1) as manga,
        (select person_id from galgame_character_actors group by 1 order by count(*) desc, 1 limit 1) as person,
        (select producer_id from galgame_producers group by 1 order by count(*) desc, 1 limit 1) as producer,
        (select min(character_id) from galgame_characters) as character`.execute(service.db)
    const [found] = rows
    assert.ok(found)
    ids = found
    await sql`update galgames set spoiler_tags = '[
      {"name": "Major Twist", "likes": 9, "level": 2}, {"name": "Minor Twist", "likes": 8, "level": 1}
    ]' where id = ${ids.clannad}`.execute(service.db)
    adult = { cookie: await signInCookie(service, { nsfw: true }) }
  })
  after(() => service.close())

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(service.url + path, {
      headers: { accept: 'text/html', 'accept-language': 'en', ...headers },
      redirect: 'manual',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  it('collapses tags that are spoilers, unless the user prefers to see them', async () => {
    const shown = (await get(pages().galgame)).text
    const [, open, summary, tags = ''] =
      /<details class="spoiler"( open)?><summary>([^<]*tag[^<]*)<\/summary>(.*?)<\/details>/s.exec(
        shown,
      ) ?? []
    assert.deepEqual([open, summary], [undefined, 'Show 2 spoiler tags'])
    assert.match(tags, />Minor Twist<.*>Major Twist \(major spoiler\)</s)
    // They are no tags of lists.
    assert.equal((await get('/tags/Major%20Twist')).status, 404)
    const cookie = await signInCookie(service, { nsfw: false })
    await sql`update reader_preferences set shows_spoilers = true`.execute(service.db)
    const eager = (await get(pages().galgame, { cookie })).text
    await sql`update reader_preferences set shows_spoilers = false`.execute(service.db)
    assert.match(eager, /<details class="spoiler" open><summary>Show 2 spoiler tags/)
  })

  const pages = () => ({
    galgame: `/galgames/${ids.clannad}`,
    novel: `/light-novels/${ids.novel}`,
    manga: `/mangas/${ids.manga}`,
    person: `/people/${ids.person}`,
    producer: `/producers/${ids.producer}`,
    character: `/characters/${ids.character}`,
    cast: `/galgames/${ids.clannad}/characters`,
    staff: `/galgames/${ids.clannad}/staff`,
    reviews: `/galgames/${ids.clannad}/reviews`,
  })

  it('keeps the link to report its picture in a menu, after the first useful link', async () => {
    await sql`
      update characters set image = ${JSON.stringify({ url: 'https://pictures.example/c.jpg', width: null, height: null, sexual: 0, violence: 0 })}::jsonb
      where id = ${ids.character} and image is null`.execute(service.db)
    for (const path of [pages().galgame, pages().character]) {
      const { text } = await get(path)
      assert.match(
        text,
        /<details class="drop entry-menu">.*?href="\/report\?picture=.*?<\/details>/s,
        path,
      )
      assert.equal(text.match(/href="\/report\?picture=/g)?.length, 1, path)
    }
  })

  it('links to its request in the reference, and for administrators to its fields on the desk', async () => {
    const menu = async (headers = {}) =>
      /<details class="drop entry-menu">.*?<\/details>/s.exec(
        (await get(pages().galgame, headers)).text,
      )?.[0] ?? ''
    const guests = await menu()
    const [, reference = ''] = /href="(\/docs\/[^"#]*)#try"/.exec(guests) ?? []
    const { text } = await get(reference)
    assert.match(text, new RegExp(`id="try-path-id"[^>]* value="${ids.clannad}"`))
    assert.doesNotMatch((await get('/docs/getGalgame?id=%22x')).text, /value="[^"]*x"/)
    assert.doesNotMatch(guests, /\/desk/)
    const cookie = await signInCookie(service, { nsfw: false })
    assert.doesNotMatch(await menu({ cookie }), /\/desk/)
    await sql`update accounts set role = 'ADMIN'`.execute(service.db)
    assert.match(
      await menu({ cookie }),
      new RegExp(`/desk/entries\\?kind=galgame&amp;id=${ids.clannad}"`),
    )
    await sql`update accounts set role = null`.execute(service.db)
  })

  it('shows the score and the facts before the reviews, and these before the staff', async () => {
    const { text } = await get(pages().galgame)
    const places = ['class="entry-list"', 'id="score"', '<h2>Reviews</h2>', '<h2>Staff</h2>'].map(
      (part) => text.indexOf(part),
    )
    assert.ok(!places.includes(-1), String(places))
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
    )
    assert.match(text, /<details class="other-text prices"><summary>Prices \(7\)<\/summary>/)
  })

  it('translates known genres, platforms and link labels, and links platforms to their lists', async () => {
    const english = (await get(pages().galgame)).text
    assert.match(english, /<dt>Genre<\/dt><dd><span>Romance adventure<\/span>/)
    assert.match(english, /<a class="tag" href="\/galgames\?platform=win">Windows<\/a>/)
    const japanese = (await get(pages().galgame, { 'accept-language': 'ja' })).text
    assert.match(japanese, /恋愛アドベンチャー/)
    assert.match(japanese, /<dt>公式サイト<\/dt>/)
    assert.doesNotMatch(japanese, /Official website/)
    assert.match(japanese, /<time datetime="2004-04-28">2004年4月28日<\/time>/)
  })

  it('shows the description in the viewer’s language first, else in the nearest language', async () => {
    const shown = await Promise.all(
      LANGUAGES.map(async (language) => {
        const { text } = await get(pages().galgame, { 'accept-language': language })
        return [language, /<div class="prose"><p lang="([^"]+)">/.exec(text)?.[1]]
      }),
    )
    assert.deepEqual(Object.fromEntries(shown), {
      en: 'en',
      ja: 'ja',
      ko: 'en',
      'zh-Hans': 'zh-Hans',
      'zh-Hant': 'zh-Hans',
    })
  })

  it('names volumes without a title by their number, and shows the month if the day is unknown', async () => {
    await sql`
      update manga_volumes set
        name = null, name_cn = null, publication_date = null, publication_date_text = '2004-03'
      where manga_id = ${ids.manga}`.execute(service.db)
    await signal(service.db, 'catalog')
    await eventually(
      async () => (await get(`${pages().manga}?unnamed`)).text.includes('Mar 2004'),
      'the month on the page',
    )
    const { text } = await get(`${pages().manga}?unnamed`)
    assert.match(text, /<span class="volume-name">Volume 1<\/span>/)
    assert.doesNotMatch(text, /class="volume-number"/)
  })

  it('exists for every kind and section in every language, and loads nothing from other hosts', async () => {
    for (const path of Object.values(pages()))
      for (const language of LANGUAGES) {
        const { status, text, headers } = await get(path, { 'accept-language': language })
        assert.equal(status, 200, path)
        assert.match(text, new RegExp(`<html lang="${language}"`))
        assert.equal(text.match(/<h1\b/g)?.length, 1, path)
        assert.doesNotMatch(text, /\b(?:src|srcset)="https?:/)
        assert.doesNotMatch(
          text,
          / style="|undefined|\[object|NaN|<script(?! src| type="application)/,
        )
        assert.match(headers.get('content-security-policy') ?? '', /img-src 'self' data:;/)
      }
  })

  it('shows titles with their languages, characters with voice actors, staff by role, and tags', async () => {
    const { text } = await get(pages().galgame)
    assert.match(text, /<h1[^>]*>CLANNAD<\/h1>/)
    assert.match(text, /<a href="\/characters\/\d+" lang="en">Furukawa Nagisa<\/a>/)
    assert.match(text, /<a href="\/people\/\d+" lang="ja-Latn">Nakahara Mai<\/a>/)
    assert.match(text, /<dt>Scenario<\/dt>/)
    assert.match(text, /<time datetime="2004-04-28">/)
    assert.match(text, /<a href="\/tags\/Romance">/)
    const chinese = await get(pages().manga, { 'accept-language': 'zh' })
    assert.match(chinese.text, /<h1 lang="zh-Hans">/)
  })

  it('lists each work of a person once, newest first, with its roles, and filters by role', async () => {
    const { text } = await get(pages().person)
    const worksIn = (page: string) =>
      [...page.matchAll(/class="cast-name"><a href="(\/[a-z-]+\/\d+)"/g)].map(([, path]) => path)
    const works = worksIn(text)
    assert.ok(works.length > 1)
    assert.equal(new Set(works).size, works.length)
    assert.match(text, /<span class="tag">Voice actor<\/span>/)
    const years = [...text.matchAll(/class="year number[^"]*">(\d{4})</g)].map(([, year]) =>
      Number(year),
    )
    assert.deepEqual(
      years,
      years.toSorted((a, b) => b - a),
    )
    assert.match(text, /<a href="\/characters\/\d+"/)
    await sql`
      insert into galgame_staff (galgame_id, person_id, role, position)
      select id, ${ids.person}, 'SCENARIO', 999 from galgames join works using (id) where not nsfw order by id limit 1`.execute(
      service.db,
    )
    const scenario = (await get(`${pages().person}?role=SCENARIO`)).text
    assert.match(
      scenario,
      /<a href="\/people\/\d+\?role=SCENARIO" aria-current="true">Scenario<\/a>/,
    )
    assert.match(scenario, /<a href="\/people\/\d+\?role=VOICE">Voice actor<\/a>/)
    assert.equal(worksIn(scenario).length, 1)
    assert.deepEqual(worksIn((await get(`${pages().person}?role=NONE`)).text), [])
  })

  it('redirects from a merged entry to the remaining one, and shows an error page for a missing one', async () => {
    const merged = 900_001
    await sql`insert into merged_entries (kind, id, merged_into) values ('person', ${merged}, ${ids.person})`.execute(
      service.db,
    )
    const { status, headers } = await get(`/people/${merged}`)
    assert.deepEqual([status, headers.get('location')], [301, `/people/${ids.person}`])
    for (const path of [
      '/people/999999999',
      '/galgames/0',
      '/mangas/x',
      `/mangas/${ids.clannad}`,
      '/galgames/999999/staff',
    ]) {
      const missing = await get(path)
      assert.equal(missing.status, 404, path)
      assert.match(missing.text, /<html/)
    }
  })

  it('shows an adult work only to users who allow adult content, and is then never cached', async () => {
    for (const rest of ['', '/characters', '/staff', '/reviews']) {
      const path = `/galgames/${ids.nsfw}${rest}`
      assert.equal((await get(path)).status, 404)
      const adultPage = await get(path, adult)
      assert.equal(adultPage.status, 200)
      assert.match(adultPage.headers.get('cache-control') ?? '', /no-store/)
      assert.equal((await get(path)).status, 404)
    }
  })

  it('shows scores, reviews and collections, collapses spoilers, and adds rel="nofollow" to links in reviews', async () => {
    const { db } = service
    const app = await service.createApp()
    const texts = [
      'See https://example.org/a?b=1&c=2.\n<script>alert(1)</script>',
      'They all die.',
      '',
    ]
    for (const [index, rate_content] of texts.entries()) {
      const user = await createUser(service, `Reader <${index}>`)
      const key = { accountId: user.id, kind: 'galgame', workId: ids.clannad } as const
      const change = { rate: 8 + index, rate_content, is_spoiler: index === 1, rate_music: 9 }
      await saveRating(db, key, app.clientId, change)
    }
    const owner = await createUser(service, 'Curator')
    for (const [name, is_private] of [
      ['Kept for all', false],
      ['Kept for me', true],
    ] as const) {
      const created = await createCollection(db, owner.id, { name, is_private })
      await putItem(
        db,
        { accountId: owner.id, key: created.id },
        { kind: 'galgame', id: ids.clannad },
        undefined,
      )
    }
    await waitForTotals(db)
    const { text } = await get(`${pages().galgame}?fresh`)
    assert.match(text, /<span class="score-big">9\.0<\/span>/)
    // Three scores weigh less than those of a source.
    assert.match(text, /class="entry-score">.*★ 8\.6<.*VNDB · 14,000 votes</)
    assert.match(text, /<table class="histogram">/)
    assert.match(text, /<dt>Music<\/dt>/)
    assert.match(
      text,
      /<a href="https:\/\/example\.org\/a\?b=1&amp;c=2" rel="nofollow ugc noopener">/,
    )
    assert.match(text, /&lt;script&gt;alert/)
    assert.match(text, /<h3>Reader &lt;0&gt;<\/h3>/)
    assert.match(
      text,
      /<details class="spoiler"><summary>[^<]+<\/summary><p>They all die\.<\/p><\/details>/,
    )
    assert.match(text, /Kept for all/)
    assert.doesNotMatch(text, /Kept for me/)
    assert.doesNotMatch(text, /<form class="vote /)
    for (const rate of [9, 9]) {
      const { id: accountId } = await createUser(service)
      await saveRating(db, { accountId, kind: 'galgame', workId: ids.clannad }, app.clientId, {
        rate,
      })
    }
    await waitForTotals(db)
    assert.match(
      (await get(`${pages().galgame}?scored`)).text,
      /class="entry-score">.*★ 9\.0<.*5 ratings</,
    )
    const best = await get(`${pages().reviews}?order=score`)
    assert.ok(best.text.indexOf('They all die') < best.text.indexOf('example.org'))
    assert.match((await get(pages().reviews, adult)).text, /<form class="vote /)
  })

  it('has schema.org metadata and link previews', async () => {
    const types = {
      galgame: 'VideoGame',
      novel: 'BookSeries',
      manga: 'ComicSeries',
      person: 'Person',
      producer: 'Organization',
    }
    for (const [name, type] of Object.entries(types)) {
      // as: a page of this table
      const { text } = await get(`${pages()[name as 'galgame']}?machines`)
      const [, data = '{}'] =
        /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text) ?? []
      // as: JSON of an object
      const parsed = JSON.parse(data) as Record<string, unknown>
      assert.equal(parsed['@type'], type)
      assert.deepEqual(findSchemaFaults(parsed), [])
      assert.match(text, /<meta property="og:title" content="[^"]+">/)
      assert.match(text, /<link rel="canonical" href="[^"?]+">/)
      assert.match(text, /<meta name="description" content="[^"]+">/)
    }
    const { text } = await get(`${pages().galgame}?machines`)
    assert.match(
      text,
      /"aggregateRating":\{"@type":"AggregateRating","ratingValue":9,"ratingCount":5/,
    )
  })
})
