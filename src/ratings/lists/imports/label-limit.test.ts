import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import { createAccounts } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { changeProgress, findProgressOf, listLabels } from '../../progress/queries.ts'
import { importQueue } from './import-queue.ts'
import { rowValidator } from './row-validator.ts'
import { runStoredImport, undoStoredImport } from './stored-import.ts'
import { findStoredImport, saveUploadedList } from './stored-import-queries.ts'

describeOnDatabase('the fifty labels of a user', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  before(async () => {
    service = await startService({ engine })
    works = await worksOfEachKind(service)
  })
  after(() => service.close())

  for (const [amount, restored] of [
    [48, ['first', 'second']],
    [49, ['first']],
    [50, []],
  ] as const)
    it(`are not exceeded when an import is undone after the user has added ${amount} others`, async () => {
      const { db } = service
      const [accountId = 0] = await createAccounts(db, 1)
      const novel = { accountId, kind: 'light_novel', workId: works.novel } as const
      const manga = { accountId, kind: 'manga', workId: works.manga } as const
      const ofNovel = async () =>
        (await findProgressOf(db, accountId, [works.novel])).get(works.novel)
      await changeProgress(db, novel, null, () => ({ labels: ['first', 'second'], minutes: 1 }))
      const progress = { labels: ['imported'], minutes: 2 }
      const row = { work_type: 'LIGHT_NOVEL', work_id: works.novel, external_ids: {}, progress }
      await saveUploadedList(db, accountId, {
        id: 'i'.repeat(22),
        source: 'mokuroku',
        file: gzipSync(JSON.stringify({ data: { ratings: [], progress: [row] } })),
      })
      const stored = await findStoredImport(db, accountId)
      assert.ok(stored)
      const options = {
        accountId,
        overwrite: true,
        validateRow: rowValidator(),
        imports: importQueue(),
      }
      await runStoredImport(db, stored, options)
      assert.deepEqual((await ofNovel())?.labels, ['imported'])
      const others = Array.from({ length: amount }, (_, index) => `other ${index}`)
      // With the imported label, only 49 others fit.
      const isFull = amount === 50
      await changeProgress(db, manga, null, () => ({
        labels: isFull ? [...others.slice(1), 'imported'] : others,
      }))
      assert.deepEqual(await undoStoredImport(db, stored.id, options), { undone: 1, kept: 0 })
      const now = await ofNovel()
      assert.deepEqual([now?.labels ?? [], now?.minutes], [restored, 1])
      assert.ok((await listLabels(db, accountId)).length <= 50)
    })

  it('are not exceeded when a single change is undone, and labels of other works stay', async () => {
    const { db } = service
    const [accountId = 0] = await createAccounts(db, 1)
    const novel = { accountId, kind: 'light_novel', workId: works.novel } as const
    const manga = { accountId, kind: 'manga', workId: works.manga } as const
    const others = Array.from({ length: 49 }, (_, index) => `other ${index}`)
    await changeProgress(db, manga, null, () => ({ labels: others }))
    const undo = () =>
      changeProgress(db, novel, null, () => ({ labels: ['a', 'b', 'other 7'], minutes: 3 }), {
        isUndo: true,
      })
    const { labels, minutes } = await undo()
    assert.deepEqual([labels, minutes], [['a', 'other 7'], 3])
    assert.equal((await listLabels(db, accountId)).length, 50)
  })
})
