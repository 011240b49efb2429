import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setUpOperator } from '#test/operator.ts'

describe('mokuroku announce', () => {
  const operator = setUpOperator('empty', () => ({ DEFAULT_LANGUAGE: 'ja' }))
  const run = (...args: string[]) => operator.run(['announce', ...args])

  it('publishes, prints and ends an announcement in several languages', async () => {
    assert.match((await run()).output, /There is no announcement/)
    const published = await run('メンテナンス', '--in', 'en=Maintenance = down', '--until', '90m')
    assert.equal(published.status, 0, published.errors)
    const shown = JSON.parse((await run('--json')).output) as { texts: object; endsAt: string }
    assert.deepEqual(shown.texts, { en: 'Maintenance = down', ja: 'メンテナンス' })
    const minutes = (Date.parse(shown.endsAt) - Date.now()) / 60_000
    assert.ok(minutes > 80 && minutes <= 90, String(minutes))
    assert.match((await run('--end')).output, /The announcement has ended/)
    assert.match((await run('--end')).output, /There is no announcement/)
  })

  for (const [args, reason] of [
    [['x', '--until', 'yesterday'], /--until needs a time in the future/],
    [['x', '--until', '2020-01-01T00:00Z'], /--until needs a time in the future/],
    [['x', '--until', 'off'], /--until needs a time in the future/],
    [['x', '--in', 'fr=y'], /--in needs LANGUAGE=TEXT/],
    [['x', '--in', 'en= '], /--in needs LANGUAGE=TEXT/],
    [['--in', 'en=y'], /--in needs a text/],
    [['x', '--end'], /--end takes no text/],
    [['\u202e '], /The text is empty/],
    [['x'.repeat(301)], /The text in ja has more than 300 characters/],
  ] as const)
    it(`rejects ${args.join(' ').slice(0, 40)}`, async () => {
      const { status, errors } = await run(...args)
      assert.equal(status, 2)
      assert.match(errors, reason)
    })
})
