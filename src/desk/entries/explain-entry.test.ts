import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { signedInAs } from '#test/authorization.ts'
import { csrfTokenOf, type PlainBrowser } from '#test/browser.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import { parseField } from '../../curation/edit/edit-field.ts'
import { EntryRefusedError } from '../../curation/merge/entry-refusal.ts'
import { FIELD_SCHEMAS } from '../../curation/edit/field-schemas.ts'
import { messagesIn } from '../../ui/messages.ts'
import { faultMessage } from '../../http/wire/errors/fault.ts'
import { explainEntryRefusal } from './explain-entry.ts'

/** Returns a value that no field accepts. */
const BAD_VALUES = [
  '',
  'x',
  '{',
  '1',
  '-1',
  '"x"',
  '[]',
  '[1]',
  '[{}]',
  '{}',
  '2004-13-01',
  'x'.repeat(20_000),
]

describe('refusals by entry rules', () => {
  let service: TestService
  let browser: PlainBrowser
  let game: number
  let csrf = ''
  before(async () => {
    service = await shareService()
    browser = (await signedInAs(service, 'ADMIN')).browser
    game = first((await sampleWorks(service.db)).galgame)
    const entry = await browser.get(`/desk/entries?kind=galgame&id=${game}`)
    csrf = csrfTokenOf(entry)
  })
  after(() => service.close())

  const STATEMENTS = {
    ja: {
      same: /ギャルゲー \d+ を同じ項目に統合/,
      missing: /人物 999999 は存在しません/,
      value: /release_date：2004-04-28 のような日付/,
    },
    'zh-Hans': {
      same: /Galgame \d+ 不能合并到自身/,
      missing: /人物 999999 不存在/,
      value: /release_date：须为日期，例如 2004-04-28/,
    },
  } as const
  for (const language of ['ja', 'zh-Hans'] as const)
    it(`are shown in ${language} at the desk`, async () => {
      const explanation = async (path: string, fields: Record<string, string>, refused = 409) => {
        const { status, text } = await browser.post(`/desk/${path}?ui_locales=${language}`, {
          _csrf: csrf,
          note: 'x',
          ...fields,
        })
        assert.equal(status, refused, text.slice(0, 300))
        return text
      }
      const pair = { kind: 'galgame', from: String(game), into: String(game) }
      assert.match(await explanation('merges', pair), STATEMENTS[language].same)
      assert.match(
        await explanation('merges', { kind: 'person', from: '999999', into: '1' }),
        STATEMENTS[language].missing,
      )
      const field = { kind: 'galgame', id: String(game), field: 'release_date', value: 'soon' }
      assert.match(await explanation('entries/set', field, 422), STATEMENTS[language].value)
    })

  const FAULTS = [
    [
      'character',
      'height',
      '"10.5"',
      ['height must be a number.', 'height：数値で', 'height：须为数字'],
    ],
    ['character', 'age', '10.5', ['age must be a whole number.', 'age：整数で', 'age：须为整数']],
    [
      'galgame',
      'nsfw',
      'maybe',
      ['nsfw must be true or false.', 'nsfw：true か false', 'nsfw：须为 true'],
    ],
    [
      'galgame',
      'aliases',
      'one',
      ['aliases must be a JSON array.', 'aliases は JSON の', 'aliases 须为 JSON'],
    ],
    [
      'producer',
      'country',
      'Japan',
      ['have the form JP.', 'country：JP の形式', 'country：格式须为 JP'],
    ],
    ['galgame', 'engin', 'x', ['Did you mean engine?', 'engine のことですか', '是不是要找 engine']],
  ] as const
  for (const [index, language] of (['en', 'ja', 'zh-Hans'] as const).entries())
    it(`explain in ${language} why a value is invalid`, async () => {
      for (const [kind, field, value, message] of FAULTS) {
        const fields = { _csrf: csrf, note: 'x', kind, id: '1', field, value }
        const { status, text } = await browser.post(
          `/desk/entries/set?ui_locales=${language}`,
          fields,
        )
        assert.equal(status, 422)
        assert.ok(
          text.includes(message[index] ?? '?'),
          `${message[index]} in ${text.slice(0, 2_000)}`,
        )
      }
    })

  for (const language of ['ja', 'zh-Hans'] as const) {
    it(`have a message in ${language} for every value that a field rejects`, () => {
      const explanations = ENTRY_KINDS.flatMap((kind) =>
        Object.keys(FIELD_SCHEMAS[kind]).flatMap((field) =>
          BAD_VALUES.flatMap((value) => {
            try {
              parseField({ kind, field }, value)
              return []
            } catch (error) {
              assert.ok(error instanceof EntryRefusedError)
              return [error.refusal]
            }
          }),
        ),
      )
      assert.ok(explanations.length > 100, String(explanations.length))
      const texts = { language, messages: messagesIn(language) }
      const english = explanations.filter(
        (refusal) =>
          refusal.fault &&
          explainEntryRefusal(texts, refusal).includes(faultMessage(refusal.fault)),
      )
      assert.deepEqual([...new Set(english.map(({ fault }) => fault?.code))], [])
    })
  }
})
