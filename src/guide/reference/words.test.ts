import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readDocument, type Document } from '#test/openapi.ts'
import { usesLatinScript, scriptPattern } from '#test/script-pattern.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { TAGS } from '../../http/document/introduction.ts'
import { ERROR_CODES } from '../../http/wire/errors/error-codes.ts'
import { LANGUAGES } from '../../i18n/languages.ts'
import { readReference } from './document.ts'
import { prose } from './prose.ts'
import { referenceIn, wordsIn } from './references.ts'

const TRANSLATIONS = LANGUAGES.filter((language) => language !== 'en')

/** Paragraph about access, which the page translates. */
const isOfAccess = (paragraph: string) => /^Requires (?:no token|a )/.test(paragraph)

/** Collects every description of parameters, bodies, responses, schemas and operations. */
function textsOf({ paths, components }: Document): Set<string> {
  const texts = new Set<string>()
  const collect = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null || path === 'examples') return
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'description' && typeof inner === 'string') texts.add(inner)
      else collect(inner, name)
    }
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  for (const { summary, description = '', responses, ...rest } of operations) {
    for (const paragraph of description.split('\n\n'))
      if (!isOfAccess(paragraph)) texts.add(paragraph)
    // as: references have no description
    const documented = Object.values(responses) as { description?: string }[]
    for (const { description: text, ...response } of documented) {
      // Otherwise, the text describes the operation.
      if (text !== undefined && text !== summary) texts.add(text)
      collect(response, '')
    }
    collect(rest, '')
  }
  collect({ ...components, securitySchemes: {} }, '')
  return texts
}

/** Selects the text of a page that is neither code nor marked as English. */
const proseIn = (page: string) =>
  page
    .replaceAll(/<(code|pre|textarea|select|script|style|title)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<(\w+)[^>]* lang="en"[^>]*>.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' · ')

/** Word that Chinese writes in Latin letters. */
const LATIN_WORD = 'Galgame'

function assertScript(text: string, script: RegExp, path: string) {
  if (text !== LATIN_WORD) assert.match(text, script, path)
}

describe('the reference’s translated strings', () => {
  const document = readDocument()
  const reference = readReference(document)
  const texts = new Set([...textsOf(document), ...reference.errors.map(({ message }) => message)])

  it('cover exactly the strings in the document', () => {
    assert.ok(texts.size > 250, String(texts.size))
    assert.deepEqual(
      reference.tags.map(({ name }) => name).toSorted(),
      TAGS.map(({ name }) => name).toSorted(),
    )
  })

  for (const language of TRANSLATIONS) {
    it(`exist in ${language} for the tags, operations and errors of the document`, () => {
      const { tags, operations, errors } = wordsIn(language)
      const named = [tags, operations, errors].map((words) => Object.keys(words).toSorted())
      assert.deepEqual(named, [
        reference.tags.map(({ name }) => name).toSorted(),
        [...reference.operations.keys()].toSorted(),
        ERROR_CODES.toSorted(),
      ])
    })

    it(`use the script of ${language}`, () => {
      const script = scriptPattern(language)
      const translation = referenceIn(language, reference)
      for (const { name, title, description } of translation.tags)
        for (const text of [title, description]) assertScript(text, script, name)
      for (const { id, title, tagTitle } of translation.operations.values())
        for (const text of [title, tagTitle]) assertScript(text, script, id)
      for (const code of ERROR_CODES)
        assert.match(translation.meanings.get(code) ?? '', script, code)
    })
  }

  it('match the document in English', () => {
    assert.equal(referenceIn('en', reference), reference)
  })

  it('differ between languages', () => {
    const titles = LANGUAGES.map(
      (language) => referenceIn(language, reference).operations.get('createCollection')?.title,
    )
    assert.deepEqual(titles.slice(0, 2), ['Create collection', 'コレクションを作成する'])
    assert.equal(new Set(titles).size, LANGUAGES.length)
  })

  describe('on a page', () => {
    let service: TestService
    before(async () => {
      service = await shareService()
    })
    after(() => service.close())

    const pages = [
      '/docs',
      '/docs/schemas',
      '/docs/errors',
      '/docs/callback',
      '/guide/answers',
      ...[...reference.operations.keys()].map((id) => `/docs/${id}`),
      ...[...reference.schemas.keys()].map((name) => `/docs/schemas/${name}`),
    ]
    async function mainOf(path: string, language: string) {
      const headers = { accept: 'text/html', 'accept-language': language }
      const text = await (await service.get(path, undefined, headers)).text()
      return /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? ''
    }

    for (const language of TRANSLATIONS.filter((item) => !usesLatinScript(item)))
      it(`leave no unmarked English sentence in ${language}`, async () => {
        for (const path of pages) {
          const main = await mainOf(path, language)
          assert.match(main, scriptPattern(language), path)
          assert.doesNotMatch(proseIn(main), /\b[A-Z]?[a-z']+,? [a-z']+,? [a-z']+\b/, path)
        }
      })

    it('include everything the document says about an operation', async () => {
      const shown = await Promise.all(pages.map((path) => mainOf(path, 'en')))
      const english = shown.join('\n')
      assert.deepEqual(
        [...texts].filter((text) => !english.includes(prose(text).toString())),
        [],
      )
    })
  })
})
