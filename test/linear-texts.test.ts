import { describe, it } from 'node:test'
import { assertLinear } from '#test/cost.ts'
import { unmarkedText } from '../src/web/entry/text-parts.ts'
import { splitSummary } from '../src/importers/bangumi/text.ts'
import { arrayOf } from '../src/importers/copy-text.ts'
import { volumeNumberIn } from '../src/importers/ranobedb/volume-number.ts'
import { plainText } from '../src/importers/vndb/plain-text.ts'

/** Texts that made the parsers backtrack, and similar ones. */
const REPEATED = [
  '[url=',
  '[b=',
  '[mask]x',
  '[spoiler]x',
  '[url=a]',
  '[from ',
  '【',
  ' ',
  '\n-',
  '\n ',
  ',"',
  '(',
  'a ',
]

describe('a text of a source', () => {
  for (const [name, read] of Object.entries({
    plainText,
    splitSummary,
    unmarkedText,
    arrayOf,
    volumeNumberIn: (text: string) => volumeNumberIn(text, 'a'),
  }))
    it(`is read by ${name} in time proportional to its length`, async () => {
      for (const repeated of REPEATED)
        await assertLinear((size) => read(`x${repeated.repeat(size)}y`), 10_000, JSON.stringify(repeated))
    })
})
