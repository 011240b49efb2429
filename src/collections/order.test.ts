import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { skipEmbedded, describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { queryText } from '../db/query.ts'
import type { CollectionItem, FavoritedItem } from './schemas.ts'
import {
  createCollectionOwner,
  startCollectionService,
  type CollectionOwner,
  type ListPage,
} from '#test/collections.ts'

describeOnDatabase('a manually ordered collection', (engine) => {
  let service: TestService
  let collector: CollectionOwner
  let works: number[]
  before(async () => {
    service = await startCollectionService(engine)
    collector = await createCollectionOwner(service)
    works = (await sampleWorks(service.db)).light_novel.slice(0, 5)
    assert.equal(works.length, 5)
  })
  after(() => service.close())

  const novel = (index: number) => `light-novels/${works[index]}`
  const orderOf = async (id: number, sort = '?sort=position') => {
    const { data } = await collector.send<ListPage<CollectionItem>>('GET', `/${id}/items${sort}`)
    return data.items.map((item) => works.indexOf(item.work_id))
  }
  const move = (id: number, index: number, position: unknown) =>
    collector.send<{ position: number }>('PUT', `/${id}/items/${novel(index)}/position`, {
      position,
    })
  /** Creates a collection of the works 0, 1, 2 …. The last work is listed first. */
  const filled = async (amount = 4) => {
    const { id } = await collector.create()
    for (let index = 0; index < amount; index += 1) await collector.put(id, novel(index))
    return id
  }

  it('lists items by time until the first move and by position afterwards, but only with sort=position', async () => {
    const id = await filled()
    assert.deepEqual(await orderOf(id), [3, 2, 1, 0])
    assert.deepEqual((await move(id, 0, 2)).data, { position: 2 })
    assert.deepEqual(await orderOf(id), [3, 0, 2, 1])
    assert.deepEqual((await move(id, 3, 3)).data, { position: 3 })
    assert.deepEqual(await orderOf(id), [0, 2, 3, 1])
    assert.deepEqual((await move(id, 0, 10_000)).data, { position: 4 })
    assert.deepEqual(await orderOf(id), [2, 3, 1, 0])
    assert.deepEqual(await orderOf(id, ''), [3, 2, 1, 0])
    await collector.put(id, novel(4))
    assert.deepEqual(await orderOf(id), [2, 3, 1, 0, 4], 'a new work comes last')
    await collector.send('DELETE', `/${id}/items/${novel(3)}`)
    assert.deepEqual((await move(id, 4, 1)).data, { position: 1 })
    assert.deepEqual(await orderOf(id), [4, 2, 1, 0])
  })

  it('updates its timestamp only if a move changes the order, and shows no positions in its items', async () => {
    const id = await filled(2)
    const before = await collector.send('GET', `/${id}`)
    await move(id, 1, 1)
    const placed = await collector.send('GET', `/${id}`)
    assert.ok(placed.data.updated_at > before.data.updated_at)
    await move(id, 1, 1)
    assert.deepEqual((await collector.send('GET', `/${id}`)).data, placed.data)
    const { data } = await collector.send<CollectionItem>('GET', `/${id}/items/${novel(0)}`)
    assert.ok(!('position' in data))
  })

  it('rejects invalid positions, and missing works and collections', async () => {
    const id = await filled(2)
    for (const position of [0, -1, 1.5, '1', null, 10_001, 2 ** 53])
      assert.equal((await move(id, 0, position)).status, 422, String(position))
    assert.equal((await move(id, 3, 1)).status, 404)
    const other = await createCollectionOwner(service)
    const otherCollection = await other.create()
    await other.put(otherCollection.id, novel(0))
    assert.equal((await move(otherCollection.id, 0, 1)).status, 404)
    const { status } = await collector.send('GET', `/${id}/items?sort=best`)
    assert.equal(status, 422)
    assert.deepEqual(await orderOf(id), [1, 0])
  })

  it('keeps every work under concurrent moves', async () => {
    const id = await filled()
    const moves = Array.from({ length: 12 }, (_, index) =>
      move(id, index % 4, 1 + ((index * 7) % 4)),
    )
    const responses = await Promise.all([...moves, collector.put(id, novel(4))])
    assert.ok(responses.every(({ status }) => status === 200))
    assert.deepEqual((await orderOf(id)).toSorted(), [0, 1, 2, 3, 4])
    await move(id, 4, 1)
    const rows = await queryText<{ position: number }>(
      service.db,
      'select position from collection_items where collection_id = $1 order by 1',
      [id],
    )
    assert.deepEqual(
      rows.map(({ position }) => position),
      [1, 2, 3, 4, 5],
    )
  })

  it(
    'applies the later of two concurrent moves to the result of the earlier one',
    { skip: skipEmbedded(engine) },
    async () => {
      const id = await filled()
      await move(id, 3, 1)
      let moves: Promise<unknown> = Promise.resolve()
      await service.db.transaction().execute(async (trx) => {
        await queryText(trx, 'select from collection_items where collection_id = $1 for update', [
          id,
        ])
        moves = Promise.all([move(id, 3, 4), move(id, 0, 1)])
        await waitForBlocked(trx, 2)
      })
      await moves
      assert.deepEqual(await orderOf(id), [0, 2, 1, 3])
    },
  )

  it('restores a removed work with its position and note within ten minutes', async () => {
    const id = await filled(3)
    await move(id, 2, 2)
    await collector.put(id, novel(2), { note: 'The best.' })
    const restore = () => collector.send<FavoritedItem>('POST', `/${id}/items/${novel(2)}/restore`)
    assert.equal((await restore()).status, 404)
    await collector.send('DELETE', `/${id}/items/${novel(2)}`)
    const { status, data } = await restore()
    assert.deepEqual([status, data.note], [200, 'The best.'])
    assert.deepEqual(await orderOf(id), [1, 2, 0])
    assert.equal((await collector.send('GET', `/${id}`)).data.item_count, 3)
    for (const [minutes, expected] of [
      [9, 200],
      [11, 404],
    ]) {
      await collector.send('DELETE', `/${id}/items/${novel(2)}`)
      await queryText(
        service.db,
        'update removed_items set removed_at = now() - make_interval(mins => $1)',
        [minutes],
      )
      assert.equal((await restore()).status, expected)
    }
  })

  it('can be restored unchanged by its owner within ten minutes of its deletion', async () => {
    const id = await filled(3)
    await move(id, 0, 1)
    await collector.put(id, novel(1), { note: 'Here.' })
    await collector.send('PATCH', `/${id}`, { description: 'Mine', is_private: true })
    const before = (await collector.send('GET', `/${id}`)).data
    assert.equal((await collector.send('POST', `/${id}/restore`)).status, 404)
    await collector.send('DELETE', `/${id}`)
    const other = await createCollectionOwner(service)
    assert.equal((await other.send('POST', `/${id}/restore`)).status, 404)
    const { status, data } = await collector.send('POST', `/${id}/restore`)
    assert.deepEqual([status, data], [200, before])
    assert.deepEqual(await orderOf(id), [0, 2, 1])
    assert.equal(
      (await collector.send<CollectionItem>('GET', `/${id}/items/${novel(1)}`)).data.note,
      'Here.',
    )
    assert.equal((await collector.send('POST', `/${id}/restore`)).status, 404)
    for (const [minutes, expected] of [
      [9, 200],
      [11, 404],
    ]) {
      await collector.send('DELETE', `/${id}`)
      await queryText(
        service.db,
        'update deleted_collections set deleted_at = now() - make_interval(mins => $1)',
        [minutes],
      )
      assert.equal((await collector.send('POST', `/${id}/restore`)).status, expected)
    }
    assert.equal((await collector.send('POST', '/default/restore')).status, 404)
  })
})
