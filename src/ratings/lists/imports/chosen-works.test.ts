import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import {
  deleteAllRatings,
  createImporter,
  exportRatings,
  type Importer,
} from '#test/list-imports.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'

const LIST = `<vndb-export><vns>
<vn id="v987001"><title>Nobody knows it</title><vote>7</vote></vn>
<vn id="v987002"><title>Nor this</title><vote>11</vote></vn>
<vn id="v17"><title>Ever17</title><vote>8</vote></vn>
</vns></vndb-export>`

describeOnDatabase('a work assigned to a row by hand', (engine) => {
  let service: TestService
  let me: SignedInUser
  let send: Importer
  let game: number
  let manga: number
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    send = createImporter(service, me)
    const works = await sampleWorks(service.db)
    game = first(works.galgame)
    manga = first(works.manga)
  })
  after(() => service.close())
  beforeEach(() => deleteAllRatings(service, me))

  const outcomesOf = ({ rows }: AnyJson) =>
    rows.map(({ row, outcome, work_id: id }: AnyJson) => [
      row,
      outcome,
      ...(outcome === 'CREATED' ? [id] : []),
    ])

  it('is applied by row number, both in a dry run and in the import', async () => {
    const dry = await send({ source: 'vndb', match: `1:${game}` }, LIST)
    assert.equal(dry.status, 200)
    assert.deepEqual(outcomesOf(dry.data).slice(0, 2), [
      [1, 'CREATED', game],
      [2, 'INVALID'],
    ])
    const done = await send({ source: 'vndb', match: `1:${game}`, dry_run: false }, LIST)
    assert.deepEqual({ ...done.data, dry_run: true }, dry.data)
    const record = (await exportRatings(me)).find(({ work_id: id }: AnyJson) => id === game)
    assert.equal(record?.rate, 7)
  })

  it('overrides the ids of its row; a work assigned to two rows is imported once', async () => {
    const { data } = await send({ source: 'vndb', match: `3:${game},1:${game}` }, LIST)
    assert.deepEqual(outcomesOf(data), [
      [1, 'CREATED', game],
      [2, 'INVALID'],
      [3, 'SKIPPED'],
    ])
  })

  it('must name an existing work of a kind that the row can refer to', async () => {
    for (const work of [manga, 999_999])
      assert.deepEqual(
        outcomesOf((await send({ source: 'vndb', match: `1:${work}` }, LIST)).data)[0],
        [1, 'UNMATCHED'],
      )
  })

  it('is rejected if it is malformed or exceeds the maximum number', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, row) => `${row + 1}:${game}`).join(',')
    for (const match of ['1', '1:', '0:1', '1:0', 'a:b', '1:2,', many(501)])
      assert.deepEqual(
        (await send({ source: 'vndb', match }, LIST)).fields,
        ['match'],
        match.slice(0, 20),
      )
    assert.equal((await send({ source: 'vndb', match: many(500) }, LIST)).status, 200)
    assert.equal((await send({ source: 'vndb', match: '' }, LIST)).status, 200, 'counts as absent')
  })
})
