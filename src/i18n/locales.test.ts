import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { LANGUAGES, type Language } from './languages.ts'
import { readLocale } from './locales.ts'
import { parseMessage, argumentsIn } from './message-arguments.ts'
import type { MessageTexts } from './message-tree.ts'

/** Message files of the API, which exist in English only. */
const isForPeople = (file: string) => !file.startsWith('api-')

/** Messages that may be the same in another language. */
const SAME_EVERYWHERE = new Set([
  'Galgame',
  'Galgames',
  'ID',
  'ISBN',
  'Mega Drive',
  'RPG',
  '{amount} cm',
  '{amount} kg',
])

/** Returns messages, keyed by the path of their keys, in the order of the file. */
const flatten = (texts: MessageTexts | string[], path = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flatten(value, `${path}${key}/`),
  )
const read = (language: Language, file: string) =>
  new Map(flatten(readLocale(language, file.replace('.json', ''))))

const argumentsOf = (text: string) =>
  new Set(argumentsIn(parseMessage(text)).map(({ name }) => name))

const filesOf = (language: Language) =>
  readdir(new URL(`locales/${language}/`, import.meta.url), { recursive: true })

describe('messages of a language', async () => {
  const all = await filesOf('en')
  const files = all.filter((file) => file.endsWith('.json'))
  for (const language of LANGUAGES) {
    it(`exist in the same files as in English: ${language}`, async () => {
      const own = await filesOf(language)
      // The English text of the reference comes from the OpenAPI document.
      const expected = language === 'en' ? all : [...all.filter(isForPeople), 'reference.json']
      assert.deepEqual(own.toSorted(), expected.toSorted())
    })
    for (const file of files.filter(isForPeople))
      it(`have the same keys as in English and no additional placeholders: ${language}/${file}`, () => {
        const [english, own] = [read('en', file), read(language, file)]
        assert.deepEqual([...own.keys()], [...english.keys()])
        for (const [key, text] of own) {
          assert.notEqual(text.trim(), '', key)
          const known = argumentsOf(english.get(key) ?? '')
          assert.deepEqual([...argumentsOf(text).difference(known)], [], key)
        }
      })
    if (language !== 'en')
      it(`are translated from English: ${language}`, () => {
        for (const file of files.filter(isForPeople)) {
          const english = read('en', file)
          for (const [key, text] of read(language, file))
            if (/\p{L}/u.test(text.replaceAll(/\{\w+\}/g, '')) && !SAME_EVERYWHERE.has(text))
              assert.notEqual(text, english.get(key), `${file} ${key}`)
        }
      })
  }

  it('have the same codes for clients and for people, and no additional placeholders for people', () => {
    const forBoth = files.filter(
      (name) => !isForPeople(name) && files.includes(name.replace('api-', '')),
    )
    for (const file of forBoth) {
      const [forPrograms, forPeople] = [read('en', file), read('en', file.replace('api-', ''))]
      assert.deepEqual([...forPeople.keys()], [...forPrograms.keys()])
      for (const [code, text] of forPeople)
        assert.deepEqual(
          [...argumentsOf(text).difference(argumentsOf(forPrograms.get(code) ?? ''))],
          [],
          code,
        )
    }
  })
})
