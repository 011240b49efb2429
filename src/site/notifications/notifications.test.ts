import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { decideReports } from '../../moderation/decision-queries.ts'
import { createReport } from '../../moderation/report-queries.ts'
import { followProfile } from '../../profiles/follow-queries.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'
import { deleteVote, saveVote } from '../../ratings/reviews/vote-queries.ts'

const PATH = '/library/notifications'

describeOnDatabase('notifications', (engine) => {
  let service: TestService
  let db: TestService['db']
  let me: TestUser
  let browser: PlainBrowser
  let novel: number
  let review: number
  before(async () => {
    service = await shareService(engine)
    db = service.db
    novel = first((await sampleWorks(db)).light_novel)
    me = await createUser(service)
    browser = await signedInBrowser(service, me)
    browser.headers['accept-language'] = 'en'
    const rating = await writeRating(
      db,
      me.id,
      { kind: 'light_novel', id: novel },
      { status: 'GOING', rate_content: 'A quiet ending.' },
    )
    review = rating.id
  })
  after(() => service.close())

  const publish = (id: number, change = {}) =>
    saveProfileSettings(db, id, (stored) => ({ ...stored, is_shown: true, ...change }))
  const items = async () =>
    [...(await browser.get(PATH)).text.matchAll(/<li class="cluster"><p>(.*?)<\/li>/gs)].map(
      ([, text = '']) =>
        text
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
    )
  const unread = async () =>
    Number(
      /class="unread"[^>]*>.*?(\d+)<\/a>/s.exec((await browser.get('/library')).text)?.[1] ?? 0,
    )
  async function press(action: string, filled: Record<string, string> = {}) {
    const page = await browser.get(PATH)
    const form = page.forms.find(({ buttons }) => buttons.some(({ value }) => value === action))
    assert.ok(form, action)
    return browser.submit(page, { action, ...filled }, form)
  }

  it('require a sign-in and a CSRF token', async () => {
    const guest = new PlainBrowser(service.url)
    assert.equal(new URL((await guest.get(PATH)).url).pathname, '/sign-in')
    assert.equal((await browser.post(PATH, { action: 'read', until: '1' })).status, 403)
    assert.deepEqual([await items(), await unread()], [[], 0])
  })

  it('count helpful votes on a review without naming voters, and disappear with the votes', async () => {
    const voters = await createAccounts(db, 3)
    for (const voter of voters) await publish(voter)
    for (const voter of voters.slice(0, 2)) await saveVote(db, voter, review, 'LIKE')
    await saveVote(db, voters[2] ?? 0, review, 'DISLIKE')
    const [item = '', ...others] = await items()
    assert.match(item, /^New .* 2 users find your review helpful /)
    assert.deepEqual(others, [])
    const { text } = await browser.get(PATH)
    for (const voter of voters) assert.doesNotMatch(text, new RegExp(`/u/${voter}\\b`))
    assert.match(text, new RegExp(`href="/light-novels/${novel}/reviews/${review}"`))
    assert.equal(await unread(), 1)
    await deleteVote(db, first(voters), review)
    assert.match(first(await items()), /1 user finds/)
    await banAccount(db, voters[1] ?? 0, 'spam')
    assert.deepEqual([await items(), await unread()], [[], 0])
    const [later = 0] = await createAccounts(db, 1)
    await saveVote(db, later, review, 'LIKE')
    await writeRating(db, me.id, { kind: 'light_novel', id: novel }, { status_private: true })
    assert.deepEqual(await items(), [], 'a private review has no votes')
    await writeRating(db, me.id, { kind: 'light_novel', id: novel }, { status_private: false })
  })

  it('name a follower only while the follower’s profile is public', async () => {
    await publish(me.id)
    const [open = 0, hidden = 0, gone = 0] = await createAccounts(db, 3)
    await publish(open)
    for (const id of [open, hidden, gone])
      assert.equal(await followProfile(db, id, me.id), 'followed')
    await deleteAccount(db, gone)
    const followers = async () => (await items()).filter((text) => text.includes('follower'))
    assert.equal((await followers()).length, 2)
    const { text } = await browser.get(PATH)
    assert.match(text, new RegExp(`href="/u/${open}"`))
    assert.doesNotMatch(text, new RegExp(`/u/${hidden}\\b`))
    await publish(open, { is_shown: false })
    assert.doesNotMatch((await browser.get(PATH)).text, new RegExp(`/u/${open}"`))
    await banAccount(db, hidden, 'spam')
    assert.equal((await followers()).length, 1)
  })

  it('tell how moderators decided a report', async () => {
    const [author = 0] = await createAccounts(db, 1)
    const rating = await writeRating(
      db,
      author,
      { kind: 'light_novel', id: novel },
      { rate_content: 'Buy now.' },
    )
    const about = { kind: 'REVIEW', id: rating.id } as const
    await createReport(db, me.id, { named: about, reason: 'SPAM', note: '' })
    const last = Number.MAX_SAFE_INTEGER
    const reports = async () => (await items()).filter((text) => text.includes('Your report'))
    assert.deepEqual(await reports(), [])
    await decideReports(
      db,
      { kind: 'REVIEW', subject: String(rating.id), last },
      'DISMISSED',
      'No',
      {},
    )
    assert.match(first(await reports()), /Your report · No action taken/)
    const entry = { kind: 'ENTRY', type: 'light_novel', id: novel } as const
    await createReport(db, me.id, { named: entry, reason: 'OTHER', note: 'Wrong year.' })
    const subject = `light-novels/${novel}`
    await decideReports(db, { kind: 'ENTRY', subject, last }, 'UPHELD', 'Yes', {})
    assert.match(first(await reports()), /Your report · Corrected/)
  })

  it('announce volumes that came out after the work was put on the list', async () => {
    const volumes = async () => (await items()).filter((text) => text.includes('Volume'))
    const addVolume = (number: number, days: number, work = novel) =>
      sql`insert into light_novel_volumes (light_novel_id, position, volume_number, publication_date)
        values (${work}, ${number}, ${number}, (now() at time zone 'UTC')::date + ${days}::integer)`.execute(
        db,
      )
    await addVolume(901, 0)
    await addVolume(902, -1)
    await addVolume(903, 2)
    const found = await volumes()
    assert.equal(found.length, 1, 'the others came out earlier, or have not come out')
    assert.match(first(found), /Volume 901 is out/)
    await sql`update ratings set created_at = created_at - interval '1 year' where id = ${review}`.execute(
      db,
    )
    assert.equal((await volumes()).length, 2)
    await addVolume(904, -91)
    assert.equal((await volumes()).length, 2, 'older ones are not kept')
    await sql`update light_novel_volumes set added_at = '-infinity' where volume_number > 900`.execute(
      db,
    )
    assert.equal((await volumes()).length, 2)
    await writeRating(db, me.id, { kind: 'light_novel', id: novel }, { status: 'DROPPED' })
    assert.deepEqual(await volumes(), [])
    await writeRating(db, me.id, { kind: 'light_novel', id: novel }, { status: 'GOING' })
    await sql`delete from light_novel_volumes where volume_number > 900`.execute(db)
  })

  it('are marked as read up to the time of the page', async () => {
    const page = await browser.get(PATH)
    assert.ok((await unread()) > 0)
    const form = page.forms.find(({ buttons }) => buttons.some(({ value }) => value === 'read'))
    const [late = 0] = await createAccounts(db, 1)
    await followProfile(db, late, me.id)
    await sql`update follows set created_at = created_at + interval '1 second' where account_id = ${late}`.execute(
      db,
    )
    await browser.submit(page, { action: 'read' }, form)
    assert.equal(await unread(), 1)
    assert.match(first(await items()), /^New New follower/)
    for (const until of ['', 'x', '-1', '9'.repeat(40), '0'])
      assert.equal((await press('read', { until })).status, 200, until)
    assert.equal(await unread(), 1)
    await sql`update follows set created_at = created_at - interval '5 seconds' where account_id = ${late}`.execute(
      db,
    )
    await press('save', { followers: 'yes' })
    await sql`update follows set created_at = now() where account_id = ${late}`.execute(db)
    await press('read', { until: '9999999999999' })
    assert.equal(await unread(), 0)
    const [next = 0] = await createAccounts(db, 1)
    await followProfile(db, next, me.id)
    assert.equal(await unread(), 1, 'a time in the future counts as now')
  })

  it('have a switch for each kind', async () => {
    const isOn = async () =>
      [...(await browser.get(PATH)).text.matchAll(/name="(\w+)" value="yes"( checked)?/g)].map(
        ([, name, on]) => [name, on !== undefined],
      )
    const page = await browser.get(PATH)
    const { _csrf = '', _owner = '' } = first(
      page.forms.filter(({ action }) => action === PATH),
    ).fields
    await browser.post(PATH, { _csrf, _owner, action: 'save', votes: 'yes' })
    assert.deepEqual(await isOn(), [
      ['volumes', false],
      ['votes', true],
      ['reports', false],
      ['followers', false],
    ])
    assert.ok((await items()).every((text) => text.includes('helpful')))
    await browser.post(PATH, { _csrf, _owner, action: 'save', followers: 'yes' })
    assert.ok((await items()).every((text) => text.includes('follower')))
    assert.ok((await items()).length > 0)
  })

  it('are not shown after 90 days', async () => {
    for (const table of ['follows', 'reports', 'review_votes'])
      await sql`
        update ${sql.table(table)}
        set ${sql.ref({ follows: 'created_at', reports: 'decided_at', review_votes: 'updated_at' }[table] ?? '')} = now() - interval '91 days'
        where ${sql.ref(table === 'follows' ? 'followed_id' : 'account_id')} = ${me.id}`.execute(db)
    const page = await browser.get(PATH)
    const { _csrf = '', _owner = '' } = first(
      page.forms.filter(({ action }) => action === PATH),
    ).fields
    await browser.post(PATH, {
      _csrf,
      _owner,
      action: 'save',
      volumes: 'yes',
      votes: 'yes',
      reports: 'yes',
      followers: 'yes',
    })
    assert.deepEqual(await items(), [])
  })
})
