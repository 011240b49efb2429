import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../i18n/languages.ts'
import { readLocale } from '../i18n/locales.ts'
import { parseMessage, argumentsIn } from '../i18n/message-arguments.ts'
import type { MessageTexts } from '../i18n/message-tree.ts'
import { describeMessages } from '../../build/describe-messages.ts'
import { html } from './html.ts'
import { CONSTANTS, MESSAGE_FILES, messagesIn } from './messages.ts'

describe('the page messages', () => {
  it('have types generated from the current English files', async () => {
    const described = await readFile(new URL('message-values.ts', import.meta.url), 'utf8')
    assert.equal(described, describeMessages(), 'run npm run messages')
  })

  it('insert values, pluralize and format numbers', () => {
    const { account, browse } = messagesIn('en')
    assert.equal(account.greeting({ name: '<Mio> {x}' }), 'Hello, <Mio> {x}')
    assert.deepEqual(
      [0, 1, 1234].map((count) => browse.count({ amount: count })),
      ['0 entries', '1 entry', '1,234 entries'],
    )
  })

  it('turn tags into markup and escape the text around them', () => {
    const { importPage } = messagesIn('en')
    assert.equal(
      String(importPage.undoLead({ time: () => html`<time>${'<now>'}</time>` })),
      'You can undo the whole import until <time>&lt;now&gt;</time>. Changes you’ve made since then are kept.',
    )
  })

  it('use every placeholder of the English text in each language', () => {
    for (const language of LANGUAGES)
      for (const file of MESSAGE_FILES) {
        const own = namesIn(readLocale(language, file))
        assert.deepEqual(own, namesIn(readLocale('en', file)), `${language} ${file}`)
      }
  })

  it('are all used by the code', async () => {
    const sources = await Array.fromAsync(glob('src/**/*.ts'), (file) => readFile(file, 'utf8'))
    const code = sources.join('\n')
    const isUsed = (group: string, key: string) =>
      // A key counts as used if the code names it, passes its group on, or looks it up in its group.
      new RegExp(
        String.raw`\.${key}\b|[{,]\s*${key}\b|\b${group}[[)]|\.${group}[,;\s]|\{ ${group} \}`,
      ).test(code)
    for (const file of MESSAGE_FILES)
      for (const [group, texts] of groupsOf(file, readLocale('en', file)))
        for (const [key, text] of Object.entries(texts))
          if (typeof text === 'string') assert.ok(isUsed(group, key), `${file}: ${group}.${key}`)
  })
})

const namesIn = (texts: MessageTexts): unknown =>
  Object.entries(texts).map(([key, text]) => [
    key,
    typeof text === 'string'
      ? [...new Set(argumentsIn(parseMessage(text)).map(({ name }) => name))]
          // A translation may leave out the name of the site.
          .filter((name) => !CONSTANTS.includes(name))
          .toSorted()
      : Array.isArray(text)
        ? text.length
        : namesIn(text),
  ])

const groupsOf = (name: string, texts: MessageTexts): [string, MessageTexts][] => [
  [name, texts],
  ...Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' || Array.isArray(text) ? [] : groupsOf(key, text),
  ),
]
