import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { LANGUAGES, type Language } from '../src/i18n/languages.ts'

/** Files with the text in a language: pages, the guide, the API reference, emails and the command line. */
const placesOf = (language: Language): string[] => [
  `src/i18n/locales/${language}/**/*.{json,md}`,
  ...(language === 'en' ? ['openapi.json', 'bin/**/!(*.test).ts'] : []),
]

/** Terms, keyed by concept: the preferred word, and the rejected ones as regular expressions. */
type Glossary = Record<string, { word: string; not: string }>

const readGlossary = async (language: Language): Promise<Glossary> =>
  JSON.parse(await readFile(`src/i18n/glossaries/${language}.json`, 'utf8')) as Glossary

describe('a language', () => {
  for (const language of LANGUAGES)
    it(`uses the words of its glossary: ${language}`, async () => {
      const lines: { location: string; text: string }[] = []
      for await (const file of glob(placesOf(language)))
        for (const [index, text] of (await readFile(file, 'utf8')).split('\n').entries())
          lines.push({ location: `${file}:${index + 1}`, text })
      for (const [concept, { word, not }] of Object.entries(await readGlossary(language))) {
        const used = new RegExp(word)
        assert.ok(
          lines.some(({ text }) => used.test(text)),
          `no text uses ${word} for ${concept}`,
        )
        const others = new RegExp(not)
        assert.deepEqual(
          lines.filter(({ text }) => others.test(text)),
          [],
          `${concept} is ${word}`,
        )
      }
    })
})
