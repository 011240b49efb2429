import assert from 'node:assert/strict'

/**
 * Replaces strings of an example, such as its addresses with those of a test.
 *
 * @throws if the example lacks one of the strings
 */
export function replaceEach(example: string, replacements: Record<string, string>): string {
  for (const [from, to] of Object.entries(replacements)) {
    assert.ok(example.includes(from), `the example has ${from}`)
    example = example.replaceAll(from, to)
  }
  return example
}
