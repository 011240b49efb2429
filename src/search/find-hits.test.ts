import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  describeOnEachDatabase,
  describeOnDatabase,
  testsEveryEngine,
  type Engine,
} from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { ENTRY_KINDS } from '../catalog/kinds.ts'
import { queryText } from '../db/query.ts'
import { findHits, type Search } from './find-hits.ts'
import { indexReaderCounts } from './index/follow-queries.ts'
import { readNames } from './index/entry-names-queries.ts'
import { beginRebuild, isRebuilding, rebuildNextBatch } from './index/rebuild-queries.ts'
import { rebuildIndex } from './index/rebuild.ts'
import { SECTIONS, sectionOf } from './index/sections.ts'
import { formsOfName, type NameForm } from './text/forms.ts'

const sections = SECTIONS.map(({ number }) => number)
const NOTHING_KNOWN = new Map<number, number>()
/** Treats every gram as frequent, so that the search reads the index bucket by bucket. */
const ALL_FREQUENT = { get: () => 1_000_000 } as unknown as Map<number, number>

/** Results from the first database, keyed by the index of the name. The second database must return the same. */
const foundBefore = new Map<string, unknown>()

type EntryName = { section: number; id: number; name: string; isTitle: boolean }

/** Starts a service with users spread over the entries, and returns every indexed name. */
async function startIndexed(engine: Engine) {
  const service = await startService({ engine })
  const { db } = service
  const names: EntryName[] = []
  for (const kind of ENTRY_KINDS) {
    const rows = await queryText<{ id: number }>(
      db,
      'select resource_id as id from catalog_entries where resource_type = $1 order by 1',
      [kind],
    )
    const ids = rows.map(({ id }) => id)
    for (const { id, nsfw, titles, chinese, aliases } of await readNames(db, kind, ids)) {
      const section = sectionOf(kind, nsfw)
      const add = (name: string | null, isTitle: boolean) =>
        name && names.push({ section, id, name, isTitle })
      for (const name of [...titles, ...chinese]) add(name, true)
      for (const name of aliases) add(name, false)
    }
  }
  // Gives every second entry up to several thousand users, so that hits fall into many buckets.
  await queryText(
    db,
    'update listings set readers = (id % 2) * (2 ^ (id % 14))::integer + id % 7 where id > $1',
    [0],
  )
  // The service also updates the index, so the test and the service take turns.
  const due = () => queryText(db, 'select from search_readers_due limit 1', [])
  while ((await due()).length > 0) await indexReaderCounts(db)
  // Databases return the names in different orders.
  const keyOf = ({ section, id, name, isTitle }: EntryName) => `${section} ${id} ${isTitle} ${name}`
  return { service, names: names.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }
}

const findIn = (
  { db }: TestService,
  forms: NameForm[],
  options: Partial<Search> = {},
  frequencies = NOTHING_KNOWN,
) =>
  findHits(db, frequencies, {
    forms,
    sections,
    groups: SECTIONS.map(() => 0),
    limit: 50,
    counted: true,
    ...options,
  })
const formsOf = (name: string) => formsOfName(name, { chinese: false })

describeOnEachDatabase('the search index', (engine) => {
  let service: TestService
  let names: EntryName[]
  before(async () => ({ service, names } = await startIndexed(engine)))
  after(() => service.close())

  it('finds every entry by each of its names, with the same results on both database engines', async () => {
    assert.ok(names.length > 2_000)
    // A sample of the names is enough to detect differences between the databases.
    const step = engine === 'embedded' && !testsEveryEngine() ? 3 : 1
    const lost: string[] = []
    for (const [index, { section, id, name, isTitle }] of names.entries()) {
      const forms = formsOf(name)
      if (forms.length === 0 || index % step !== 0) continue
      // Searching one section is nine times faster.
      const requested = index % 20 === 0 ? sections : [section]
      const { found, total } = await findIn(service, forms, { sections: requested })
      const hit = found.find((item) => item.section === section && item.id === id)
      if (!hit || hit.level > (isTitle ? 0 : 1))
        lost.push(`${section}/${id} ${name}: ${hit?.level}`)
      const result = { found, total }
      assert.deepEqual(result, foundBefore.get(`${index}`) ?? result, name)
      foundBefore.set(`${index}`, result)
    }
    assert.deepEqual(lost, [])
  })

  it('keeps serving searches while an interrupted rebuild is resumed', async () => {
    const rows = () =>
      queryText(service.db, 'select * from search_entries order by section, id', []) as Promise<
        { section: number }[]
      >
    const words = () => queryText(service.db, 'select word from search_words order by word', [])
    const whole = await rows()
    const wordsOfNames = await words()
    await queryText(service.db, `insert into search_words values ('nobodyhasit', '{1}')`, [])
    await queryText(
      service.db,
      `update search_entries set names = '^lost$', grams = '{}' where section = 8`,
      [],
    )
    await queryText(
      service.db,
      `insert into search_entries values (0, 999999, 0, '^gone$', '', '{}')`,
      [],
    )
    await queryText(service.db, 'insert into search_buckets values (0, 7), (8, 10000)', [])

    assert.equal(await beginRebuild(service.db), 'begun')
    await rebuildNextBatch(service.db)
    assert.ok(await isRebuilding(service.db))
    assert.ok((await findIn(service, formsOf('CLANNAD'))).total > 0)
    const reports: number[] = []
    const { was, entries } = await rebuildIndex(service.db, ({ done }) => void reports.push(done))
    assert.deepEqual({ was, entries }, { was: 'resumed', entries: whole.length })
    assert.equal(reports.at(-1), whole.length)
    assert.deepEqual(await rows(), whole)
    assert.deepEqual(await words(), wordsOfNames)
    const left = 'select from search_buckets where (section, bucket) in ((0, 7), (8, 10000))'
    assert.deepEqual(await queryText(service.db, left, []), [])
  })
})

describeOnDatabase('hits of the search index', (engine) => {
  let service: TestService
  let names: EntryName[]
  before(async () => ({ service, names } = await startIndexed(engine)))
  after(() => service.close())

  it('are the same whether candidates are read in buckets or compared all at once', async () => {
    const titles = names.filter(({ isTitle }) => isTitle).flatMap(({ name }) => formsOf(name))
    const parts = titles
      .map(({ text }) => [...text])
      .flatMap((chars) => [chars.slice(0, 2).join(''), chars.slice(1, 3).join('')])
      .filter((text) => text.length > 1)
    const whole = titles.map(({ text }) => text).filter((text) => text.length <= 12)
    const every = (texts: string[], step: number) =>
      [...new Set(texts)].filter((_, index) => index % step === 0)
    for (const text of [...every(parts, 113), ...every(whole, 67), 'a', 'の', '月']) {
      const forms: NameForm[] = [{ text, words: [text], kind: 'name' }]
      for (const limit of [3, 200]) {
        const compared = await findIn(service, forms, { limit, budget: 10_000 })
        assert.deepEqual(await findIn(service, forms, { limit, budget: 1 }), compared, text)
        assert.deepEqual(await findIn(service, forms, { limit }, ALL_FREQUENT), compared, text)
      }
    }
  })

  it('contain an entry once, at its best level, however many forms it matches', async () => {
    const forms: NameForm[] = [
      { text: 'zebralove', words: ['zebra', 'love'], kind: 'name' },
      { text: 'lovezeb', words: ['lovezeb'], kind: 'reading' },
    ]
    // This name begins with the first form and contains the words of the second.
    await queryText(
      service.db,
      `update galgames set trans_title = 'Love Zebra' where id in (1, 2)`,
      [],
    )
    const find = (options: Partial<Search>) =>
      findIn(service, forms, { sections: [0, 1], limit: 3, ...options })
    for (let attempt = 0; (await find({ budget: 10_000 })).total < 2; attempt += 1) {
      assert.ok(attempt < 600, 'the index was not updated in time')
      await sleep(50)
    }
    const compared = await find({ budget: 10_000 })
    assert.deepEqual(
      compared.found
        .map(({ id, level }) => [id, level])
        .toSorted((a, b) => Number(a[0]) - Number(b[0])),
      [
        [1, 2],
        [2, 2],
      ],
    )
    assert.deepEqual(await find({ budget: 1 }), compared)
    assert.deepEqual(
      await findIn(service, forms, { sections: [0, 1], limit: 3 }, ALL_FREQUENT),
      compared,
    )
  })

  it('are counted only up to 1,000, whichever way they are found', async () => {
    const title = names.find(({ isTitle, section }) => isTitle && section === 0)
    assert.ok(title)
    const forms = formsOf(title.name)
    const copy = (from: number, to: number) =>
      queryText(
        service.db,
        `insert into search_entries
         select section, 1000000 + number, readers, names, words, grams
         from search_entries, generate_series($2::integer, $3::integer) number
         where section = 0 and id = $1`,
        [title.id, from, to],
      )
    const totals = async () => {
      const search = { sections: [0], limit: 3 }
      const found = [
        await findIn(service, forms, search),
        await findIn(service, forms, search, ALL_FREQUENT),
      ]
      return found.map(({ total }) => total)
    }
    const [first = 0] = await totals()
    await copy(first + 1, 999)
    assert.deepEqual(await totals(), [999, 999])
    await copy(1_000, 1_100)
    assert.deepEqual(await totals(), [1_000, 1_000])
  })
})
