import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'

const DICTIONARY = 'cspell-words.txt'
/** Arguments that list each unknown word once. The cache is separate, because it stores these words. */
const LIST_UNKNOWN = [
  'node_modules/cspell/bin.mjs',
  '--disable-dictionary=words',
  '--words-only',
  '--unique',
  '--quiet',
  '--cache-location=node_modules/.cache/cspell/without-dictionary.json',
]

describe('the dictionary of the spelling check', () => {
  it('lists in order the words that the source code uses and other dictionaries lack', async () => {
    const { stdout, stderr } = spawnSync(process.execPath, LIST_UNKNOWN, { encoding: 'utf8' })
    assert.equal(stderr, '')
    const unknown = new Set(
      stdout
        .toLowerCase()
        .replaceAll(/[’']s$/gm, '')
        .trim()
        .split('\n'),
    )
    const words = (await readFile(DICTIONARY, 'utf8')).trim().split('\n')
    assert.deepEqual(words, [...new Set(words)].toSorted())
    const unused = words.filter((word) => !unknown.has(word))
    assert.deepEqual(unused, [], `Remove from ${DICTIONARY}`)
  })
})
