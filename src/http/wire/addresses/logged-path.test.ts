import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loggedPath } from './logged-path.ts'

describe('the path in the log', () => {
  it('has no query, and is otherwise as sent', () => {
    assert.equal(loggedPath('/search?q=secret'), '/search')
    assert.equal(loggedPath('/tags/%E3%81%82?x'), '/tags/%E3%81%82')
    assert.equal(loggedPath('/tags/%zz'), '/tags/%zz')
  })

  it('omits secrets, encoded or not', () => {
    const secret = 'Zm9vYmFy-_'
    for (const path of [
      `/feeds/mkf_${secret}/calendar.ics?ui_locales=en`,
      `/feeds/%6dkf_${secret}/calendar.ics`,
      `/feeds/mkf%5F${secret}/calendar.ics`,
      `/feeds/mkf_${secret}`,
      `/feeds/mkf_${secret}/%zz`,
      `/feeds/%6Dkf_${secret}/%zz`,
      `/mkf_${secret}/mkf_${secret}`,
    ]) {
      assert.ok(!loggedPath(path).includes(secret), path)
      assert.ok(loggedPath(path).includes(':secret'), path)
    }
  })
})
