import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type InfoboxField, type InfoboxItem, parseInfobox } from './infobox.ts'

type GoldenItem = { Key: string; Value: string }
type GoldenField = GoldenItem & { Items: GoldenItem[] | null; Array: boolean }
type GoldenCase = {
  file: string
  id: number
  input: string
  ok: boolean
  output?: { Fields: GoldenField[] }
}

const golden = readFileSync(new URL('../fixtures/golden.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): GoldenCase => JSON.parse(line))

function toItem({ Key, Value }: GoldenItem): InfoboxItem {
  return { label: Key, value: Value }
}

function expectedOf({ output }: GoldenCase): InfoboxField[] | undefined {
  return output?.Fields.map((field) => ({
    key: field.Key,
    isList: field.Array,
    items: field.Array
      ? (field.Items ?? []).map(toItem)
      : field.Value === ''
        ? []
        : [{ label: '', value: field.Value }],
  }))
}

describe('parseInfobox', () => {
  it('parses every real infobox as the wiki does, and rejects those that the wiki rejects', () => {
    for (const entry of golden) {
      const expected = entry.ok ? expectedOf(entry) : undefined
      assert.deepEqual(parseInfobox(entry.input), expected, `${entry.file} ${entry.id}`)
    }
    assert.deepEqual([golden.length, golden.filter(({ ok }) => !ok).length], [134, 19])
  })

  it('accepts both line endings', () => {
    for (const { input } of golden) {
      const unix = input.replaceAll('\r\n', '\n')
      assert.deepEqual(parseInfobox(unix), parseInfobox(unix.replaceAll('\n', '\r\n')))
    }
  })

  it('parses an empty string as an infobox without fields', () => {
    assert.deepEqual(parseInfobox(' \r\n'), [])
  })

  for (const [name, text] of [
    ['a value that runs over two lines', '{{Infobox Game\n|开发= A、\nB\n}}'],
    ['a list that is never closed', '{{Infobox Game\n|平台={\n[PC]\n}}'],
    ['a field inside a list', '{{Infobox Game\n|平台={\n[PC]\n|开发= A\n}\n}}'],
    ['a field without an equals sign', '{{Infobox Game\n|平台\n}}'],
    ['a missing end', '{{Infobox Game\n|平台= PC\n}'],
    ['some other text', 'nothing'],
  ] as const) {
    it(`rejects ${name}`, () => assert.equal(parseInfobox(text), undefined))
  }
})
