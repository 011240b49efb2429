import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { describeOnDatabase, skipEmbedded } from '#test/databases.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { savePreferences } from '../../accounts/preferences/queries.ts'
import { queryText } from '../../db/query.ts'
import { exportAccount } from '../../accounts/profile/export.ts'
import { followProfile, MAX_FOLLOWED, type FollowOutcome } from '../../profiles/follow-queries.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'

const PATH = '/library/following'
const TIMELINE = '/library/timeline'

describeOnDatabase('a user who follows profiles', (engine) => {
  let service: TestService
  let db: TestService['db']
  let me: TestUser
  let browser: PlainBrowser
  let followed: number
  let novel: number
  let other: number
  let adult: number
  before(async () => {
    service = await shareService(engine)
    db = service.db
    const works = (await sampleWorks(db)).light_novel
    ;[novel = 0, other = 0] = works
    adult = first((await sampleWorks(db, true)).galgame)
    me = await createUser(service)
    browser = await signedInBrowser(service, me)
    ;[followed = 0] = await createAccounts(db, 1)
    await writeRating(
      db,
      followed,
      { kind: 'light_novel', id: novel },
      { status: 'COMPLETED', rate: 8, rate_content: 'A quiet ending.' },
    )
    await writeRating(
      db,
      followed,
      { kind: 'light_novel', id: other },
      { status: 'COMPLETED', rate: 2, rate_content: 'A secret.', status_private: true },
    )
    await writeRating(
      db,
      followed,
      { kind: 'galgame', id: adult },
      { status: 'COMPLETED', rate: 9, rate_content: 'Adults only.' },
    )
  })
  after(() => service.close())

  const publish = (id: number, change = {}) =>
    saveProfileSettings(db, id, (stored) => ({
      ...stored,
      is_shown: true,
      shows_list: true,
      shows_reviews: true,
      ...change,
    }))
  const amount = async (id = me.id) => {
    const { rows } = await sql<{ amount: number }>`
      select count(*) as amount from follows where account_id = ${id}`.execute(db)
    return first(rows).amount
  }
  async function press(action: string, on = `/u/${followed}`) {
    const page = await browser.get(on)
    const form = page.forms.find(({ action: to }) => to === PATH)
    assert.ok(form, on)
    browser.headers['referer'] = service.url + on
    return browser.submit(page, { action }, form)
  }

  /** Creates a follower who may follow one more profile, and public profiles to choose from. */
  async function followAlmostAll(choices: number) {
    const [follower = 0, ...targets] = await createAccounts(db, choices + 1)
    for (const id of targets) await publish(id)
    const others = await createAccounts(db, MAX_FOLLOWED - 1)
    await sql`insert into follows (account_id, followed_id) select ${follower}::bigint, unnest(${others}::bigint[])`.execute(
      db,
    )
    return { follower, targets }
  }

  it('follows a public profile with a button, and unfollows it', async () => {
    await publish(followed)
    const guest = new PlainBrowser(service.url)
    assert.doesNotMatch((await guest.get(`/u/${followed}`)).text, /library\/following/)
    assert.equal(new URL((await guest.get(PATH)).url).pathname, '/sign-in')
    const after = await press('follow')
    assert.equal(new URL(after.url).pathname, `/u/${followed}`)
    assert.match(after.text, /value="unfollow"/)
    await browser.post(PATH, {
      ...after.forms.find(({ action }) => action === PATH)?.fields,
      action: 'follow',
    })
    assert.equal(await amount(), 1, 'following twice is the same as once')
    assert.match((await browser.get(PATH)).text, new RegExp(`href="/u/${followed}"`))
    await press('unfollow', PATH)
    assert.equal(await amount(), 0)
    await press('follow')
  })

  it('needs a CSRF token and a public profile of another user', async () => {
    const fields = (await browser.get(PATH)).forms.find(({ action }) => action === PATH)?.fields
    const send = async (change: object, sent = fields) =>
      (await browser.post(PATH, { ...sent, action: 'follow', ...change })).status
    const [hidden = 0, unset = 0] = await createAccounts(db, 2)
    await publish(hidden, { is_shown: false })
    await publish(me.id)
    for (const id of [hidden, unset, me.id, 999_999_999])
      assert.equal(await send({ account: String(id) }), 404)
    for (const account of ['', 'x', '-1', '1e3', '9'.repeat(30)])
      assert.ok([400, 404, 422].includes(await send({ account })), account)
    assert.equal(await send({ account: String(followed) }, {}), 403)
    assert.equal(await amount(), 1)
  })

  it('sees in the timeline what the profile shows at that time, and nothing private', async () => {
    const timeline = async () => (await browser.get(TIMELINE)).text
    const shown = await timeline()
    assert.match(shown, new RegExp(`href="/light-novels/${novel}"`))
    assert.match(shown, /A quiet ending\./)
    assert.match(shown, new RegExp(`href="/u/${followed}"`))
    assert.doesNotMatch(
      shown,
      new RegExp(`A secret|Adults only|/light-novels/${other}"|/galgames/${adult}"`),
    )
    await savePreferences(db, me.id, true)
    assert.match(await timeline(), /Adults only/)
    await savePreferences(db, me.id, false)

    await publish(followed, { shows_reviews: false })
    assert.doesNotMatch(await timeline(), /A quiet ending/)
    assert.match(await timeline(), new RegExp(`href="/light-novels/${novel}"`))
    await publish(followed, { shows_list: false, shows_reviews: false })
    assert.doesNotMatch(await timeline(), new RegExp(`/light-novels/${novel}"`))
    await publish(followed, { is_shown: false })
    for (const path of [TIMELINE, PATH])
      assert.doesNotMatch(
        (await browser.get(path)).text,
        new RegExp(`/u/${followed}"|/light-novels/${novel}"`),
      )
    assert.equal(await amount(), 1, 'the row stays')
    await publish(followed)
    await banAccount(db, followed, 'spam')
    assert.doesNotMatch(await timeline(), new RegExp(`/u/${followed}"`))
    await unbanAccount(db, followed)
    await publish(followed)
    assert.match(await timeline(), /A quiet ending/)
    const read = { kind: 'light_novel', id: novel } as const
    await writeRating(db, followed, read, { rate_content: 'a '.repeat(400) })
    assert.ok((await timeline()).includes(` ${'a '.repeat(298)}a…<`), 'a long review is cut')
    await writeRating(db, followed, read, { rate_content: 'A quiet ending.' })
    await writeRating(db, followed, { kind: 'light_novel', id: novel }, { status_private: true })
    assert.doesNotMatch(await timeline(), /A quiet ending/)
    await writeRating(db, followed, { kind: 'light_novel', id: novel }, { status_private: false })
  })

  it('reads the timeline page by page, newest first', async () => {
    const [busy = 0] = await createAccounts(db, 1)
    const { manga, light_novel: novels } = await sampleWorks(db)
    for (const id of manga) await writeRating(db, busy, { kind: 'manga', id }, { rate: 5 })
    for (const id of novels) await writeRating(db, busy, { kind: 'light_novel', id }, { rate: 5 })
    const works = [...manga, ...novels]
    assert.ok(works.length > 30)
    const reader = await createUser(service)
    const own = await signedInBrowser(service, reader)
    await publish(busy)
    assert.equal(await followProfile(db, reader.id, busy), 'followed')
    // All have one time, so that the order depends on the ids.
    await sql`update ratings set updated_at = now() where account_id = ${busy}`.execute(db)
    const seen: string[] = []
    let path = TIMELINE
    for (let page = 1; path !== ''; page += 1) {
      assert.ok(page < 20, 'the pages end')
      const { text } = await own.get(path)
      seen.push(
        ...[...text.matchAll(/<h3><a href="\/(?:mangas|light-novels)\/(\d+)"/g)].map(
          ([, id = '']) => id,
        ),
      )
      path = (/href="([^"]*)" rel="next"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')
    }
    assert.deepEqual(seen.map(Number).toSorted(), works.toSorted())
  })

  it('follows a limited number of profiles, and only public ones', async () => {
    const { follower, targets } = await followAlmostAll(1)
    const follow = () => followProfile(db, follower, first(targets))
    assert.deepEqual([await follow(), await follow()], ['followed', 'followed'])
    const [extra = 0] = await createAccounts(db, 1)
    await publish(extra)
    assert.equal(await followProfile(db, follower, extra), 'too_many')
    assert.equal(await amount(follower), MAX_FOLLOWED)
    assert.equal(await followProfile(db, extra, follower), 'missing')
  })

  it(
    'follows a limited number of profiles in concurrent requests',
    { skip: skipEmbedded(engine) },
    async () => {
      const { follower, targets } = await followAlmostAll(3)
      let requests: Promise<FollowOutcome[]> = Promise.resolve([])
      await db.transaction().execute(async (trx) => {
        await queryText(trx, 'select from account_refs where id = $1 for update', [follower])
        requests = asAnotherProcess(() =>
          Promise.all(targets.map((id) => followProfile(db, follower, id))),
        )
        await waitForBlocked(trx, targets.length)
      })
      assert.deepEqual((await requests).toSorted(), ['followed', 'too_many', 'too_many'])
      assert.equal(await amount(follower), MAX_FOLLOWED)
    },
  )

  it('can unfollow all profiles that are no longer public', async () => {
    const [hidden = 0] = await createAccounts(db, 1)
    await publish(hidden)
    await followProfile(db, me.id, hidden)
    await publish(hidden, { is_shown: false })
    assert.equal(await amount(), 2)
    await press('unfollow_hidden', PATH)
    assert.equal(await amount(), 1)
  })

  it('finds the followed accounts in the export, and loses them when either account is deleted', async () => {
    const exported = await exportAccount(db, me.id)
    assert.deepEqual(
      exported?.follows.map((row) => row['followed_id']),
      [followed],
    )
    const [gone = 0] = await createAccounts(db, 1)
    await publish(gone)
    await followProfile(db, me.id, gone)
    await publish(me.id)
    await followProfile(db, gone, me.id)
    await deleteAccount(db, gone)
    const { rows } = await sql`
      select from follows where ${gone} in (account_id, followed_id)`.execute(db)
    assert.deepEqual(rows, [])
  })
})
