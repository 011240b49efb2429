import { describe, it } from 'node:test'
import { assertLinear } from '#test/assert-linear.ts'
import { stripBBCode } from '../src/site/entry/texts.ts'
import { splitSummary } from '../src/sources/bangumi/text.ts'
import { arrayOf } from '../src/sources/dump/tables/copy-text.ts'
import { volumeNumberIn } from '../src/sources/ranobedb/volume-number.ts'
import { plainText } from '../src/sources/vndb/plain-text.ts'

/** Strings that once made the parsers backtrack, and similar ones. */
const REPEATED_PIECES = [
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

describe('text from a source', () => {
  for (const [name, read] of Object.entries({
    plainText,
    splitSummary,
    unmarkedText: stripBBCode,
    arrayOf,
    volumeNumberIn: (text: string) => volumeNumberIn(text, 'a'),
  }))
    it(`is parsed by ${name} in linear time`, async () => {
      for (const repeated of REPEATED_PIECES)
        await assertLinear(
          (size) => read(`x${repeated.repeat(size)}y`),
          10_000,
          JSON.stringify(repeated),
        )
    })
})
