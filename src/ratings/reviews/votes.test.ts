import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { asAnotherProcess } from '#test/refuse-second-connections.ts'
import { createAccounts, waitForTotals, workPathOf, writeRating, type Work } from '#test/ratings.ts'
import { sendApiRequest, signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { deleteRating } from '../own/queries.ts'
import { saveVote } from './vote-queries.ts'

describeOnDatabase('a vote on a review', (engine) => {
  let service: TestService
  let catalog: string
  let me: SignedInUser
  let other: SignedInUser
  let work: Work
  let author: number
  let review: number
  let path: string
  before(async () => {
    service = await startService({ engine })
    catalog = await service.token()
    me = await signIn(service)
    other = await signIn(service)
    work = { id: first((await sampleWorks(service.db)).light_novel), kind: 'light_novel' }
  })
  after(() => service.close())
  beforeEach(async () => {
    author = first(await createAccounts(service.db, 1))
    review = (await writeRating(service.db, author, work, { rate_content: 'A quiet ending.' })).id
    path = `/v3/user/me/reviews/${review}/vote`
  })

  const counted = async () => {
    const { data } = await sendApiRequest(service.url, {
      token: catalog,
      path: `${workPathOf(work)}/rates?page_size=100`,
    })
    const found = data.items.find(({ id }: AnyJson) => id === review)
    return found && [found.like_count, found.dislike_count]
  }
  const counts = (likes: number, dislikes: number) =>
    eventually(
      async () => String(await counted()) === String([likes, dislikes]),
      `that ${likes} and ${dislikes} are shown`,
    )
  const put = (vote: string, by = me) => by.send('PUT', path, { vote })
  const refused = async (response: ReturnType<SignedInUser['send']>) => {
    const { status, code, body } = await response
    return { status, code, message: body?.error?.message }
  }

  it('is limited to one per user, can be changed and deleted, and is counted within a second', async () => {
    const { status, data } = await put('LIKE')
    assert.equal(status, 200)
    assert.deepEqual([data.rating_id, data.vote], [review, 'LIKE'])
    assert.deepEqual((await me.send('GET', path)).data, data)
    await counts(1, 0)
    assert.deepEqual((await put('LIKE')).data, data, 'repeating the vote changes nothing')
    await put('LIKE', other)
    await counts(2, 0)
    const changed = (await put('DISLIKE')).data
    assert.deepEqual([changed.vote, changed.created_at], ['DISLIKE', data.created_at])
    assert.ok(changed.updated_at > data.updated_at)
    await counts(1, 1)
    for (const round of [1, 2])
      assert.equal((await me.send('DELETE', path)).status, 204, `round ${round}`)
    await counts(1, 0)
    assert.equal((await me.send('GET', path)).status, 404)
    assert.equal((await other.send('GET', path)).data.vote, 'LIKE')
  })

  it('does not change the time of its review or its place in the author’s list', async () => {
    const own = `/v3/user/me/rates/light-novels/${work.id}`
    const { body: before } = await me.send('PUT', own, { rate_content: 'Mine.', rate: 7 })
    await saveVote(service.db, author, before.id, 'LIKE')
    await waitForTotals(service.db)
    const { data: after } = await me.send('GET', own)
    assert.deepEqual(after, { ...before, like_count: 1 })
  })

  it('is available under both path families', async () => {
    const second = `/api/v3/open/user/me/reviews/${review}/vote`
    assert.equal((await me.send('PUT', second, { vote: 'DISLIKE' })).data.vote, 'DISLIKE')
    assert.equal((await me.send('GET', path)).data.vote, 'DISLIKE')
    assert.equal((await me.send('DELETE', second)).status, 204)
  })

  it('is rejected with 409 for the user’s own review', async () => {
    const { body } = await me.send('PUT', `/v3/user/me/rates/light-novels/${work.id}`, {
      rate_content: 'Mine.',
    })
    const own = `/v3/user/me/reviews/${body.id}/vote`
    const { status, code } = await refused(me.send('PUT', own, { vote: 'LIKE' }))
    assert.deepEqual([status, code], [409, 'COMMON_CONFLICT'])
    assert.equal((await me.send('GET', own)).status, 404)
  })

  it('fails with the same error for hidden ratings as for missing ones', async () => {
    await put('LIKE')
    const missing = '/v3/user/me/reviews/8999999999999/vote'
    const expected = {
      put: await refused(me.send('PUT', missing, { vote: 'LIKE' })),
      get: await refused(me.send('GET', missing)),
    }
    assert.deepEqual(
      [expected.put.status, expected.put.code, expected.get.status],
      [404, 'COMMON_NOT_FOUND', 404],
    )
    const responses = async () => ({
      put: await refused(put('DISLIKE')),
      get: await refused(me.send('GET', path)),
    })
    await writeRating(service.db, author, work, { status_private: true })
    assert.deepEqual(await responses(), expected)
    await writeRating(service.db, author, work, { status_private: false, rate_content: '' })
    assert.deepEqual(await responses(), expected)
    await writeRating(service.db, author, work, { rate_content: 'Back.' })
    assert.equal((await me.send('GET', path)).data.vote, 'LIKE', 'the vote is preserved')
    await banAccount(service.db, author, 'a test')
    assert.deepEqual(await responses(), expected)
    await unbanAccount(service.db, author)
    await writeRating(service.db, author, work, { status_private: true })
    assert.equal((await me.send('DELETE', path)).status, 204, 'the vote can still be deleted')
    await writeRating(service.db, author, work, { status_private: false })
    await waitForTotals(service.db)
    assert.deepEqual(await counted(), [0, 0])
    for (const id of ['abc', '0', '1.5', '9007199254740993'])
      for (const [method, body] of [['PUT', '{"vote":"LIKE"}'], ['GET'], ['DELETE']] as const) {
        const { status } = await fetch(`${service.url}/v3/user/me/reviews/${id}/vote`, {
          method,
          headers: {
            authorization: `Bearer ${me.token}`,
            ...(body && { 'content-type': 'application/json' }),
          },
          body: body ?? null,
        })
        assert.equal(status, 404, `${method} ${id}`)
      }
  })

  it('is rejected if its body is invalid, with an error that names the invalid fields', async () => {
    for (const [body, fields] of [
      [{}, ['vote']],
      [{ vote: 'like' }, ['vote']],
      [{ vote: null }, ['vote']],
      [{ vote: 'LIKE\u0000' }, ['vote']],
      [{ vote: ['LIKE'], liked: true }, ['vote', 'liked']],
      [[], ['body']],
    ] as const) {
      const response = await me.send('PUT', path, body)
      assert.deepEqual(
        [response.status, response.code],
        [422, 'COMMON_VALIDATION_FAILED'],
        JSON.stringify(body),
      )
      assert.deepEqual(response.fields.toSorted(), [...fields].toSorted(), JSON.stringify(body))
    }
    assert.equal((await me.send('PUT', path, '{"vote":')).status, 400)
    assert.equal((await me.send('GET', path)).status, 404, 'nothing was stored')
  })

  it('requires a user-level token, with status:read to read it and status:write to change it', async () => {
    const reading = await signIn(service, { scope: 'status:read' })
    const forbidden = await put('LIKE', reading)
    assert.deepEqual([forbidden.status, forbidden.code], [403, 'AUTH_FORBIDDEN'])
    assert.equal((await reading.send('DELETE', path)).status, 403)
    assert.equal((await reading.send('GET', path)).status, 404)
    const { token } = await signIn(service, { scope: 'user:read' })
    for (const method of ['PUT', 'GET', 'DELETE']) {
      assert.equal((await sendApiRequest(service.url, { method, path })).status, 401)
      const application = await sendApiRequest(service.url, { method, path, token: catalog })
      assert.deepEqual([application.status, application.code], [401, 'AUTH_UNAUTHENTICATED'])
      assert.equal((await sendApiRequest(service.url, { method, path, token })).status, 403)
    }
  })

  it('is not counted while the voter is banned, and is deleted with the voter or the review', async () => {
    const [voter = 0, deletedUser = 0] = await createAccounts(service.db, 2)
    await saveVote(service.db, voter, review, 'LIKE')
    await saveVote(service.db, deletedUser, review, 'DISLIKE')
    await counts(1, 1)
    await banAccount(service.db, voter, 'a test')
    await counts(0, 1)
    assert.equal(
      await saveVote(service.db, voter, review, 'DISLIKE'),
      undefined,
      'banned users cannot vote',
    )
    await unbanAccount(service.db, voter)
    await counts(1, 1)
    await deleteAccount(service.db, deletedUser)
    await counts(1, 0)
    await deleteRating(
      service.db,
      { accountId: author, kind: 'light_novel', workId: work.id },
      'a test',
    )
    await waitForTotals(service.db)
    assert.equal(await counted(), undefined)
  })

  if (engine === 'server')
    it('is counted at once, or slightly later if its review is being changed', async () => {
      const busy = first(await createAccounts(service.db, 1))
      const { id } = await writeRating(service.db, busy, work, { rate_content: 'Being changed.' })
      const voter = first(await createAccounts(service.db, 1))
      await service.db.transaction().execute(async (trx) => {
        await writeRating(trx, busy, work, { rate_content: 'Still being changed.' })
        await asAnotherProcess(async () => {
          await saveVote(service.db, voter, id, 'LIKE')
          await saveVote(service.db, voter, review, 'LIKE')
          await counts(1, 0)
        })
      })
      review = id
      await counts(1, 0)
    })

  if (engine === 'server')
    it('is rejected if the voter is banned concurrently', async () => {
      const voter = first(await createAccounts(service.db, 1))
      let vote: ReturnType<typeof saveVote> | undefined
      await service.db.transaction().execute(async (trx) => {
        await banAccount(trx, voter, 'a test')
        vote = asAnotherProcess(() => saveVote(service.db, voter, review, 'LIKE'))
        await eventually(async () => {
          const { rows } = await sql`select from pg_locks where not granted`.execute(trx)
          return rows.length > 0
        }, 'that the vote waits for the ban')
      })
      assert.equal(await vote, undefined)
    })

  it('stays a single vote under concurrent requests, without waiting for other voters', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        put(index % 2 ? 'LIKE' : 'DISLIKE', index % 3 ? me : other),
      ),
    )
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
    await waitForTotals(service.db)
    const [likes = 0, dislikes = 0] = (await counted()) ?? []
    const votes = await Promise.all(
      [me, other].map(async (by) => (await by.send('GET', path)).data.vote),
    )
    assert.deepEqual(
      [likes, dislikes],
      ['LIKE', 'DISLIKE'].map((vote) => votes.filter((other) => other === vote).length),
    )
  })
})
