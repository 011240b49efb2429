/** Quality of joining (decision 0022), measured with known pairs and realistic noise. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { emptyCatalog, importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { generateOverlappingRecords } from '#test/overlapping-records.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { SeededRandom } from '#test/seeded-random.ts'

/** Minimum share of the pairs with sufficient evidence that are joined automatically. The rest is listed for review. */
const MIN_RECALL: Record<string, number> = {
  galgame: 0.6,
  light_novel: 0.6,
  person: 0.45,
  producer: 0.45,
  character: 0.45,
}
const MIN_LINKED_RECALL = 0.99
const MIN_OFFERED_SHARE = 0.85

type Figures = { pairs: number; joined: number; wrong: number; offered: number }

describeOnDatabase('the quality of joining', (engine) => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine)
  })
  after(() => test.remove())

  it('is sufficient: in thousands of generated pairs, most equal records join and no different records join', async (t) => {
    const { db } = test
    await emptyCatalog(db)
    const { loads, pairs } = generateOverlappingRecords(new SeededRandom(20_261_122), 300)
    assert.ok(pairs.length > 1_000, `${pairs.length} pairs`)
    for (const { source, records } of loads) await importRecords(db, source, records)
    const known = new Set(pairs.map(({ kind, one, other }) => `${kind} ${one} = ${other}`))
    const joined = await listPairs(sql`
      select one.kind, one.source || ' ' || one.external_id as one, other.source || ' ' || other.external_id as other
      from source_records one
      join source_records other on other.kind = one.kind and other.entry_id = one.entry_id and other.source > one.source
      where one.kind <> 'light_novel_volume'`)
    const listed = await listPairs(sql`
      select kind, other_source || ' ' || other_external_id as one, source || ' ' || external_id as other
      from matches where state = 'open'`)
    const wrong = [...joined].filter((pair) => !known.has(pair))
    const figures: Record<string, Figures> = {}
    for (const pair of known) {
      const kind = pair.split(' ', 1)[0] ?? ''
      const figure = (figures[kind] ??= { pairs: 0, joined: 0, wrong: 0, offered: 0 })
      figure.pairs += 1
      if (joined.has(pair)) figure.joined += 1
      if (joined.has(pair) || listed.has(pair)) figure.offered += 1
    }
    for (const pair of wrong)
      (figures[pair.split(' ', 1)[0] ?? ''] ??= {
        pairs: 0,
        joined: 0,
        wrong: 0,
        offered: 0,
      }).wrong += 1
    for (const [kind, { pairs: all, joined: right, wrong: wrongly, offered }] of Object.entries(
      figures,
    ))
      t.diagnostic(
        `${kind}: ${all} pairs, precision ${share(right, right + wrongly)}, recall ${share(right, all)}, with review ${share(offered, all)}`,
      )
    assert.deepEqual(wrong, [], 'precision 1.00')
    for (const [kind, { pairs: all, joined: right }] of Object.entries(figures))
      assert.ok(right / all >= (MIN_RECALL[kind] ?? 1), `${kind}: ${right} of ${all}`)
    const linked = pairs.filter(({ isLinked }) => isLinked)
    const found = linked.filter(({ kind, one, other }) => joined.has(`${kind} ${one} = ${other}`))
    t.diagnostic(
      `linked works: ${linked.length} pairs, recall ${share(found.length, linked.length)}`,
    )
    assert.ok(
      found.length >= MIN_LINKED_RECALL * linked.length,
      `${found.length} of ${linked.length}`,
    )
    const offered = Object.values(figures).reduce((sum, figure) => sum + figure.offered, 0)
    assert.ok(
      offered / known.size >= MIN_OFFERED_SHARE,
      `${offered} of ${known.size} are joined or listed`,
    )
  })

  async function listPairs(query: ReturnType<typeof sql>): Promise<Set<string>> {
    const { rows } = await sql<{ kind: string; one: string; other: string }>`${query}`.execute(
      test.db,
    )
    return new Set(rows.map(({ kind, one, other }) => `${kind} ${one} = ${other}`))
  }
})

const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole).toFixed(3)

describeOnDatabase('pairs in the sample that are evidently the same', (engine) => {
  let test: OpenTestDatabase
  before(async () => {
    test = await openTestDatabase(engine)
  })
  after(() => test.remove())

  const namesOf = async (query: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ name: string }>`${query}`.execute(test.db)
    return new Set(rows.map(({ name }) => name.replaceAll(/[\s　]/g, '')))
  }

  it('join with their works, and are listed for review otherwise', async (t) => {
    const joinedOf = (kind: string) =>
      namesOf(sql`
        select coalesce(min(fields ->> 'name'), min(fields ->> 'origin_title')) as name from source_records
        where kind = ${kind} group by entry_id having count(distinct source) > 1`)
    const listedOf = (kind: string) =>
      namesOf(sql`
        select record.fields ->> 'name' as name
        from matches
        join source_records record
          on record.kind = matches.kind and record.source = matches.source and record.external_id = matches.external_id
        where matches.kind = ${kind} and matches.state = 'open'`)
    assert.equal((await joinedOf('galgame')).size, 2)
    const [people, producers, characters] = await Promise.all(
      ['person', 'producer', 'character'].map(joinedOf),
    )
    const [listedPeople, listedProducers] = await Promise.all(['person', 'producer'].map(listedOf))
    assert.ok(people && producers && characters && listedPeople && listedProducers)
    t.diagnostic(
      `joined: ${people.size} people, ${producers.size} producers, ${characters.size} characters; listed: ${listedPeople.size} people, ${listedProducers.size} producers`,
    )
    for (const name of ['古河渚', '藤林杏', '一ノ瀬ことみ', '坂上智代'])
      assert.ok(characters.has(name), name)
    for (const name of ['麻枝准', '魁', '涼元悠一'])
      assert.ok(people.has(name) || listedPeople.has(name), name)
    assert.ok(producers.has('Key'))
    for (const name of ['KADOKAWA', '講談社', '集英社', '小学館', 'スクウェア・エニックス'])
      assert.ok(producers.has(name) || listedProducers.has(name), name)
    assert.ok(
      people.size + listedPeople.size >= 11,
      `${people.size} and ${listedPeople.size} people`,
    )
  })
})
