import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import type { PlainBrowser, Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import type { WorkKind } from '../../../catalog/kinds.ts'
import { saveRating } from '../../../ratings/own/queries.ts'
import type { ProgressChange } from '../../../ratings/progress/fields.ts'
import { changeProgress } from '../../../ratings/progress/queries.ts'

describeOnDatabase('the diary', (engine) => {
  let service: TestService
  let accountId: number
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    const user = await createUser(service, 'Diarist')
    accountId = user.id
    browser = await signedInBrowser(service, user)
  })
  after(() => service.close())

  const record = (kind: WorkKind, workId: number, change: ProgressChange) =>
    changeProgress(service.db, { accountId, kind, workId }, null, () => change)
  /** Returns the lines below each heading: the day, the path of the link and the event. */
  const linesIn = ({ text }: Visit) =>
    [...text.matchAll(/<h2>([^<]*)<\/h2>(.*?)<\/ol>/gs)].map(([, heading, list = '']) => [
      heading,
      ...[
        ...list.matchAll(
          /<span class="year[^"]*">(?:<time datetime="([^"]*)">)?.*?<a class="own-name" href="([^"]*)".*?<p class="quiet">([^·]*) ·/gs,
        ),
      ].map(([, day = '', path, event]) => `${day} ${path} ${event}`),
    ])

  it('lists what the user started, finished and reread in a year by month and day, latest first', async () => {
    assert.match((await browser.get('/library/diary')).text, /No dates yet/)
    const works = await sampleWorks(service.db)
    const [novel, manga] = [first(works.light_novel), first(works.manga)]
    await saveRating(service.db, { accountId, kind: 'light_novel', workId: novel }, null, {
      rate: 8.5,
    })
    await record('light_novel', novel, {
      started_on: '2023-12-30',
      finished_on: '2024-03-09',
      rereads: [{ started_on: '2024-03', finished_on: '2024' }],
    })
    await record('manga', manga, { started_on: '2024-03-09', finished_on: null })
    const page = await browser.get('/library/diary?year=2024')
    assert.deepEqual(linesIn(page), [
      [
        'March 2024',
        `2024-03-09 /light-novels/${novel} Finished`,
        `2024-03-09 /mangas/${manga} Started`,
        ` /light-novels/${novel} Started again`,
      ],
      ['Month unknown', ` /light-novels/${novel} Finished again`],
    ])
    assert.match(page.text, /★ 8\.5/)
    assert.match(page.text, /href="\/library\/diary\?year=2023">2023 <span class="amount">1</)
    assert.deepEqual(linesIn(await browser.get('/library/diary?year=1066')), linesIn(page))
  })

  it('contains only the user’s own dates, and no link or picture of adult works that are off', async () => {
    const adult = first((await sampleWorks(service.db, true)).galgame)
    await record('galgame', adult, { finished_on: '2022-02-02' })
    assert.deepEqual(linesIn(await browser.get('/library/diary?year=2022')), [
      ['February 2022', `2022-02-02 /library/galgames/${adult}?back=%2Flibrary%2Fdiary Finished`],
    ])
    const other = await signedInBrowser(service, await createUser(service, 'Other'))
    assert.match((await other.get('/library/diary?year=2022')).text, /No dates yet/)
  })
})
