import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toIsbn13 } from './isbn.ts'

describe('an ISBN', () => {
  const isbns: [text: string, isbn: string | undefined][] = [
    ['9784048651912', '9784048651912'],
    ['978-4-04-865191-2', '9784048651912'],
    ['978 4 04 865191 2', '9784048651912'],
    ['978‐4‐04‐865191‐2', '9784048651912'],
    ['9791032305690', '9791032305690'],
    // Check digits 0 and X are special cases.
    ['9780306406010', '9780306406010'],
    ['4048651919', '9784048651912'],
    ['080442957X', '9780804429573'],
    ['0-8044-2957-x', '9780804429573'],
    ['0306406013', undefined],
    ['9784048651913', undefined],
    ['9774048651912', undefined],
    ['4048651910', undefined],
    ['08044295X7', undefined],
    ['97840486519123', undefined],
    ['99784048651912', undefined],
    ['97840486519122', undefined],
    ['14048651919', undefined],
    ['40486519191', undefined],
    ['404865191', undefined],
    ['', undefined],
  ]
  for (const [text, isbn] of isbns)
    it(`parsed from "${text}" is ${isbn ?? 'rejected'}`, () => assert.equal(toIsbn13(text), isbn))
})
