import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { formTo, type PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { queryText } from '../../db/query.ts'
import { findRating, saveRating } from '../../ratings/own/queries.ts'
import {
  changeProgress,
  findWorkProgress,
  findVolumeTotals,
} from '../../ratings/progress/queries.ts'

describeOnDatabase('the form of progress', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let user: TestUser
  let browser: PlainBrowser
  let page: string
  before(async () => {
    service = await shareService(engine)
    works = await worksOfEachKind(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    user = await createUser(service, 'Reader')
    browser = await signedInBrowser(service, user)
    page = `/library/light-novels/${works.novel}`
  })

  const key = () => ({ accountId: user.id, kind: 'light_novel', workId: works.novel }) as const
  const stored = async () => {
    const { updated_at: _at, ...fields } = await findWorkProgress(service.db, key())
    return fields
  }
  const save = async (fields: Record<string, string>, from?: Visit) => {
    const visit = from ?? (await browser.get(page))
    return browser.press(visit, page, fields)
  }

  it('saves every field, and shows it again', async () => {
    await save({
      started_on: '2024/3/9',
      finished_on: '2024.4',
      volumes_read: '３',
      chapters_read: '20',
      times_finished: '2',
      reread_start_0: '2025',
      reread_finish_0: '',
      played_hours: '10',
      played_minutes: '90',
      labels: 'to lend, maybe\n積読\n\n',
      private_note: ' Only <b>mine</b>.\r\nTwo. ',
    })
    assert.deepEqual(await stored(), {
      work_id: works.novel,
      kind: 'light_novel',
      started_on: '2024-03-09',
      finished_on: '2024-04',
      volumes_read: 3,
      chapters_read: 20,
      times_finished: 2,
      rereads: [{ started_on: '2025', finished_on: null }],
      private_note: 'Only <b>mine</b>.\nTwo.',
      labels: ['to lend, maybe', '積読'],
      minutes: 690,
    })
    const before = await stored()
    const { fields, action } = formTo(await browser.get(page), page)
    assert.equal(action, page)
    assert.equal(fields['private_note']?.trim().replaceAll('\r', ''), before.private_note)
    await save({})
    assert.deepEqual(await stored(), before, 'sent as it was shown')
  })

  it('creates no rating if only progress is entered', async () => {
    const done = await save({ private_note: 'Secret.' })
    assert.equal(done.status, 200)
    assert.equal(await findRating(service.db, key()), undefined)
    await save({})
    assert.equal(await findRating(service.db, key()), undefined)
  })

  it('keeps values that the form cannot show exactly if their fields are left alone', async () => {
    const exact = {
      private_note: '  spaces \n',
      rereads: [{ started_on: null, finished_on: null }],
    }
    await changeProgress(service.db, key(), null, () => exact)
    await save({ minutes: '5' })
    const { private_note, rereads } = await stored()
    assert.deepEqual({ private_note, rereads }, exact)
  })

  it('undoes a rating and progress that were saved together', async () => {
    await saveRating(service.db, key(), null, { rate: 5 })
    await changeProgress(service.db, key(), null, () => ({ minutes: 1 }))
    const before = await stored()
    const saved = await save({ rate: '8', minutes: '', played_minutes: '30', private_note: 'x' })
    assert.equal((await stored()).minutes, 30)
    const path = `${page}/undo`
    assert.equal((await browser.press(saved, path)).status, 200)
    assert.equal((await findRating(service.db, key()))?.rate, 5)
    assert.deepEqual(await stored(), before)
  })

  it('deletes the rating with the progress, and undoing that restores both', async () => {
    await save({ rate: '8', private_note: 'Kept.', labels: 'a' })
    const before = await stored()
    const visit = await browser.get(page)
    const removed = await browser.press(visit, `${page}/delete`)
    assert.equal((await stored()).private_note, '')
    assert.equal(await findRating(service.db, key()), undefined)
    await browser.press(removed, `${page}/undo`)
    assert.deepEqual(await stored(), before)
    assert.equal((await findRating(service.db, key()))?.rate, 8)
  })

  it('deletes the progress of selected works with their ratings, and undoing that restores both', async () => {
    await save({ rate: '8', private_note: 'Kept.', labels: 'a' })
    const before = await stored()
    const visit = await browser.get('/library')
    const form = formTo(visit, '/library/several')
    const work = `light-novels/${works.novel}`
    const removed = await browser.submit(visit, { work, act: 'remove' }, form)
    assert.deepEqual([(await stored()).private_note, (await stored()).labels], ['', []])
    assert.equal(await findRating(service.db, key()), undefined)
    await browser.press(removed, `${page}/undo`)
    assert.deepEqual(await stored(), before)
    assert.equal((await findRating(service.db, key()))?.rate, 8)
  })

  for (const [name, value] of [
    ['started_on', '2024-02-30'],
    ['finished_on', 'soon'],
    ['volumes_read', '-1'],
    ['times_finished', '999999'],
    ['played_hours', 'x'],
    ['private_note', 'x'.repeat(10_001)],
    ['labels', 'x'.repeat(51)],
    ['reread_start_0', '2024-13'],
  ] as const)
    it(`keeps what was typed if ${name} is invalid`, async () => {
      const refused = await save({ [name]: value, rate_content: 'A review.' })
      assert.equal(refused.status, 422)
      const { fields } = formTo(refused, page)
      assert.deepEqual([fields[name]?.trim(), fields['rate_content']?.trim()], [value, 'A review.'])
      assert.match(refused.text, /aria-invalid="true"|class="fault"/)
      assert.equal(await findRating(service.db, key()), undefined)
    })

  it('returns to the page it was opened from, and never to another site', async () => {
    const from = await browser.get(`${page}?back=${encodeURIComponent('/search?q=a')}`)
    const saved = await save({ minutes: '1', private_note: 'x' }, from)
    assert.equal(new URL(saved.url).pathname, '/search')
    const visit = await browser.get(page)
    const { _csrf = '', _loaded = '' } = formTo(visit, page).fields
    for (const back of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:x',
    ]) {
      const { url } = await browser.post(page, { _csrf, _loaded, back, private_note: 'y' })
      assert.equal(new URL(url).host, new URL(service.url).host, back)
    }
  })

  it('adds one volume per page view, and offers to finish the work after the last', async () => {
    await queryText(service.db, 'update light_novels set total_volumes = 2 where id = $1', [
      works.novel,
    ])
    assert.equal((await findVolumeTotals(service.db, [works.novel])).get(works.novel), 2)
    const work = `/light-novels/${works.novel}`
    const first = await browser.get(work)
    const add = `${page}/volume`
    await browser.press(first, add)
    const again = await browser.press(first, add)
    assert.equal((await stored()).volumes_read, 1)
    assert.equal(new URL(again.url).pathname, work)
    const last = await browser.press(again, add)
    assert.equal((await stored()).volumes_read, 2)
    const finish = last.forms.find(
      ({ fields }) => fields['status'] === 'COMPLETED' && !('rate' in fields),
    )
    assert.ok(finish)
    await browser.submit(last, {}, finish)
    assert.equal((await findRating(service.db, key()))?.status, 'COMPLETED')
    const { text } = await browser.get(work)
    assert.match(text, /2 of 2 volumes read/)
    assert.equal(
      (
        await browser.post(
          `/library/galgames/${works.game}/volume`,
          formTo(last, finish.action).fields,
        )
      ).status,
      404,
    )
  })

  it('adds one chapter per page view, to manga and to novels whose chapters are counted', async () => {
    const raise = (visit: Visit, path: string) => {
      const form = visit.forms.find(({ fields }) => fields['field'] === 'chapters_read')
      assert.equal(form?.action, path)
      return browser.submit(visit, {}, form)
    }
    const manga = await browser.get(`/mangas/${works.manga}`)
    const path = `/library/mangas/${works.manga}/volume`
    await raise(manga, path)
    const again = await raise(manga, path)
    assert.match(again.text, />1 chapter read</)
    assert.match((await raise(again, path)).text, />2 chapters read</)

    const novel = `/light-novels/${works.novel}`
    assert.doesNotMatch((await browser.get(novel)).text, /name="field" value="chapters_read"/)
    await changeProgress(service.db, key(), null, () => ({ chapters_read: 99_999 }))
    const last = await raise(await browser.get(novel), `${page}/volume`)
    assert.match(last.text, />100,000 chapters read</)
    assert.equal((await raise(last, `${page}/volume`)).status, 200, 'at the maximum')
    assert.deepEqual([(await stored()).chapters_read, (await stored()).volumes_read], [100_000, 0])
  })

  it('shows no progress to others', async () => {
    await save({ rate: '8', rate_content: 'Public.', private_note: 'Secret.', labels: 'hidden' })
    const other = await signedInBrowser(service, await createUser(service, 'Other'))
    const { text } = await other.get(`/light-novels/${works.novel}`)
    assert.ok(!text.includes('Secret.') && !text.includes('hidden</'))
  })
})
