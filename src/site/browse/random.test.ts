import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { writeRating } from '#test/ratings.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { signInCookie } from '#test/signed-in-page.ts'
import { startService, type TestService } from '#test/service.ts'
import { findRandomEntry } from '../../browse/random-queries.ts'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import { entryPath } from '../components/entry-path.ts'

const DRAWS = 30

describeOnDatabase('a random pick', (engine) => {
  let service: TestService
  let adult: Set<string>
  before(async () => {
    service = await startService({ engine })
    const { galgame } = await sampleWorks(service.db, true)
    adult = new Set(galgame.map((id) => entryPath('galgame', id)))
  })
  after(() => service?.close())

  async function draw(path: string, cookie = ''): Promise<string> {
    const response = await fetch(service.url + path, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie !== '' && { cookie }) },
    })
    assert.equal(response.status, 303, path)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    return response.headers.get('location') ?? ''
  }
  const drawMany = async (path: string, cookie = '') =>
    new Set(await Promise.all(Array.from({ length: DRAWS }, () => draw(path, cookie))))

  it('leads to different works of all kinds or one, without adult works', async () => {
    for (const path of ['/random', ...WORK_KINDS.map((kind) => `/random/${KINDS[kind].path}`)]) {
      const drawn = await drawMany(path)
      assert.ok(drawn.size > 1, path)
      for (const target of drawn) {
        assert.match(
          target,
          path === '/random' ? /^\/[a-z-]+\/\d+$/ : new RegExp(`^${path.slice(7)}/\\d+$`),
        )
        assert.ok(!adult.has(target), target)
      }
    }
    const { status } = await fetch(service.url + (await draw('/random')))
    assert.equal(status, 200)
  })

  it('includes adult works for users who have turned them on', async () => {
    const cookie = await signInCookie(service, { nsfw: true })
    assert.ok(adult.has(await draw('/random/galgames?nsfw=true', cookie)))
    let found = false
    // Half of the sample's galgames are adult works.
    for (let count = 0; count < 200 && !found; count += 1)
      found = adult.has(await draw('/random/galgames', cookie))
    assert.ok(found)
  })

  it('reaches every entry', async () => {
    const { galgame: games } = await sampleWorks(service.db)
    const reached = new Set<number>()
    for (let count = 0; count < 1_500 && reached.size < games.length; count += 1) {
      const found = await findRandomEntry(service.db, ['galgame'], false)
      if (found) reached.add(found.id)
    }
    assert.deepEqual(
      [...reached].toSorted((one, other) => one - other),
      games,
    )
  })

  it('follows the filters of a list, and returns to the list if nothing matches', async () => {
    const page = await (
      await fetch(`${service.url}/galgames?year=2004`, { headers: { accept: 'text/html' } })
    ).text()
    assert.match(page, /href="\/random\/galgames\?year=2004"/)
    const shown = new Set([...page.matchAll(/href="(\/galgames\/\d+)"/g)].map(([, path]) => path))
    for (const target of await drawMany('/random/galgames?year=2004&sort=score&page=3'))
      assert.ok(shown.has(target), target)
    assert.equal(await draw('/random/galgames?year=1901'), '/galgames?year=1901')
    assert.equal(await draw('/random/galgames?nsfw=true'), '/galgames?nsfw=true')
    const bad = await fetch(`${service.url}/random/galgames?year=x`, { redirect: 'manual' })
    assert.equal(bad.status, 422)
  })

  it('chooses among the works that a user plans, without adult works that the user hides', async () => {
    const cookie = await signInCookie(service, { nsfw: false })
    assert.equal(await draw('/library/random', cookie), '/library?status=PLAN')
    const { rows } = await sql<{ id: number }>`select max(id) as id from accounts`.execute(
      service.db,
    )
    const accountId = first(rows).id
    const { galgame, manga, light_novel: novels } = await sampleWorks(service.db)
    const planned = { kind: 'manga', id: first(manga) } as const
    const hidden = {
      kind: 'galgame',
      id: first((await sampleWorks(service.db, true)).galgame),
    } as const
    await writeRating(service.db, accountId, hidden, { status: 'PLAN' })
    assert.equal(await draw('/library/random', cookie), '/library?status=PLAN')
    await writeRating(service.db, accountId, planned, { status: 'PLAN' })
    await writeRating(
      service.db,
      accountId,
      { kind: 'galgame', id: first(galgame) },
      { status: 'GOING' },
    )
    await writeRating(
      service.db,
      accountId,
      { kind: 'light_novel', id: first(novels) },
      { status: 'PLAN' },
    )
    const path = entryPath('manga', planned.id)
    assert.deepEqual(
      [...(await drawMany('/library/random', cookie))].toSorted(),
      [path, entryPath('light_novel', first(novels))].toSorted(),
    )
    assert.equal(await draw('/library/random?kind=mangas', cookie), path)
    const library = await (
      await fetch(`${service.url}/library`, { headers: { accept: 'text/html', cookie } })
    ).text()
    assert.match(library, /href="\/library\/random"/)
    const guest = await fetch(`${service.url}/library/random`, {
      redirect: 'manual',
      headers: { accept: 'text/html' },
    })
    assert.match(guest.headers.get('location') ?? '', /^\/sign-in/)
  })
})
