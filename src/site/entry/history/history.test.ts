import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { parseField, setField } from '../../../curation/edit/edit-field.ts'
import { mergeEntries } from '../../../curation/merge/merge-entries.ts'

describeOnDatabase('the edit history of an entry', (engine) => {
  let service: TestService
  let guest: PlainBrowser
  before(async () => {
    service = await startService({ engine, environment: { IMAGES: 'off' } })
    guest = new PlainBrowser(service.url)
  })
  after(() => service.close())

  it('names its sources, fields set by moderators and changes, for every kind of entry', async () => {
    const { db } = service
    const works = await sampleWorks(db)
    const [game = 0, other = 0] = works.galgame
    const target = { kind: 'galgame', id: game, field: 'release_date' } as const
    await setField(db, target, parseField(target, '2004-04-29'))
    await mergeEntries(db, { kind: 'galgame', from: other, into: game })
    const { text } = await guest.get(`/galgames/${game}/history`)
    assert.match(text, /Set by moderators: <code>release_date<\/code>/)
    assert.match(text, /<a href="https:\/\/vndb\.org\/v\d+"[^>]*>VNDB v\d+<\/a>/)
    assert.match(text, new RegExp(`Merged with entry ${other}<`))
    assert.match(text, /<\/time> · Updated</)
    const page = await guest.get(`/galgames/${game}`)
    assert.match(page.text, new RegExp(`href="/galgames/${game}/history"[^>]*>Edit history<`))
    const merged = await guest.get(`/galgames/${other}/history`)
    assert.equal(new URL(merged.url).pathname, `/galgames/${game}/history`)
    for (const path of [`/light-novels/${first(works.light_novel)}`, '/people/1', '/producers/1'])
      assert.equal((await guest.get(`${path}/history`)).status, 200, path)
  })

  it('is hidden with an adult work, and missing for a missing entry', async () => {
    const adult = first((await sampleWorks(service.db, true)).galgame)
    for (const id of [adult, 987_654_321]) {
      const { status, text } = await guest.get(`/galgames/${id}/history`)
      assert.equal(status, 404)
      assert.doesNotMatch(text, /vndb\.org\/v/)
    }
  })
})
