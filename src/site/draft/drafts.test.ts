import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { csrfTokenOf, formTo, type PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import { startService, type TestService } from '#test/service.ts'
import { deleteByAge } from '../../retention/delete-by-age.ts'
import { findAccount } from '../../accounts/queries.ts'
import { createOwnApp } from '../../apps/owner-queries.ts'
import { putItem } from '../../collections/items/item-write-queries.ts'
import { createCollection, findCollection } from '../../collections/queries.ts'
import { queryText } from '../../db/query.ts'
import { hideSubject } from '../../moderation/hide-queries.ts'
import { findSubject } from '../../moderation/subject-queries.ts'
import { findRating, saveRating } from '../../ratings/own/queries.ts'

const TEXT = 'A long text, 長い文章 & "quotes" <b>.'

describeOnDatabase('a form draft', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await startService({ engine, environment: { IMAGES: 'off' } })
    works = await worksOfEachKind(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    user = await createUser(service, 'Writer')
    browser = await signedInBrowser(service, user)
  })

  const endSessions = () =>
    queryText(service.db, 'delete from sessions where account_id = $1', [user.id])
  const drafts = () => queryText(service.db, 'select path from form_drafts', [])
  const signIn = (page: Visit, { email, password } = user) =>
    browser.submit(page, { email, password })
  /**
   * Submits a form after the session has ended, signs in, and continues.
   *
   * @returns the restored form
   */
  async function signedOutAndBack(page: string, action: string, fields: Record<string, string>) {
    const visit = await browser.get(page)
    const form = formTo(visit, action)
    await endSessions()
    const signInPage = await browser.submit(visit, fields, form)
    assert.equal(new URL(signInPage.url).pathname, '/sign-in')
    assert.match(signInPage.text, /What you entered is saved/)
    const wrong = await signIn(signInPage, { ...user, password: 'not the password' })
    assert.equal(wrong.status, 422)
    const between = await signIn(wrong)
    assert.equal(new URL(between.url).pathname, '/draft')
    const back = await browser.press(between, action)
    assert.equal(back.status, 200)
    // A quick rating continues in the full form.
    return { back, form: formTo(back, action.replace(/\/mark$/, '')) }
  }

  const pages: [
    name: string,
    prepare: () => Promise<{ page: string; action?: string; fields: Record<string, string> }>,
  ][] = [
    [
      'a review',
      async () => ({
        page: `/library/galgames/${works.game}`,
        fields: {
          rate: '7',
          rate_content: TEXT,
          private_note: TEXT,
          started_on: '2024-03',
          labels: 'to lend\n積読',
          played_hours: '12',
          reread_start_0: '2025',
        },
      }),
    ],
    [
      'a quick rating',
      async () => ({
        page: `/galgames/${works.game}`,
        action: `/library/galgames/${works.game}/mark`,
        fields: { status: 'PLAN', rate: '8.5' },
      }),
    ],
    [
      'a new collection',
      async () => ({ page: '/library/collections', fields: { name: 'New', description: TEXT } }),
    ],
    [
      'the description of a collection',
      async () => {
        const { id } = await createCollection(service.db, user.id, { name: 'Old' })
        return { page: `/library/collections/${id}`, fields: { description: TEXT } }
      },
    ],
    [
      'a note in a collection',
      async () => {
        const { id } = await createCollection(service.db, user.id, { name: 'Old' })
        await putItem(
          service.db,
          { accountId: user.id, key: id },
          { kind: 'manga', id: works.manga },
          undefined,
        )
        const page = `/library/collections/${id}`
        return {
          page,
          action: `${page}/mangas/${works.manga}`,
          fields: { act: 'note', note: TEXT },
        }
      },
    ],
    ['a biography', async () => ({ page: '/account/profile', fields: { bio: TEXT } })],
    [
      'a report',
      async () => {
        const other = await createUser(service, 'Other')
        await queryText(
          service.db,
          'insert into public_profiles (account_id, is_shown) values ($1, true)',
          [other.id],
        )
        return {
          page: `/report?profile=${other.id}`,
          action: '/report',
          fields: { reason: 'OTHER', note: TEXT },
        }
      },
    ],
    [
      'an objection',
      async () => {
        const moderator = await createUser(service, 'Moderator')
        const key = { accountId: user.id, kind: 'galgame', workId: works.game } as const
        await saveRating(service.db, key, null, { rate_content: 'A review.' })
        const review = await findRating(service.db, key)
        const subject = await findSubject(service.db, { kind: 'REVIEW', id: review?.id ?? 0 })
        assert.ok(subject)
        await hideSubject(
          service.db,
          subject,
          { reason: 'OTHER', note: 'Why.' },
          { actorId: moderator.id },
        )
        const [takedown] = await queryText<{ id: number }>(
          service.db,
          'select max(id) as id from takedowns',
          [],
        )
        return {
          page: '/reports',
          action: `/reports/${takedown?.id}/appeal`,
          fields: { note: TEXT },
        }
      },
    ],
    [
      'a new app',
      async () => ({
        page: '/console/new?kind=server',
        action: '/console/new',
        fields: { client_name: 'A name that was long to find', step: 'scopes', kind: 'server' },
      }),
    ],
    [
      'the settings of an app',
      async () => {
        const { app } = await createOwnApp(
          service.db,
          user.id,
          { client_name: 'App' },
          10,
          async () => {},
        )
        return {
          page: `/console/apps/${app.client_id}/settings`,
          fields: { client_name: 'A name that was long to find' },
        }
      },
    ],
  ]
  for (const [name, prepare] of pages)
    it(`is restored in the form after the sign-in: ${name}`, async () => {
      const { page, action = page, fields } = await prepare()
      const { form } = await signedOutAndBack(page, action, fields)
      for (const [field, value] of Object.entries(fields))
        if (field !== 'act' && field !== 'step')
          assert.equal(form.fields[field]?.trim(), value, field)
      assert.deepEqual(await drafts(), [], 'kept no longer than needed')
    })

  it('is not saved as a change until its author submits it again', async () => {
    const key = { accountId: user.id, kind: 'galgame', workId: works.game } as const
    const page = `/library/galgames/${works.game}`
    const { back, form } = await signedOutAndBack(page, page, { rate_content: TEXT })
    assert.equal(await findRating(service.db, key), undefined)
    await browser.submit(back, {}, form)
    assert.equal((await findRating(service.db, key))?.rate_content, TEXT)
  })

  it('is restored for selected works of the list, which change once the user confirms', async () => {
    const key = { accountId: user.id, kind: 'manga', workId: works.manga } as const
    await saveRating(service.db, key, null, { status: 'GOING' })
    const fields = { work: `mangas/${works.manga}`, act: 'status', status: 'DROPPED' }
    const { back, form } = await signedOutAndBack('/library', '/library/several', fields)
    assert.match(back.text, /nothing was changed.*Set status: Dropped/s)
    assert.equal((await findRating(service.db, key))?.status, 'GOING')
    await browser.submit(back, {}, form)
    assert.equal((await findRating(service.db, key))?.status, 'DROPPED')
    assert.deepEqual(await drafts(), [])
  })

  it('is not saved from a request of a script, which submits the form itself', async () => {
    const visit = await browser.get(`/galgames/${works.game}`)
    const form = formTo(visit, `/library/galgames/${works.game}/mark`)
    await endSessions()
    browser.headers['x-requested-with'] = 'fetch'
    const sent = await browser.submit(visit, { status: 'PLAN' }, form)
    assert.equal(sent.status, 401)
    assert.equal((await browser.get(`${form.action}?back=/library`)).status, 401)
    assert.deepEqual(await drafts(), [])
  })

  it('is limited to twenty per client IP address', async () => {
    const visit = await browser.get('/account/profile')
    await endSessions()
    for (let sent = 0; sent < 22; sent += 1)
      await browser.press(visit, '/account/profile', { bio: TEXT })
    assert.equal((await drafts()).length, 20)
    await queryText(service.db, 'delete from form_drafts', [])
  })

  it('is shown only to its author, in the browser that sent it', async () => {
    const visit = await browser.get('/account/profile')
    await endSessions()
    const signInPage = await browser.press(visit, '/account/profile', { bio: TEXT })
    const other = await createUser(service, 'Someone else')
    const page = await signIn(signInPage, other)
    assert.ok(!page.text.includes('A long text'), page.url)
    assert.ok(!(await browser.get('/draft')).text.includes('A long text'))
    const otherBrowser = await signedInBrowser(service, user)
    assert.ok(!(await otherBrowser.get('/draft')).text.includes('A long text'))
    assert.equal((await findAccount(service.db, other.id))?.bio, '')
  })

  it('is not stored for guests, and expires after an hour', async () => {
    const { id } = await createCollection(service.db, user.id, { name: 'Kept' })
    const path = `/library/collections/${id}`
    const csrf = csrfTokenOf(await browser.get(path))
    await endSessions()
    await queryText(service.db, 'delete from form_drafts', [])
    await browser.post(path, { _csrf: csrf, description: TEXT })
    assert.deepEqual(await drafts(), [], 'without the account it was made for')
    await browser.post(path, {
      _csrf: csrf,
      _owner: String(user.id),
      description: 'x'.repeat(33_000),
    })
    assert.deepEqual(await drafts(), [], 'too long')
    await browser.post(`${path}/delete`, { _csrf: csrf, _owner: String(user.id) })
    assert.deepEqual(await drafts(), [], 'not an act')
    await browser.post(path, { _csrf: csrf, _owner: String(user.id), description: TEXT })
    assert.equal((await drafts()).length, 1)
    await queryText(
      service.db,
      `update form_drafts set expires_at = now() - interval '1 second'`,
      [],
    )
    await signIn(await browser.get('/sign-in'))
    assert.ok(!(await browser.get('/draft')).text.includes('A long text'))
    await deleteByAge(service.db)
    assert.deepEqual(await drafts(), [])
    assert.equal((await findCollection(service.db, user.id, id))?.description, null)
  })
})
