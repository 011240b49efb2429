import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readDocument, type Document } from '#test/openapi.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { TAGS } from '../../http/document/introduction.ts'
import { readReference, type ApiReference } from './document.ts'
import { prose } from './prose.ts'
import { referenceIn } from './references.ts'
import referenceJa from './words/ja.json' with { type: 'json' }
import referenceZhHans from './words/zh-Hans.json' with { type: 'json' }

const CJK = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u
const LANGUAGES = [
  ['ja', referenceJa],
  ['zh-Hans', referenceZhHans],
] as const

/** Who may call an operation is said in words of the page. */
const isOfAccess = (paragraph: string) => /^(For everybody|Takes a )/.test(paragraph)

/** Every description of parameters, bodies, answers and schemas, and of operations. */
function textsOf({ paths, components }: Document): Set<string> {
  const texts = new Set<string>()
  const collect = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null || place === 'examples') return
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'description' && typeof inner === 'string') texts.add(inner)
      else collect(inner, name)
    }
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  for (const { summary, description = '', responses, ...rest } of operations) {
    for (const paragraph of description.split('\n\n'))
      if (!isOfAccess(paragraph)) texts.add(paragraph)
    // as: a reference has none
    const answers = Object.values(responses) as { description?: string }[]
    for (const { description: text, ...answer } of answers) {
      // Else it says what the operation does.
      if (text !== undefined && text !== summary) texts.add(text)
      collect(answer, '')
    }
    collect(rest, '')
  }
  collect({ ...components, securitySchemes: {} }, '')
  return texts
}

/** Where the words of a page stand that are not code, nor said to be English. */
const proseIn = (page: string) =>
  page
    .replaceAll(/<(code|pre|textarea|select|script|style|title)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<(\w+)[^>]* lang="en"[^>]*>.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' · ')

describe('the words of the reference', () => {
  const document = readDocument()
  const reference = readReference(document)
  const texts = new Set([...textsOf(document), ...reference.errors.map(({ message }) => message)])

  it('are of as many texts as the document has', () => {
    assert.ok(texts.size > 250, String(texts.size))
    assert.deepEqual(
      reference.tags.map(({ name }) => name).toSorted(),
      TAGS.map(({ name }) => name).toSorted(),
    )
  })

  for (const [language, words] of LANGUAGES) {
    it(`name only operations and tags of the document in ${language}`, () => {
      for (const id of Object.keys(words.operations)) assert.ok(reference.operations.has(id), id)
      const names = new Set(reference.tags.map(({ name }) => name))
      for (const name of Object.keys(words.tags)) assert.ok(names.has(name), name)
    })

    it(`name every part and operation in ${language}`, async () => {
      const translation = await referenceIn(language, reference)
      for (const { name, title, description } of translation.tags)
        for (const text of [title, description]) assert.match(text, CJK, name)
      for (const { id, summary, tagTitle } of translation.operations.values())
        for (const text of [summary, tagTitle]) assert.match(text, CJK, id)
      for (const { code } of reference.errors)
        assert.match(translation.meanings.get(code) ?? '', CJK, code)
    })
  }

  it('are the document itself in English', async () => {
    assert.equal(await referenceIn('en', reference), reference)
  })

  it('are not in two languages at once', async () => {
    const [japanese, chinese] = await Promise.all([
      referenceIn('ja', reference),
      referenceIn('zh-Hans', reference),
    ])
    const said = ({ operations }: ApiReference) => operations.get('createCollection')?.summary
    assert.deepEqual(
      [said(reference), said(japanese), said(chinese)],
      ['Create a collection', 'コレクションを作る', referenceZhHans.operations.createCollection],
    )
  })

  describe('on its pages', () => {
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

    for (const [language] of LANGUAGES)
      it(`leave no English sentence in ${language} that is not marked as one`, async () => {
        for (const path of pages) {
          const main = await mainOf(path, language)
          assert.match(main, CJK, path)
          assert.doesNotMatch(proseIn(main), /\b[A-Z]?[a-z']+,? [a-z']+,? [a-z']+\b/, path)
        }
      })

    it('say all that the document says of an operation', async () => {
      const shown = await Promise.all(pages.map((path) => mainOf(path, 'en')))
      const english = shown.join('\n')
      assert.deepEqual(
        [...texts].filter((text) => !english.includes(prose(text).toString())),
        [],
      )
    })
  })
})
