import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { fc } from '#test/arbitrary-text.ts'
import { emptyCatalog, fingerprint, importRecords, readCatalog } from '#test/catalog.ts'
import { describeOnDatabase, testsEveryEngine } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import type { Database } from '../db/database.ts'
import type { RecordKind } from '../sources/records/record-kinds.ts'
import type { SameAs, Source, SourceRecord } from '../sources/records/record.ts'

const SOURCES = ['vndb', 'ranobedb', 'bangumi'] as const
const OUTSIDE = fc.constantFrom(...SOURCES)

/**
 * Number of things of each kind, small enough that sources overlap. The last thing is only referred to and never
 * imported.
 */
const THINGS_PER_KIND = 4
const thingNumber = fc.nat({ max: THINGS_PER_KIND - 2 })
const reference = fc.nat({ max: THINGS_PER_KIND - 1 })
const idOf = (source: Source, kind: RecordKind, number: number) => `${source[0]}-${kind}-${number}`

/**
 * Sources whose ids each source states, keyed by thing. For each kind, one source states ids of the first thing, all
 * sources state ids of the second, and none states ids of the third. Records refer to each other directly, without an
 * intermediate record.
 */
const STATED_SOURCES: Partial<Record<Source, Source[]>>[] = [
  { vndb: ['bangumi'] },
  { bangumi: ['vndb'], ranobedb: ['vndb', 'bangumi'] },
]
/**
 * Returns the ids that a record states. All of RanobeDB's records also share an id at a site that is not imported.
 * That id joins nothing.
 */
const sameAs = (source: Source, kind: RecordKind, number: number): SameAs[] => [
  ...(STATED_SOURCES[number]?.[source] ?? []).map((other) => ({
    source: other,
    external_id: idOf(other, kind, number),
  })),
  ...(source === 'ranobedb' ? [{ source: 'mal' as const, external_id: '1' }] : []),
]

/**
 * Gives a record a name that no other source uses. Records with the same name may be joined, and stay joined if one of
 * them is renamed later (`curation/join/join.test.ts`).
 */
const named = <Frame extends { external_id: string }, Fields extends { name: string }>(
  frame: Frame,
  fields: Fields,
) => ({ ...frame, fields: { ...fields, name: `${fields.name} ${frame.external_id}` } })

const word = fc.constantFrom('A', 'B', '絵', 'a\0', '')
const name = fc.constantFrom('A', 'B', '絵')
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const few = <Value>(item: fc.Arbitrary<Value>) => fc.array(item, { maxLength: 4 })
const day = fc.constantFrom('2004-04-28', '2011-09-01')
const role = fc.constantFrom('MAIN' as const, 'SUPPORTING' as const)

function recordOf(source: Source): fc.Arbitrary<SourceRecord> {
  const ref = (kind: RecordKind) => reference.map((number) => idOf(source, kind, number))
  const entry = <Kind extends RecordKind>(kind: Kind) =>
    thingNumber.map((number) => ({
      kind,
      external_id: idOf(source, kind, number),
      same_as: kind === 'light_novel_volume' ? [] : sameAs(source, kind, number),
    }))
  const person = fc
    .tuple(entry('person'), fc.record({ name, intro: maybe(word), aliases: few(word) }))
    .map(([frame, fields]) => named(frame, fields))
  const character = fc
    .tuple(
      entry('character'),
      fc.record({ name, height: maybe(fc.constantFrom(170, 170.126, Number.NaN)) }),
    )
    .map(([frame, fields]) => named(frame, fields))
  const volume = fc
    .tuple(
      entry('light_novel_volume'),
      fc.record({ name: maybe(name), volume_number: maybe(fc.constantFrom(1, 2.5, 1.005)) }),
    )
    .map(([frame, fields]) => ({ ...frame, fields }))
  const galgame = fc
    .tuple(
      entry('galgame'),
      fc.record({
        origin_title: word,
        trans_title: maybe(word),
        aliases: few(word),
        release_date: maybe(day),
        nsfw: maybe(fc.boolean()),
        dev_status: maybe(fc.constantFrom('RELEASED' as const, 'CANCELLED' as const)),
      }),
      fc.record({
        staff: few(
          fc.record(
            { ref: ref('person'), role: fc.constantFrom('ART' as const, null), credited_as: word },
            { requiredKeys: ['ref', 'role'] },
          ),
        ),
        characters: few(
          fc.record({
            ref: ref('character'),
            role,
            actors: few(fc.record({ ref: ref('person') })),
          }),
        ),
        relations: few(
          fc.record({ ref: ref('galgame'), relation: fc.constant('SEQUEL' as const) }),
        ),
      }),
    )
    .map(([frame, fields, links]) => ({ ...frame, fields, links }))
  const novel = fc
    .tuple(
      entry('light_novel'),
      fc.record({ name, summary: maybe(word), total_volumes: maybe(fc.nat({ max: 2 })) }),
      fc.record({
        volumes: few(fc.record({ ref: ref('light_novel_volume') })),
        people: few(
          fc.record(
            { ref: ref('person'), relation: name, note: word },
            { requiredKeys: ['ref', 'relation'] },
          ),
        ),
      }),
    )
    .map(([frame, fields, links]) => ({ ...named(frame, fields), links }))
  return fc.oneof(person, character, volume, galgame, novel)
}

const keyOf = ({ kind, external_id }: SourceRecord) => `${kind} ${external_id}`

type Import = { source: (typeof SOURCES)[number]; records: SourceRecord[] }
const oneImport: fc.Arbitrary<Import> = OUTSIDE.chain((source) =>
  fc.record({
    source: fc.constant(source),
    records: fc.uniqueArray(recordOf(source), { maxLength: 12, selector: keyOf }),
  }),
)
/** A few imports, some of them run again. */
const manyImports = fc
  .tuple(fc.array(oneImport, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(), { maxLength: 2 }))
  .map(([imports, repeated]) => [
    ...imports,
    ...repeated.flatMap((number) => imports[number % imports.length] ?? []),
  ])

/** A record without a name is skipped, as if it did not exist. */
const isNamed = ({ kind, fields }: SourceRecord) =>
  kind !== 'galgame' || Boolean(fields.origin_title?.replaceAll('\0', ''))

function latestRecordsOf(source: Source, imports: Import[]): SourceRecord[] {
  const records = imports.filter((item) => item.source === source).flatMap((item) => item.records)
  return [...new Map(records.filter(isNamed).map((record) => [keyOf(record), record])).values()]
}

describeOnDatabase('any sequence of imports', (engine) => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine)
  })
  after(() => test.remove())

  /** Reads the catalog without the merged entries, which depend on the order of imports. */
  async function readWithoutHistory(db: Database) {
    const { merged_entries: _, ...catalog } = await readCatalog(db)
    return catalog
  }

  it('produces the same catalog as importing only the latest records of each source', async () => {
    const { db } = test
    let listed = 0
    const property = fc.asyncProperty(manyImports, async (imports) => {
      await emptyCatalog(db)
      for (const { source, records } of imports) await importRecords(db, source, records)
      const catalog = await readWithoutHistory(db)

      const before = await fingerprint(db)
      for (const source of SOURCES)
        await importRecords(db, source, latestRecordsOf(source, imports))
      assert.deepEqual(
        await fingerprint(db),
        before,
        'importing the latest records again writes nothing',
      )

      await emptyCatalog(db)
      for (const source of SOURCES.toReversed())
        await importRecords(db, source, latestRecordsOf(source, imports))
      assert.deepEqual(await readWithoutHistory(db), catalog)
      listed +=
        (catalog['galgame_staff']?.length ?? 0) + (catalog['light_novel_volumes']?.length ?? 0)
    })
    // The timeout is for failures: finding the smallest failing example may take a long time.
    await fc.assert(property, {
      numRuns: !testsEveryEngine() ? 20 : engine === 'server' ? 40 : 10,
      interruptAfterTimeLimit: 100_000,
    })
    assert.ok(listed > 0, 'no import had a list')
  })
})
