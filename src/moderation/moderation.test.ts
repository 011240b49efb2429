import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { accountFlows } from '#test/account-flows.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { findAccount } from '../accounts/queries.ts'
import { banAccount, unbanAccount } from '../accounts/ban-queries.ts'
import { exportAccount } from '../accounts/profile/export.ts'
import { queryText } from '../db/query.ts'
import { hideSubject, restoreSubject } from './hide-queries.ts'
import { findActiveTakedown, listOwnTakedowns } from './takedown-queries.ts'
import { findSubject, type HideableSubject } from './subject-queries.ts'

describeOnDatabase('a report', (engine) => {
  let service: TestService
  let author: SignedInUser
  let game: number
  let catalogToken: string
  before(async () => {
    service = await shareService(engine)
    game = first((await sampleWorks(service.db)).galgame)
    author = await signIn(service)
    catalogToken = await service.token()
  })
  after(() => service.close())

  const write = async (user: SignedInUser, rate = 9): Promise<number> =>
    (await user.send('PUT', `/v3/user/me/rates/galgames/${game}`, { rate, rate_content: 'Nasty.' }))
      .data.id
  const report = (user: SignedInUser, id: number, fields = {}) =>
    user.send('POST', '/v3/user/me/reports', { kind: 'REVIEW', id, reason: 'SPAM', ...fields })
  const ids = async (): Promise<number[]> => {
    const response = await service.get(
      `/api/v3/open/galgames/${game}/rates?page_size=100`,
      catalogToken,
    )
    const { data } = (await response.json()) as { data: { items: { id: number }[] } }
    return data.items.map(({ id }) => id)
  }
  const totals = async () => {
    const response = await service.get(
      `/api/v3/open/galgames/${game}/rates/statistics`,
      catalogToken,
    )
    const { data } = (await response.json()) as {
      data: { content_count: number; rated_count: number }
    }
    return [data.content_count, data.rated_count]
  }
  async function hide(id: number, from = {}) {
    const subject = await findSubject(service.db, { kind: 'REVIEW', id })
    assert.ok(subject)
    return hideFound(subject, from)
  }
  const hideFound = (subject: HideableSubject, from = {}) =>
    hideSubject(service.db, subject, { reason: 'HARASSMENT', note: 'Be kind.' }, from)

  it('is not duplicated while it is open, and is rejected for missing content or the user’s own', async () => {
    const user = await signIn(service)
    const id = await write(author)
    const created = await report(user, id, { note: '  It is \u0007 <b>spam</b>\r\n ' })
    assert.deepEqual([created.status, created.data.note], [201, 'It is   <b>spam</b>'])
    const repeated = await report(user, id, { reason: 'HATE' })
    assert.deepEqual(
      [repeated.status, repeated.data.id, repeated.data.reason],
      [200, created.data.id, 'SPAM'],
    )
    assert.equal((await report(author, id)).status, 409)
    assert.equal((await report(user, 999_999)).status, 404)
    assert.deepEqual((await report(user, id, { reason: 'BORED' })).fields, ['reason'])
    assert.deepEqual((await report(user, game, { kind: 'PICTURE' })).fields, ['type'])
    const missingPicture = { kind: 'PICTURE', type: 'galgame', url: 'https://t.vndb.org/none.jpg' }
    assert.equal((await report(user, game, missingPicture)).status, 404)
    const list = await user.send('GET', '/v3/user/me/reports')
    assert.deepEqual([list.data.meta.total_items, list.data.items[0].state], [1, 'OPEN'])
    assert.equal((await author.send('GET', '/v3/user/me/reports')).data.meta.total_items, 0)
  })

  it('can be about wrong data of an entry, with a note', async () => {
    const user = await signIn(service)
    const entry = { kind: 'ENTRY', type: 'galgame', reason: 'OTHER' }
    assert.deepEqual((await report(user, game, entry)).fields, ['note'])
    assert.deepEqual((await report(user, game, { ...entry, type: 'profile' })).fields, ['type'])
    assert.equal((await report(user, 987_654_321, { ...entry, note: 'Wrong.' })).status, 404)
    const ofEntry = await report(user, game, { ...entry, note: 'Wrong.' })
    assert.deepEqual([ofEntry.status, ofEntry.data.place], [201, `/galgames/${game}`])
  })

  it('can be about a picture of an entry, identified by its URL in the catalog', async () => {
    const user = await signIn(service)
    const [row] = await queryText<{ id: number; url: string }>(
      service.db,
      `select id, covers -> 0 ->> 'url' as url from galgames where covers <> '[]' order by id limit 1`,
      [],
    )
    assert.ok(row)
    const response = await service.get(`/v3/galgames/${row.id}`, catalogToken)
    const { data } = (await response.json()) as { data: { covers: { url: string }[] } }
    const url = data.covers[0]?.url ?? ''
    assert.match(url, /\/pictures\/[\w-]{22}\//)
    const send = (url: string) => report(user, row.id, { kind: 'PICTURE', type: 'galgame', url })
    const created = await send(url)
    assert.deepEqual([created.status, created.data.place], [201, `/galgames/${row.id}`])
    const repeated = await send(row.url)
    assert.deepEqual([repeated.status, repeated.data.id], [200, created.data.id])
    assert.equal((await send(url.replace(/\/[\w-]{22}\//, `/${'A'.repeat(22)}/`))).status, 404)
  })

  it('is rejected after five reports an hour from one user, even if they are sent concurrently', async () => {
    const user = await signIn(service)
    const authors = await Promise.all(Array.from({ length: 8 }, () => signIn(service)))
    const reviews = await Promise.all(authors.map((item) => write(item)))
    const responses = await Promise.all(reviews.map((id) => report(user, id)))
    const statuses = responses.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429, 429, 429])
    const refused = responses.find(({ status }) => status === 429)
    assert.ok(Number(refused?.headers.get('retry-after')) > 3_500)
    await queryText(
      service.db,
      `update reports set created_at = now() - interval '61 minutes' where account_id = $1`,
      [user.user.id],
    )
    const firstAllowed = reviews.find((_id, index) => responses[index]?.status === 429)
    assert.ok(firstAllowed)
    assert.equal((await report(user, firstAllowed)).status, 201)
  })

  it('lets a moderator hide a review, which is excluded from responses and totals until it is restored', async () => {
    const id = await write(author)
    await eventually(async () => (await ids()).includes(id))
    await eventually(async () => (await totals())[0] === (await ids()).length)
    const before = await totals()
    const both = await findSubject(service.db, { kind: 'REVIEW', id })
    assert.ok(both)
    const [once, twice] = await Promise.all([hideFound(both), hideFound(both)])
    assert.deepEqual([once?.outcome, twice?.outcome].toSorted(), ['already', 'hidden'])
    assert.ok(!(await ids()).includes(id))
    await eventually(async () => (await totals())[0] === (before[0] ?? 0) - 1, 'the totals')
    assert.equal(
      (await author.send('PUT', `/v3/user/me/reviews/${id}/vote`, { vote: 'LIKE' })).status,
      404,
    )
    // Neither editing the text nor lifting a ban restores the review.
    await write(author, 3)
    await banAccount(service.db, author.user.id, 'x')
    await unbanAccount(service.db, author.user.id)
    assert.ok(!(await ids()).includes(id))
    const [takedown] = await listOwnTakedowns(service.db, author.user.id)
    assert.ok(takedown)
    assert.equal(await restoreSubject(service.db, takedown, '', {}), 'unexplained')
    assert.equal(await restoreSubject(service.db, takedown, 'Fine.', {}), 'restored')
    assert.equal(await restoreSubject(service.db, takedown, 'Fine.', {}), 'already')
    assert.ok((await ids()).includes(id))
    await eventually(
      async () => (await totals()).join() === before.join(),
      'the totals from before',
    )
  })

  it('can be about a user’s profile or picture, which a moderator can then hide and restore', async () => {
    const { id } = (await signIn(service)).user
    const picture = 'https://pictures.example/a.png'
    await queryText(service.db, 'update accounts set picture = $2 where id = $1', [id, picture])
    await queryText(
      service.db,
      'insert into public_profiles (account_id, is_shown) values ($1, true)',
      [id],
    )
    const statusOf = async () =>
      (await service.get(`/u/${id}`, undefined, { accept: 'text/html' })).status
    assert.equal(await statusOf(), 200)
    const user = await signIn(service)
    for (const fields of [{ kind: 'PROFILE' }, { kind: 'PICTURE', type: 'profile' }])
      assert.equal((await report(user, id, fields)).status, 201)
    const [profile, face] = await Promise.all([
      findSubject(service.db, { kind: 'PROFILE', id }),
      findSubject(service.db, { kind: 'PICTURE', type: 'profile', id }),
    ])
    assert.ok(profile && face)
    const why = { reason: 'HATE', note: 'N' } as const
    const pictureOf = async () => (await findAccount(service.db, id))?.picture
    await hideSubject(service.db, face, why, {})
    assert.equal(await pictureOf(), null)
    await hideSubject(service.db, profile, why, {})
    assert.equal(await statusOf(), 404)
    for (const takedown of await listOwnTakedowns(service.db, id))
      await restoreSubject(service.db, takedown, 'Fine.', {})
    assert.deepEqual([await statusOf(), await pictureOf()], [200, picture])
    const next = 'https://pictures.example/b.png'
    const { takedown } = await hideSubject(service.db, face, why, {})
    await queryText(service.db, 'update accounts set picture = $2 where id = $1', [id, next])
    assert.ok(takedown)
    assert.equal(await restoreSubject(service.db, takedown, 'Fine.', {}), 'restored')
    assert.equal(await pictureOf(), next, 'a picture chosen since then stays')
  })

  it('lets a moderator hide the reported picture of an account, but not a picture that has replaced it', async () => {
    const { id } = (await signIn(service)).user
    const setPicture = (url: string | null) =>
      queryText(service.db, 'update accounts set picture = $2 where id = $1', [id, url])
    const pictureOf = async () => (await findAccount(service.db, id))?.picture
    const pictures = ['https://a.example/one.png', 'https://a.example/two.png']
    const takedowns: (number | undefined)[] = []
    const findFace = () => findSubject(service.db, { kind: 'PICTURE', type: 'profile', id })
    await setPicture('https://a.example/zero.png')
    const replaced = await findFace()
    assert.ok(replaced)
    for (const picture of pictures) {
      await setPicture(picture)
      assert.deepEqual(await hideFound(replaced), { outcome: 'already', takedown: undefined })
      assert.equal(await pictureOf(), picture)
      const face = await findFace()
      assert.ok(face)
      assert.equal(await findActiveTakedown(service.db, face), undefined)
      const { outcome, takedown } = await hideFound(face)
      assert.deepEqual([outcome, takedown?.previous, await pictureOf()], ['hidden', picture, null])
      takedowns.push(takedown?.id)
      const repeated = await hideFound(face)
      assert.deepEqual([repeated.outcome, repeated.takedown?.id], ['already', takedown?.id])
    }
    assert.notEqual(takedowns[0], takedowns[1])
  })

  it('leads to a takedown that the author is notified of, can appeal once, and finds in the data export', async () => {
    const writer = await signIn(service)
    const user = await signIn(service)
    const id = await write(writer)
    await report(user, id)
    const { takedown } = await hide(id)
    assert.equal((await user.send('GET', '/v3/user/me/reports')).data.items[0].state, 'UPHELD')
    const [own] = (await writer.send('GET', '/v3/user/me/takedowns')).data
    assert.deepEqual([own.reason, own.note], ['HARASSMENT', 'Be kind.'])
    // Marks the email as sent. The outbox deletes the row some time later.
    const isNotified = () =>
      accountFlows(() => service)
        .mailsTo(writer.user.email)
        .some(
          ({ subject, text }) =>
            subject === 'mokuroku: Your review was hidden' && text.includes('Be kind.'),
        )
    await eventually(async () => isNotified(), 'a mail to the author')
    const path = `/v3/user/me/takedowns/${takedown?.id}/appeal`
    assert.equal((await user.send('POST', path, { note: 'Not mine.' })).status, 404)
    assert.equal((await writer.send('POST', path, { note: ' \u0000' })).status, 422)
    assert.equal(
      (await writer.send('POST', path, { note: 'It was <i>kind</i>.' })).data.appeal,
      'It was <i>kind</i>.',
    )
    assert.equal((await writer.send('POST', path, { note: 'Again.' })).status, 409)
    const data = await exportAccount(service.db, writer.user.id)
    assert.equal(data?.takedowns?.length, 1)
    assert.equal((await exportAccount(service.db, user.user.id))?.reports?.length, 1)
  })
})
