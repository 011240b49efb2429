import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { skipEmbedded, describeOnDatabase } from '#test/databases.ts'
import { fc } from '#test/arbitrary-text.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { STATUSES, SUB_SCORES } from '../fields.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Removes the fields that the service sets. */
function fieldsOf(record: Record<string, unknown>) {
  const { id: _id, created_at: _created, updated_at: _updated, ...rest } = record
  return rest
}

/** Default rating of a light novel (§2.12, decision 0013). */
const BLANK = {
  like_count: 0,
  dislike_count: 0,
  is_spoiler: false,
  rate: null,
  rate_character: null,
  rate_illustration: null,
  rate_pacing: null,
  rate_plot: null,
  rate_worldview: null,
  rate_writing: null,
  rate_content: '',
  status: 'GOING',
  status_private: false,
  time_to_finish_minutes: 0,
}

describeOnDatabase('a rating', (engine) => {
  let service: TestService
  let me: SignedInUser
  let novels: number[]
  let galgame: number
  let manga: number
  before(async () => {
    service = await startService({ engine })
    me = await signIn(service)
    const works = await sampleWorks(service.db)
    novels = works.light_novel
    galgame = first(works.galgame)
    manga = first(works.manga)
  })
  after(() => service.close())

  /** Returns a light novel without ratings. */
  const freshNovel = () => {
    const id = novels.pop()
    assert.ok(id, 'the sample has too few light novels for these tests')
    return `/v3/user/me/rates/light-novels/${id}`
  }
  /** Returns the SQLSTATE codes in a request's log. */
  const failures = (headers: Headers) =>
    service.logged
      .filter(({ request_id }) => request_id === headers.get('x-request-id'))
      .map(({ err }) =>
        typeof err === 'object' && err !== null && 'code' in err ? err.code : undefined,
      )
  const count = async () => {
    const { rows } = await sql<{ total: number }>`select count(*) as total from ratings`.execute(
      service.db,
    )
    return first(rows).total
  }

  it('is returned by PUT without an envelope for a light novel, with exactly the fields of §2.12', async () => {
    const { status, headers, body } = await me.send('PUT', freshNovel(), {})
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.deepEqual(fieldsOf(body), BLANK)
    assert.equal(Object.keys(body).length, 17)
    assert.ok(Number.isSafeInteger(body.id) && body.id > 0)
    for (const time of [body.created_at, body.updated_at]) assert.match(time, TIME)
  })

  it('is returned in an envelope for a light novel, except by PUT under /v3', async () => {
    const path = freshNovel()
    const other = path.replace('/v3/', '/api/v3/open/')
    const bare = (await me.send('PUT', path, { rate: 7 })).body
    for (const [method, target] of [
      ['PUT', other],
      ['GET', other],
      ['GET', path],
    ] as const) {
      const { status, body, data } = await me.send(
        method,
        target,
        method === 'PUT' ? {} : undefined,
      )
      assert.equal(status, 200)
      assert.equal(body.success, true)
      assert.match(body.timestamp, TIME)
      assert.deepEqual(data, bare, `${method} ${target}`)
    }
  })

  it('is returned in an envelope for a galgame or manga, with the fields for that kind of work', async () => {
    const { status, data } = await me.send('PUT', `/v3/user/me/rates/galgames/${galgame}`, {
      status: 'COMPLETED',
      rate: 9,
      rate_music: 10,
    })
    assert.equal(status, 200)
    const subScores = Object.fromEntries(SUB_SCORES.galgame.map((name) => [name, null]))
    const frame = Object.fromEntries(
      Object.entries(BLANK).filter(([name]) => !/^rate_(?!content)/.test(name)),
    )
    assert.deepEqual(fieldsOf(data), {
      ...frame,
      ...subScores,
      status: 'COMPLETED',
      rate: 9,
      rate_music: 10,
    })
    const drawn = await me.send('PUT', `/v3/user/me/rates/mangas/${manga}`, { status: 'PLAN' })
    assert.deepEqual(fieldsOf(drawn.data), {
      like_count: 0,
      dislike_count: 0,
      is_spoiler: false,
      rate: null,
      rate_content: '',
      status: 'PLAN',
      status_private: false,
    })
  })

  it('keeps fields that a later request omits, and clears a score with null', async () => {
    const path = freshNovel()
    const whole = {
      is_spoiler: true,
      rate: 8.5,
      rate_character: 1,
      rate_content: 'A quiet ending.\n\nReally. 漢字 😀',
      rate_illustration: 10,
      rate_pacing: 5.5,
      rate_plot: 6,
      rate_worldview: 7.1,
      rate_writing: 9.9,
      status: 'DROPPED',
      status_private: true,
      time_to_finish_minutes: 525_600,
    }
    const { body: created } = await me.send('PUT', path, whole)
    assert.deepEqual(fieldsOf(created), { like_count: 0, dislike_count: 0, ...whole })
    const { body: changed } = await me.send('PUT', path, { status: 'COMPLETED' })
    assert.deepEqual(fieldsOf(changed), { ...fieldsOf(created), status: 'COMPLETED' })
    assert.deepEqual([changed.id, changed.created_at], [created.id, created.created_at])
    assert.ok(changed.updated_at > created.updated_at)
    const { body: cleared } = await me.send('PUT', path, { rate: null, rate_plot: null })
    assert.deepEqual(fieldsOf(cleared), { ...fieldsOf(changed), rate: null, rate_plot: null })
    assert.deepEqual((await me.send('GET', path)).data, cleared)
  })

  it('keeps `updated_at` if nothing changes', async () => {
    const path = freshNovel()
    const { body: created } = await me.send('PUT', path, { rate: 8, rate_content: 'a\nb' })
    for (const body of [{}, { rate: 8.0 }, { rate_content: 'a\r\nb', status: 'GOING' }])
      assert.deepEqual((await me.send('PUT', path, body)).body, created)
  })

  it('can be sent back as received, because read-only fields are ignored', async () => {
    const path = freshNovel()
    const { body: created } = await me.send('PUT', path, { rate: 6 })
    const sent = {
      ...created,
      id: 'x',
      like_count: 99,
      dislike_count: null,
      created_at: {},
      status: 'PLAN',
    }
    const { body: responseBody } = await me.send('PUT', path, sent)
    assert.deepEqual(fieldsOf(responseBody), { ...fieldsOf(created), status: 'PLAN' })
    assert.deepEqual([responseBody.id, responseBody.created_at], [created.id, created.created_at])
  })

  it('can change from any status to any other (§3)', async () => {
    const path = freshNovel()
    for (const from of STATUSES)
      for (const status of STATUSES) {
        await me.send('PUT', path, { status: from })
        assert.equal((await me.send('PUT', path, { status })).body.status, status)
      }
  })

  it('is stored with all line endings converted to line feeds', async () => {
    const { body } = await me.send('PUT', freshNovel(), { rate_content: ' a\r\nb\rc\n\n\td ' })
    assert.equal(body.rate_content, ' a\nb\nc\n\n\td ')
  })

  it('accepts the maximum values of its fields', async () => {
    const path = freshNovel()
    const long = '😀'.repeat(4_998)
    const { status, body } = await me.send('PUT', path, { rate_content: `${long}\r\n😀`, rate: 10 })
    assert.deepEqual([status, [...body.rate_content].length], [200, 5_000])
    for (const rate of [1, 1.1, 8.3, 9.9, 10])
      assert.equal((await me.send('PUT', path, { rate })).body.rate, rate)
    for (const minutes of [0, 525_600])
      assert.equal(
        (await me.send('PUT', path, { time_to_finish_minutes: minutes })).body
          .time_to_finish_minutes,
        minutes,
      )
  })

  it('is the result of all PUT bodies applied in order', async () => {
    const score = fc.oneof(
      fc.constant(null),
      fc.integer({ min: 10, max: 100 }).map((tenths) => tenths / 10),
    )
    const body = fc.record(
      {
        is_spoiler: fc.boolean(),
        rate: score,
        ...Object.fromEntries(SUB_SCORES.light_novel.map((name) => [name, score])),
        rate_content: fc
          .string({ unit: 'grapheme', maxLength: 12 })
          .map((text) => text.replaceAll('\r', ' ')),
        status: fc.constantFrom(...STATUSES),
        status_private: fc.boolean(),
        time_to_finish_minutes: fc.nat(525_600),
      },
      { requiredKeys: [] },
    )
    const path = freshNovel()
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 8 }), async (bodies) => {
        await me.send('DELETE', path)
        let expected: Record<string, unknown> = BLANK
        for (const one of bodies) {
          expected = { ...expected, ...one }
          assert.deepEqual(fieldsOf((await me.send('PUT', path, one)).body), expected)
        }
        assert.deepEqual(fieldsOf((await me.send('GET', path)).data), expected)
      }),
      { numRuns: 40 },
    )
  })

  it('keeps concurrent changes to different fields', async () => {
    const path = freshNovel()
    for (let round = 0; round < 15; round += 1) {
      await me.send('DELETE', path)
      if (round % 2 === 0) await me.send('PUT', path, {})
      const bodies = [
        { rate: 7.5 },
        { rate_content: 'Twice.' },
        { status: 'ON_HOLD' },
        { is_spoiler: true },
      ]
      await Promise.all(bodies.map((body) => me.send('PUT', path, body)))
      assert.deepEqual(
        fieldsOf((await me.send('GET', path)).data),
        Object.assign({}, BLANK, ...bodies),
      )
    }
  })

  it('is stored only once by a hundred concurrent writes', async () => {
    const path = freshNovel()
    const before = await count()
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        me.send('PUT', path, { time_to_finish_minutes: index }),
      ),
    )
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
    assert.equal(new Set(responses.map(({ body }) => body.id)).size, 1)
    assert.equal(await count(), before + 1)
  })

  const several = { skip: skipEmbedded(engine) }
  it(
    'cannot be written while another process locks its user: the request fails with 503 and Retry-After',
    several,
    async () => {
      const path = freshNovel()
      await service.db.transaction().execute(async (trx) => {
        await trx
          .selectFrom('account_refs')
          .select('id')
          .where('id', '=', me.user.id)
          .forNoKeyUpdate()
          .execute()
        const { status, code, headers } = await me.send('PUT', path, { rate: 5 })
        assert.deepEqual([status, code], [503, 'COMMON_SERVICE_UNAVAILABLE'])
        assert.ok(Number(headers.get('retry-after')) >= 1)
        // lock_not_available: the lock timeout has passed, not the statement timeout (57014).
        assert.deepEqual(failures(headers), ['55P03'])
      })
      assert.equal((await me.send('PUT', path, { rate: 5 })).status, 200)
    },
  )

  it('can be deleted, and deleting a missing rating succeeds', async () => {
    const path = freshNovel()
    await me.send('PUT', path, { rate: 3, rate_content: 'x' })
    for (const _ of [1, 2]) {
      const { status, text } = await me.send('DELETE', path)
      assert.deepEqual([status, text], [204, ''])
      assert.equal((await me.send('GET', path)).code, 'COMMON_NOT_FOUND')
    }
    assert.deepEqual(fieldsOf((await me.send('PUT', path, {})).body), BLANK)
  })

  it('can be deleted by clients that send a content type on every request', async () => {
    const path = freshNovel()
    await me.send('PUT', path, {})
    const headers = { authorization: `Bearer ${me.token}`, 'content-type': 'application/json' }
    assert.equal((await fetch(service.url + path, { method: 'DELETE', headers })).status, 204)
    assert.equal((await me.send('GET', path)).status, 404)
  })

  it('can be created for an nsfw work', async () => {
    const nsfw = await sampleWorks(service.db, true)
    const { status } = await me.send('PUT', `/v3/user/me/rates/galgames/${first(nsfw.galgame)}`, {
      rate: 5,
    })
    assert.equal(status, 200)
  })

  it('requires an existing work of the kind in the path', async () => {
    const before = await count()
    const missing = ['999999999', '0', '-1', '1.5', 'abc', '9007199254740993', '%00', '１']
    for (const id of [...missing, String(galgame), String(manga)]) {
      const { status, code } = await me.send('PUT', `/v3/user/me/rates/light-novels/${id}`, {
        rate: 5,
      })
      assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], id)
    }
    // The rating of the galgame must be neither readable nor deletable under the path of another kind.
    for (const method of ['GET', 'DELETE'])
      await me.send(method, `/v3/user/me/rates/mangas/${galgame}`)
    assert.equal((await me.send('GET', `/v3/user/me/rates/galgames/${galgame}`)).status, 200)
    assert.equal(await count(), before)
    await sql`insert into merged_entries (kind, id, merged_into) values ('manga', 888888, ${manga})`.execute(
      service.db,
    )
    const merged = await me.send('PUT', '/v3/user/me/rates/mangas/888888', {})
    assert.deepEqual(
      [merged.status, merged.code, merged.body.error.details],
      [404, 'WIKI_RESOURCE_MERGED', { merged_into: manga }],
    )
  })
})
