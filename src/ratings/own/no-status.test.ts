import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { LIST_EXPORT_PATH, deleteAllRatings, createImporter } from '#test/list-imports.ts'
import { assertExactCounts, waitForTotals, workPathOf } from '#test/ratings.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'

describeOnDatabase('a rating without a status', (engine) => {
  let service: TestService
  let me: SignedInUser
  let novel: number
  let galgame: number
  before(async () => {
    service = await startService({ engine })
    me = await signIn(service)
    const works = await sampleWorks(service.db)
    novel = first(works.light_novel)
    galgame = first(works.galgame)
  })
  after(() => service.close())

  const path = () => `/v3/user/me/rates/light-novels/${novel}`
  const listed = async (query = '') =>
    (await me.send('GET', `/v3/user/me/rates${query}`)).data.items.map(
      ({ id, status }: AnyJson) => [id, status],
    )

  it('keeps its score when its status is cleared', async () => {
    await me.send('PUT', path(), {
      status: 'COMPLETED',
      rate: 8.5,
      rate_content: 'A quiet ending.',
    })
    const { body: record } = await me.send('PUT', path(), { status: null })
    assert.deepEqual(
      [record.status, record.rate, record.rate_content],
      [null, 8.5, 'A quiet ending.'],
    )
    assert.deepEqual((await me.send('GET', path())).data, record)
    assert.deepEqual(
      (await me.send('PUT', path(), { status: null })).body,
      record,
      'nothing changes',
    )
    const { data: history } = await me.send('GET', `${path()}/history`)
    assert.deepEqual(history.items[0].fields, { status: { from: 'COMPLETED', to: null } })
  })

  it('is listed among rated works, but not under any status', async () => {
    assert.deepEqual(await listed(), [[novel, null]])
    assert.deepEqual(await listed('?scored=true'), [[novel, null]])
    assert.deepEqual(await listed('?status=COMPLETED'), [])
  })

  it('counts toward the score but not toward any status, and its review is public', async () => {
    await waitForTotals(service.db)
    await assertExactCounts(service.db)
    const token = await service.token()
    const get = async (rest: string) => {
      const response = await service.get(
        `${workPathOf({ id: novel, kind: 'light_novel' })}${rest}`,
        token,
      )
      return ((await response.json()) as { data: AnyJson }).data
    }
    const { statuses, total, total_count } = await get('/rates/statistics')
    assert.deepEqual(Object.values(statuses), [0, 0, 0, 0, 0])
    assert.deepEqual([total, total_count], [1, 1])
    const [review] = (await get('/rates')).items
    assert.deepEqual(
      [review.status, review.rate, review.rate_content],
      [null, 8.5, 'A quiet ending.'],
    )
  })

  it('can be created, and its creation and deletion appear in the history', async () => {
    const galgames = `/v3/user/me/rates/galgames/${galgame}`
    assert.equal((await me.send('PUT', galgames, { status: null })).data.status, null)
    await me.send('DELETE', galgames)
    const { data } = await me.send('GET', `${galgames}/history`)
    assert.deepEqual(
      data.items.map(({ action, fields }: AnyJson) => [action, fields]),
      [
        ['DELETED', {}],
        ['CREATED', {}],
      ],
    )
  })

  it('is exported with null or an empty cell, and imported again without a status', async () => {
    const whole = await me.send('GET', LIST_EXPORT_PATH)
    assert.deepEqual(
      whole.data.ratings.map(({ status, work_type }: AnyJson) => [work_type, status]),
      [['LIGHT_NOVEL', null]],
    )
    const csv = await (await service.get(`${LIST_EXPORT_PATH}?format=csv`, me.token)).text()
    const [header = [], line = []] = csv.split('\r\n').map((row) => row.split(','))
    assert.equal(line[header.indexOf('status')], '')
    await deleteAllRatings(service, me)
    const send = createImporter(service, me)
    const { data } = await send({ source: 'mokuroku', dry_run: false }, whole.body)
    assert.deepEqual([data.counts.created, data.rows[0].work_type], [1, 'LIGHT_NOVEL'])
    assert.deepEqual(await listed(), [[novel, null]])
    const lower = {
      ratings: [{ ...whole.data.ratings[0], work_type: 'light_novel', status: 'PLAN' }],
    }
    await send({ source: 'mokuroku', dry_run: false, overwrite: true }, lower)
    assert.deepEqual(await listed(), [[novel, 'PLAN']], 'exports of earlier versions')
  })
})
