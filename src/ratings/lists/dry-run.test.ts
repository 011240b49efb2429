import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { fc } from '#test/arbitrary-text.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { STATUSES } from '../fields.ts'
import {
  deleteAllRatings,
  createImporter,
  exportRatings,
  type Importer,
} from '#test/list-imports.ts'

/** Number of works per kind. */
const WORKS = 2

/** Generates mostly valid values, and sometimes a bad one. */
const mostly = (good: fc.Arbitrary<unknown>, ...bad: unknown[]) =>
  fc.oneof({ weight: 15, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) })
const score = mostly(
  fc.option(fc.integer({ min: 10, max: 100 }).map((tenths) => tenths / 10)),
  0,
  11,
  5.55,
  '5',
)
const ratings = fc.record(
  {
    status: mostly(fc.constantFrom(...STATUSES), 'READING'),
    status_private: fc.boolean(),
    rate: score,
    rate_content: mostly(fc.constantFrom('', 'A review.', 'Lines\r\nof it'), 'a\0b'),
    is_spoiler: mostly(fc.boolean(), 'no'),
    // Some kinds lack the fields below.
    time_to_finish_minutes: fc.option(fc.constantFrom(0, 90, 525_601), { nil: undefined, freq: 8 }),
    rate_character: fc.option(score, { nil: undefined, freq: 8 }),
    rate_music: fc.option(score, { nil: undefined, freq: 8 }),
  },
  { requiredKeys: [] },
)
const row = fc.tuple(
  fc.constantFrom('galgame' as const, 'light_novel' as const, 'manga' as const),
  fc.constantFrom(0, 1, WORKS),
  ratings,
)
const good = fc.record(
  {
    status: fc.constantFrom(...STATUSES),
    rate: fc.constantFrom(1, 5.5, null),
    rate_content: fc.constantFrom('', 'Mine.'),
  },
  { requiredKeys: [] },
)
const PATHS = { galgame: 'galgames', light_novel: 'light-novels', manga: 'mangas' }

describeOnDatabase('a dry run', (engine) => {
  let service: TestService
  let me: SignedInUser
  let send: Importer
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    send = createImporter(service, me)
  })
  after(() => service.close())

  it('predicts the exact result of the import for random files and ratings', async () => {
    const works = await sampleWorks(service.db)
    const seen = new Set<string>()
    const property = fc.asyncProperty(
      fc.array(
        fc.tuple(
          row.map(([kind, number]) => ({ kind, number })),
          good,
        ),
        { maxLength: 4 },
      ),
      fc.array(row, { minLength: 2, maxLength: 14, size: 'max' }),
      fc.boolean(),
      async (recorded, rows, overwrite) => {
        await deleteAllRatings(service, me)
        for (const [{ kind, number }, body] of recorded) {
          const id = works[kind][number % WORKS]
          await me.send('PUT', `/v3/user/me/rates/${PATHS[kind]}/${id}`, body)
        }
        const before = await exportRatings(me)
        const file = rows.map(([work_type, number, record]) => ({
          ...record,
          work_type,
          work_id: number === WORKS ? 999_999 : works[work_type][number],
        }))
        const dry = await send({ source: 'mokuroku', overwrite }, file)
        assert.deepEqual(await exportRatings(me), before, 'a dry run stores nothing')
        const real = await send({ source: 'mokuroku', overwrite, dry_run: false }, file)
        assert.deepEqual({ ...real.data, dry_run: true }, dry.data)

        const now = await exportRatings(me)
        assert.deepEqual(now, predicted(before, now, dry.data.rows))
        for (const { outcome } of dry.data.rows) seen.add(outcome)

        const repeat = await send({ source: 'mokuroku', overwrite, dry_run: false }, file)
        assert.equal(repeat.data.counts.created + repeat.data.counts.updated, 0)
        assert.deepEqual(await exportRatings(me), now)
      },
    )
    await fc.assert(property, {
      numRuns: engine === 'server' ? 40 : 12,
      interruptAfterTimeLimit: 100_000,
    })
    if (engine === 'server')
      for (const outcome of ['CREATED', 'KEPT', 'UNMATCHED', 'INVALID', 'SKIPPED'])
        assert.ok(seen.has(outcome), `no row was ever ${outcome}`)
  })
})

/**
 * Returns the ratings that a report predicts.
 *
 * @param now current ratings, used only for the works of new ratings
 */
function predicted(before: AnyJson[], now: AnyJson[], rows: AnyJson[]): AnyJson[] {
  const records = new Map<number, AnyJson>(before.map((record) => [record.work_id, record]))
  for (const { outcome, work_id, changes } of rows) {
    if (outcome !== 'CREATED' && outcome !== 'UPDATED') continue
    const frame = now.find((record) => record.work_id === work_id)
    const blank = Object.fromEntries(
      Object.entries(frame).map(([field, value]) => {
        if (/^rate(_(?!content)|$)/.test(field)) return [field, null]
        return [field, BLANK[field] ?? value]
      }),
    )
    const record = records.get(work_id) ?? blank
    const changed = Object.entries<AnyJson>(changes).map(([field, { from, to }]) => {
      if (outcome === 'UPDATED') assert.equal(record[field], from)
      return [field, to]
    })
    records.set(work_id, { ...record, ...Object.fromEntries(changed) })
  }
  return [...records.values()].toSorted((a, b) => a.work_id - b.work_id)
}

const BLANK: Partial<Record<string, unknown>> = {
  status: 'GOING',
  status_private: false,
  rate_content: '',
  is_spoiler: false,
  time_to_finish_minutes: 0,
}
