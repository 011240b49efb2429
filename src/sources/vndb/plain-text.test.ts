import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainText } from './plain-text.ts'

describe('plainText', () => {
  for (const [bbcode, text] of [
    ['Founded by [url=/p266]CD Bros.[/url] in 2001.', 'Founded by CD Bros. in 2001.'],
    ['[b]Bold[/b] and [i]italic[/i], [s]struck[/s]', 'Bold and italic, struck'],
    ['A girl. [spoiler]She is\na ghost.[/spoiler] The end.', 'A girl.  The end.'],
    ['A girl. [spoiler]She is a ghost.', 'A girl.'],
    [
      'A novel.\n\n[From [url=http://en.wikipedia.org/wiki/Age_(company)]Wikipedia[/url]]',
      'A novel.',
    ],
    [
      'A novel.\n\n[Edited From [url=https://vndb.org]here[/url] and there]\n\nMore.',
      'A novel.\n\nMore.',
    ],
    ['[from [url=x]Wikipedia[/url]]', ''],
    ['Kept: [not a tag] (from there)', 'Kept: [not a tag] (from there)'],
    ['one  \n\n\n\ntwo\n', 'one\n\ntwo'],
    [null, ''],
  ] as const) {
    it(`converts ${JSON.stringify(bbcode)}`, () => {
      assert.equal(plainText(bbcode), text)
    })
  }
})
