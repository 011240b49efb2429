import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { needsConnections, onOneDatabase } from '#test/databases.ts'
import { fc } from '#test/properties.ts'
import { signIn, type SignedInReader } from '#test/reader.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/works.ts'
import { STATUSES, SUB_SCORES } from '../fields.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Without what the service gives by itself. */
function said(record: Record<string, unknown>) {
  const { id: _id, created_at: _created, updated_at: _updated, ...rest } = record
  return rest
}

/** §2.12, as it is before anything was said (decision 0013). */
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

onOneDatabase('a rating', (engine) => {
  let service: TestService
  let me: SignedInReader
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

  /** A light novel nobody has rated yet. */
  const freshNovel = () => {
    const id = novels.pop()
    assert.ok(id, 'the sample has too few light novels for these tests')
    return `/v3/user/me/rates/light-novels/${id}`
  }
  /** SQL states of what was logged of a request. */
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

  it('of a light novel is answered bare, with every field of §2.12 and nothing else', async () => {
    const { status, headers, body } = await me.ask('PUT', freshNovel(), {})
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.deepEqual(said(body), BLANK)
    assert.equal(Object.keys(body).length, 17)
    assert.ok(Number.isSafeInteger(body.id) && body.id > 0)
    for (const time of [body.created_at, body.updated_at]) assert.match(time, TIME)
  })

  it('of a light novel is in the envelope below /api/v3/open, and everywhere but in the answer of PUT', async () => {
    const path = freshNovel()
    const other = path.replace('/v3/', '/api/v3/open/')
    const bare = (await me.ask('PUT', path, { rate: 7 })).body
    for (const [method, address] of [
      ['PUT', other],
      ['GET', other],
      ['GET', path],
    ] as const) {
      const { status, body, data } = await me.ask(
        method,
        address,
        method === 'PUT' ? {} : undefined,
      )
      assert.equal(status, 200)
      assert.equal(body.success, true)
      assert.match(body.timestamp, TIME)
      assert.deepEqual(data, bare, `${method} ${address}`)
    }
  })

  it('of a galgame and of a manga is in the envelope, with the fields of its kind', async () => {
    const { status, data } = await me.ask('PUT', `/v3/user/me/rates/galgames/${galgame}`, {
      status: 'COMPLETED',
      rate: 9,
      rate_music: 10,
    })
    assert.equal(status, 200)
    const subScores = Object.fromEntries(SUB_SCORES.galgame.map((name) => [name, null]))
    const frame = Object.fromEntries(
      Object.entries(BLANK).filter(([name]) => !/^rate_(?!content)/.test(name)),
    )
    assert.deepEqual(said(data), {
      ...frame,
      ...subScores,
      status: 'COMPLETED',
      rate: 9,
      rate_music: 10,
    })
    const drawn = await me.ask('PUT', `/v3/user/me/rates/mangas/${manga}`, { status: 'PLAN' })
    assert.deepEqual(said(drawn.data), {
      like_count: 0,
      dislike_count: 0,
      is_spoiler: false,
      rate: null,
      rate_content: '',
      status: 'PLAN',
      status_private: false,
    })
  })

  it('keeps the fields a later request leaves out, and null clears a score', async () => {
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
    const { body: created } = await me.ask('PUT', path, whole)
    assert.deepEqual(said(created), { like_count: 0, dislike_count: 0, ...whole })
    const { body: changed } = await me.ask('PUT', path, { status: 'COMPLETED' })
    assert.deepEqual(said(changed), { ...said(created), status: 'COMPLETED' })
    assert.deepEqual([changed.id, changed.created_at], [created.id, created.created_at])
    assert.ok(changed.updated_at > created.updated_at)
    const { body: cleared } = await me.ask('PUT', path, { rate: null, rate_plot: null })
    assert.deepEqual(said(cleared), { ...said(changed), rate: null, rate_plot: null })
    assert.deepEqual((await me.ask('GET', path)).data, cleared)
  })

  it('is touched by nothing but a change: {} and what is there already leave its time alone', async () => {
    const path = freshNovel()
    const { body: created } = await me.ask('PUT', path, { rate: 8, rate_content: 'a\nb' })
    for (const body of [{}, { rate: 8.0 }, { rate_content: 'a\r\nb', status: 'GOING' }])
      assert.deepEqual((await me.ask('PUT', path, body)).body, created)
  })

  it('may be sent back as it came: what is not the reader’s to write is ignored', async () => {
    const path = freshNovel()
    const { body: created } = await me.ask('PUT', path, { rate: 6 })
    const sent = {
      ...created,
      id: 'x',
      like_count: 99,
      dislike_count: null,
      created_at: {},
      status: 'PLAN',
    }
    const { body: answered } = await me.ask('PUT', path, sent)
    assert.deepEqual(said(answered), { ...said(created), status: 'PLAN' })
    assert.deepEqual([answered.id, answered.created_at], [created.id, created.created_at])
  })

  it('goes from any status to any other (§3)', async () => {
    const path = freshNovel()
    for (const from of STATUSES)
      for (const status of STATUSES) {
        await me.ask('PUT', path, { status: from })
        assert.equal((await me.ask('PUT', path, { status })).body.status, status)
      }
  })

  it('has lines that end with a line feed, whatever the program that sent them uses', async () => {
    const { body } = await me.ask('PUT', freshNovel(), { rate_content: ' a\r\nb\rc\n\n\td ' })
    assert.equal(body.rate_content, ' a\nb\nc\n\n\td ')
  })

  it('is as long and as high as it may be', async () => {
    const path = freshNovel()
    const long = '😀'.repeat(4_998)
    const { status, body } = await me.ask('PUT', path, { rate_content: `${long}\r\n😀`, rate: 10 })
    assert.deepEqual([status, [...body.rate_content].length], [200, 5_000])
    for (const rate of [1, 1.1, 8.3, 9.9, 10])
      assert.equal((await me.ask('PUT', path, { rate })).body.rate, rate)
    for (const minutes of [0, 525_600])
      assert.equal(
        (await me.ask('PUT', path, { time_to_finish_minutes: minutes })).body
          .time_to_finish_minutes,
        minutes,
      )
  })

  it('of any sequence of bodies is the fold of them', async () => {
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
        await me.ask('DELETE', path)
        let expected: Record<string, unknown> = BLANK
        for (const one of bodies) {
          expected = { ...expected, ...one }
          assert.deepEqual(said((await me.ask('PUT', path, one)).body), expected)
        }
        assert.deepEqual(said((await me.ask('GET', path)).data), expected)
      }),
      { numRuns: 40 },
    )
  })

  it('keeps both of two changes of different fields that race', async () => {
    const path = freshNovel()
    for (let round = 0; round < 15; round += 1) {
      await me.ask('DELETE', path)
      if (round % 2 === 0) await me.ask('PUT', path, {})
      const bodies = [
        { rate: 7.5 },
        { rate_content: 'Twice.' },
        { status: 'ON_HOLD' },
        { is_spoiler: true },
      ]
      await Promise.all(bodies.map((body) => me.ask('PUT', path, body)))
      assert.deepEqual(said((await me.ask('GET', path)).data), Object.assign({}, BLANK, ...bodies))
    }
  })

  it('is one, though a hundred are written at once', async () => {
    const path = freshNovel()
    const before = await count()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        me.ask('PUT', path, { time_to_finish_minutes: index }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
    assert.equal(await count(), before + 1)
  })

  const several = { skip: needsConnections(engine) }
  it(
    'is 503 with the advice to come back when its reader is held for long by another process',
    several,
    async () => {
      const path = freshNovel()
      await service.db.transaction().execute(async (trx) => {
        await trx
          .selectFrom('accounts')
          .select('id')
          .where('id', '=', me.reader.id)
          .forNoKeyUpdate()
          .execute()
        const { status, code, headers } = await me.ask('PUT', path, { rate: 5 })
        assert.deepEqual([status, code], [503, 'COMMON_SERVICE_UNAVAILABLE'])
        assert.ok(Number(headers.get('retry-after')) >= 1)
        // lock_not_available: it is the lock that was waited for long enough, and not the statement (57014).
        assert.deepEqual(failures(headers), ['55P03'])
      })
      assert.equal((await me.ask('PUT', path, { rate: 5 })).status, 200)
    },
  )

  it('that is deleted is gone; to delete what is not there is no fault', async () => {
    const path = freshNovel()
    await me.ask('PUT', path, { rate: 3, rate_content: 'x' })
    for (const _ of [1, 2]) {
      const { status, text } = await me.ask('DELETE', path)
      assert.deepEqual([status, text], [204, ''])
      assert.equal((await me.ask('GET', path)).code, 'COMMON_NOT_FOUND')
    }
    assert.deepEqual(said((await me.ask('PUT', path, {})).body), BLANK)
  })

  it('is deleted by a client too that names the type of a body on every request', async () => {
    const path = freshNovel()
    await me.ask('PUT', path, {})
    const headers = { authorization: `Bearer ${me.token}`, 'content-type': 'application/json' }
    assert.equal((await fetch(service.url + path, { method: 'DELETE', headers })).status, 204)
    assert.equal((await me.ask('GET', path)).status, 404)
  })

  it('may be of a work marked nsfw: who reads it is an adult who chose it', async () => {
    const nsfw = await sampleWorks(service.db, true)
    const { status } = await me.ask('PUT', `/v3/user/me/rates/galgames/${first(nsfw.galgame)}`, {
      rate: 5,
    })
    assert.equal(status, 200)
  })

  it('is of a work that there is, under its own kind; else nothing is stored', async () => {
    const before = await count()
    const missing = ['999999999', '0', '-1', '1.5', 'abc', '9007199254740993', '%00', '１']
    for (const id of [...missing, String(galgame), String(manga)]) {
      const { status, code } = await me.ask('PUT', `/v3/user/me/rates/light-novels/${id}`, {
        rate: 5,
      })
      assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], id)
    }
    // The record of the galgame is not to be reached by another kind's address, neither to read nor to delete it.
    for (const method of ['GET', 'DELETE'])
      await me.ask(method, `/v3/user/me/rates/mangas/${galgame}`)
    assert.equal((await me.ask('GET', `/v3/user/me/rates/galgames/${galgame}`)).status, 200)
    assert.equal(await count(), before)
    await sql`insert into merged_entries (kind, id, merged_into) values ('manga', 888888, ${manga})`.execute(
      service.db,
    )
    const merged = await me.ask('PUT', '/v3/user/me/rates/mangas/888888', {})
    assert.deepEqual(
      [merged.status, merged.code, merged.body.error.details],
      [404, 'WIKI_RESOURCE_MERGED', { merged_into: manga }],
    )
  })
})
