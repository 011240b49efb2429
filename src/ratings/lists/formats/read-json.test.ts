import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../../../http/wire/errors/errors.ts'
import { fc } from '#test/arbitrary-text.ts'
import { readJson } from './read-json.ts'
import { isJsonObject } from '../../../kernel/is-json-object.ts'

const LISTS = [[], ['ratings'], ['data', 'ratings']]

/** Returns the entries that `readJson` finds in a string, or its error. */
async function read(text: string): Promise<{ entries: unknown[]; hasList: boolean } | 'refused'> {
  const entries: unknown[] = []
  try {
    const { hasList } = await readJson(Buffer.from(text), {
      lists: LISTS,
      onEntry: (entry) => entries.push(entry),
    })
    return { entries, hasList }
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, 'COMMON_VALIDATION_FAILED')
    return 'refused'
  }
}

/** Returns the result that JSON.parse implies. */
function readAtOnce(text: string): Awaited<ReturnType<typeof read>> {
  try {
    const whole: unknown = JSON.parse(text)
    const list = LISTS.map((path) => memberAt(whole, path)).find(Array.isArray)
    return { entries: list ?? [], hasList: list !== undefined }
  } catch {
    return 'refused'
  }
}

const memberAt = (whole: unknown, path: string[]) =>
  path.reduce<unknown>((found, name) => (isJsonObject(found) ? found[name] : undefined), whole)

const tricky = fc.constantFrom(
  '"',
  '\\',
  '\\"',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '[,"',
  'ratings',
  '\u0000',
  '\ud800',
  '😀',
)
const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), tricky)
const entries = fc.array(value, { maxLength: 5 })
const others = fc.dictionary(
  fc
    .oneof(fc.string({ maxLength: 8 }), tricky)
    .filter((name) => !['ratings', 'data', '__proto__'].includes(name)),
  value,
  { maxKeys: 3 },
)
const file = fc.oneof(
  entries,
  fc
    .tuple(others, entries, others)
    .map(([before, ratings, after]) => ({ ...before, ratings, ...after })),
  fc
    .tuple(others, others, entries, others)
    .map(([outer, inner, ratings, after]) => ({ ...outer, data: { ...inner, ratings }, ...after })),
  others,
)
const text = fc
  .tuple(file, fc.constantFrom('', ' ', '\t', '\r\n'))
  .map(([content, space]) => JSON.stringify(content, undefined, space))

describe('readJson', () => {
  it('returns the same entries as JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (good) => assert.deepEqual(await read(good), readAtOnce(good))),
      { numRuns: 500 },
    )
  })

  it('rejects the same malformed strings as JSON.parse', async () => {
    const damage = fc.record({
      at: fc.nat(),
      removed: fc.nat(1),
      inserted: fc.constantFrom('', '"', '\\', '[', ']', '{', '}', ',', ':', '7', ' ', '\n', 'x'),
    })
    let refused = 0
    await fc.assert(
      fc.asyncProperty(text, damage, async (good, { at, removed, inserted }) => {
        const characters = [...good]
        characters.splice(at % characters.length, removed, inserted)
        const damaged = characters.join('')
        const outcome = await read(damaged)
        assert.deepEqual(outcome, readAtOnce(damaged), damaged)
        if (outcome === 'refused') refused += 1
      }),
      { numRuns: 2_000 },
    )
    assert.ok(refused > 200, `only ${refused} were refused`)
  })
})
