import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainReason } from './explain-reason.ts'

const REASON =
  '2 fields are not valid: rate, status. · rate must be at most 10 · status must be one of PLAN'
const PARTS = [
  { code: 'fields.several', params: { count: 2, names: 'rate, status' } },
  { field: 'rate', code: 'schema.maximum', params: { limit: 10 } },
  { field: 'status', code: 'schema.enum', params: { values: 'PLAN' } },
]

describe('the reason for a rejected request', () => {
  it("is in the viewer's language, for whole requests and for fields", () => {
    const textIn = (language: 'en' | 'ja' | 'zh-Hans') =>
      explainReason(language, { reason: REASON, coded_reason: PARTS })
    assert.deepEqual(
      textIn('en').map(({ text }) => text),
      [
        '2 fields are not valid: rate, status.',
        'rate: must be at most 10',
        'status: must be one of PLAN',
      ],
    )
    assert.deepEqual(
      textIn('ja').map(({ text }) => text),
      [
        '2個のフィールドが正しくありません：rate, status',
        'rate：10 以下でなければなりません。',
        'status：次のいずれかでなければなりません：PLAN',
      ],
    )
    assert.deepEqual(
      new Set(textIn('zh-Hans').map(({ language }) => language)),
      new Set(['zh-Hans']),
    )
  })

  it('names the parameter that violated a rule of the provider', () => {
    const coded_reason = [{ code: 'scope.not_held', params: { scope: 'catalog:full' } }]
    assert.deepEqual(explainReason('zh-Hans', { reason: 'x', coded_reason }), [
      { text: '应用没有权限范围 catalog:full。', language: 'zh-Hans' },
    ])
  })

  it('stays in English if codes are missing, or if codes or parameters come from another version', () => {
    const reason = 'grant request is invalid · authorization code not found'
    for (const coded_reason of [
      null,
      [],
      [{ code: 'of.another_version' }],
      [{ code: 'rate.exceeded', params: { limit: 60 } }],
      [...PARTS, { field: 'rate', code: 'constructor' }],
    ])
      assert.deepEqual(explainReason('ja', { reason, coded_reason }), [
        { text: reason, language: 'en' },
      ])
  })
})
