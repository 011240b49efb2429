import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import {
  LIST_EXPORT_PATH,
  deleteAllRatings,
  createImporter,
  exportRatings,
} from '#test/list-imports.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../catalog/kinds.ts'
import {
  DEFAULT_RATING,
  isSubScore,
  pickFields,
  RATING_FIELDS,
  ratingFieldsOf,
  type RatingField,
  type RatingFields,
} from './fields.ts'
import { decideOutcome } from './lists/imports/outcome.ts'

/** Columns that users do not write. */
const OTHER_COLUMNS = [
  'id',
  'account_id',
  'work_id',
  'kind',
  'like_count',
  'dislike_count',
  'hidden',
  'previous',
  'created_at',
  'updated_at',
]

/** A non-default value for each field. */
const SAMPLE: RatingFields = {
  is_spoiler: true,
  rate: 8.5,
  rate_character: 1.1,
  rate_illustration: 1.2,
  rate_pacing: 1.3,
  rate_plot: 1.4,
  rate_worldview: 1.5,
  rate_writing: 1.6,
  rate_scenario: 1.7,
  rate_direction: 1.8,
  rate_music: 1.9,
  rate_visual: 2,
  rate_system: 2.1,
  rate_content: 'A quiet ending.',
  status: 'ON_HOLD',
  status_private: true,
  time_to_finish_minutes: 90,
}

describeOnDatabase('each rating field', (engine) => {
  let service: TestService
  let me: SignedInUser
  let works: Record<WorkKind, number>
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    const sample = await sampleWorks(service.db)
    works = {
      galgame: first(sample.galgame),
      light_novel: first(sample.light_novel),
      manga: first(sample.manga),
    }
  })
  after(() => service.close())

  const paths = WORK_KINDS.map((kind) => ({ path: KINDS[kind].path, kind }))
  const pathOf = (path: string, kind: WorkKind) => `/v3/user/me/rates/${path}/${works[kind]}`

  it('is a column of the ratings table and belongs to at least one kind of work', async () => {
    const { rows } = await sql<{ column_name: string }>`
      select column_name from information_schema.columns
      where table_schema = 'public' and table_name = 'ratings'`.execute(service.db)
    assert.deepEqual(
      rows.map(({ column_name }) => column_name).toSorted(),
      [...OTHER_COLUMNS, ...RATING_FIELDS].toSorted(),
    )
    const { rows: attributes } = await sql<{ attribute_name: string }>`
      select attribute_name from information_schema.attributes
      where udt_name = 'rating_said' order by ordinal_position`.execute(service.db)
    assert.deepEqual(
      attributes.map(({ attribute_name }) => attribute_name),
      RATING_FIELDS,
      '`previous` contains all rating fields',
    )
    const ofKinds = new Set(paths.flatMap(({ kind }) => ratingFieldsOf(kind)))
    assert.deepEqual([...ofKinds].toSorted(), RATING_FIELDS.toSorted())
  })

  it('has the same default value in code, in its column and in the history', async () => {
    const { db } = service
    const [user = 0] = await createAccounts(db, 1)
    const { rows } = await sql<RatingFields>`
      insert into ratings (account_id, work_id, kind, updated_at)
      values (${user}, ${works.galgame}, 'galgame', now())
      returning *`.execute(db)
    assert.deepEqual(pickFields(first(rows), RATING_FIELDS), DEFAULT_RATING)
    const writer = first(await createAccounts(db, 1))
    const other = await writeRating(db, writer, { id: works.galgame, kind: 'galgame' }, {})
    assert.deepEqual(pickFields(other, RATING_FIELDS), DEFAULT_RATING)
    const { rows: history } = await sql<{ fields: object }>`
      select fields from rating_changes where account_id = ${writer}`.execute(db)
    const planned = decideOutcome(undefined, { change: {}, onCreation: {} }, false).changes
    assert.deepEqual(history, [{ fields: planned }], 'a dry run predicts the history')
  })

  it('updates `updated_at`, the history and the counts when it changes', async () => {
    for (const { kind } of paths)
      for (const field of ratingFieldsOf(kind)) {
        const [user = 0] = await createAccounts(service.db, 1)
        const change = pickFields(SAMPLE, [field])
        // A transaction hides the deltas from the task that applies them.
        await service.db.transaction().execute(async (trx) => {
          const work = { id: works[kind], kind }
          const created = await writeRating(trx, user, work, {})
          await sql`delete from rating_deltas where work_id = ${work.id}`.execute(trx)
          const changed = await writeRating(trx, user, work, change)
          assert.deepEqual(changed, { ...created, ...change, updated_at: changed.updated_at })
          assert.ok(changed.updated_at > created.updated_at, `${field} of a ${kind}`)
          const { rows: history } = await sql`
            select fields from rating_changes where account_id = ${user} and action = 'CHANGED'`.execute(
            trx,
          )
          assert.deepEqual(history, [
            { fields: { [field]: { from: DEFAULT_RATING[field], to: SAMPLE[field] } } },
          ])
          const { rows: deltas } = await sql`
            select was, becomes from rating_deltas where work_id = ${work.id}`.execute(trx)
          const [was, becomes] = [
            counted(DEFAULT_RATING),
            counted({ ...DEFAULT_RATING, ...change }),
          ]
          assert.deepEqual(deltas, isDeepStrictEqual(was, becomes) ? [] : [{ was, becomes }], field)
          const { rows: ofDatabase } = await sql`
            select rating_counted(rating) as becomes from ratings rating
            where account_id = ${user} and work_id = ${work.id}`.execute(trx)
          assert.deepEqual(ofDatabase, [{ becomes }], 'a ban removes what was counted')
        })
      }
  })

  it('is accepted by PUT, returned, exported as JSON and CSV, and imported again', async () => {
    const send = createImporter(service, me)
    for (const { path, kind } of paths) {
      const fields = ratingFieldsOf(kind)
      const { status, body } = await me.send('PUT', pathOf(path, kind), pickFields(SAMPLE, fields))
      assert.equal(status, 200)
      const response = body.data ?? body
      assert.deepEqual(
        Object.keys(response).slice(-fields.length),
        fields,
        'in the order of the API',
      )
      assert.deepEqual(pickFields(response, RATING_FIELDS), pickFields(SAMPLE, fields))
    }
    const csv = await (await service.get(`${LIST_EXPORT_PATH}?format=csv`, me.token)).text()
    const [header = ''] = csv.split('\r\n')
    assert.deepEqual(
      RATING_FIELDS.filter((field) => !header.split(',').includes(field)),
      [],
    )
    const whole = await me.send('GET', LIST_EXPORT_PATH)
    const before = await exportRatings(me)
    for (const exported of before)
      assert.deepEqual(
        pickFields(exported, RATING_FIELDS),
        pickFields(SAMPLE, ratingFieldsOf(exported.work_type.toLowerCase())),
      )
    await deleteAllRatings(service, me)
    const { data } = await send({ source: 'mokuroku', dry_run: false }, whole.body)
    assert.equal(data.counts.created, 3)
    assert.deepEqual(await exportRatings(me), before)
  })
})

/** Returns the values of a rating that its work's totals count. */
const counted = (rating: RatingFields) => ({
  ...(rating.rate_content !== '' && !rating.status_private && { content: 'REVIEW' }),
  ...Object.fromEntries(
    RATING_FIELDS.filter(
      (field) => field === 'rate' || isSubScore(field) || isPublicStatus(field, rating),
    )
      .filter((field) => rating[field] !== null)
      .map((field) => [field, rating[field]]),
  ),
})

const isPublicStatus = (field: RatingField, { status_private }: RatingFields) =>
  field === 'status' && !status_private
