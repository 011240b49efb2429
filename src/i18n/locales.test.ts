import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { IntlMessageFormat } from 'intl-messageformat'
import { LANGUAGES } from './languages.ts'

const LOCALES = new URL('locales/', import.meta.url)
/** Messages for programs are in English only. */
const isForPeople = (file: string) => !file.startsWith('api-')

const read = async (language: string, file: string): Promise<Record<string, string>> =>
  // as: the file is one of ours, and every message is parsed below
  JSON.parse(await readFile(new URL(`${language}/${file}`, LOCALES), 'utf8')) as Record<string, string>

type Elements = ReturnType<IntlMessageFormat['getAst']>
const parse = (text: string): Elements =>
  new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst()

/** Type of an element that is plain text. */
const LITERAL = '0'

/** Names of the values that a message takes, also in its branches. */
const valuesIn = (elements: Elements): string[] =>
  elements
    .flatMap((element) => [
      ...('value' in element && `${element.type}` !== LITERAL ? [element.value] : []),
      ...('options' in element ? Object.values(element.options).flatMap(({ value }) => valuesIn(value)) : []),
    ])
    .toSorted()

describe('the messages of a language', async () => {
  const files = await readdir(new URL('en/', LOCALES))
  for (const language of LANGUAGES) {
    it(`have the files of English: ${language}`, async () => {
      const own = await readdir(new URL(`${language}/`, LOCALES))
      const expected = language === 'en' ? files : files.filter(isForPeople)
      assert.deepEqual(own.toSorted(), expected.toSorted())
    })
    for (const file of files.filter(isForPeople))
      it(`have the codes of English, and name no other values: ${language}/${file}`, async () => {
        const [english, own] = await Promise.all([read('en', file), read(language, file)])
        assert.deepEqual(Object.keys(own), Object.keys(english))
        for (const [code, text] of Object.entries(own)) {
          const known = new Set(valuesIn(parse(english[code] ?? '')))
          for (const value of valuesIn(parse(text))) assert.ok(known.has(value), `${code} names {${value}}`)
        }
      })
  }

  it('can name only what the code is raised with: for programs and people alike', async () => {
    const forBoth = files.filter((name) => !isForPeople(name) && files.includes(name.replace('api-', '')))
    for (const file of forBoth) {
      const [forPrograms, forPeople] = await Promise.all([
        read('en', file),
        read('en', file.replace('api-', '')),
      ])
      assert.deepEqual(Object.keys(forPeople), Object.keys(forPrograms))
      for (const [code, text] of Object.entries(forPeople)) {
        const known = new Set(valuesIn(parse(forPrograms[code] ?? '')))
        for (const value of valuesIn(parse(text))) assert.ok(known.has(value), `${code} names {${value}}`)
      }
    }
  })
})
