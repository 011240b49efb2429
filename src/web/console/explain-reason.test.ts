import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { assertLinear } from '#test/cost.ts'
import * as featureRefusals from '../../http/wire/feature-refusals.ts'
import * as moderationRefusals from '../../moderation/refusals.ts'
import * as refusals from '../../http/wire/refusals.ts'
import { schemaFaultText } from '../../http/wire/schema-fault-text.ts'
import { explainReason } from './explain-reason.ts'

const SOURCE = fileURLToPath(new URL('../..', import.meta.url))
const LIBRARY = dirname(fileURLToPath(import.meta.resolve('oidc-provider')))

/** Where the library refuses what apps send, with the features that are on. */
const OF_THE_LIBRARY = [
  'actions/token.js',
  'actions/revocation.js',
  'actions/introspection.js',
  'actions/end_session.js',
  'actions/grants/authorization_code.js',
  'actions/grants/client_credentials.js',
  'actions/grants/device_code.js',
  'actions/grants/refresh_token.js',
  'actions/authorization',
  'helpers/errors.js',
  'helpers/grant_source.js',
  'helpers/grant_common.js',
  'helpers/grant_authorization.js',
  'helpers/interaction_policy',
  'helpers/jwt.js',
  'helpers/pkce.js',
  'helpers/pkce_format.js',
  'helpers/process_response_types.js',
  'helpers/resolve_resource.js',
  'helpers/validate_presence.js',
  'models/token_helpers.js',
  'shared/client_auth.js',
  'shared/reject_dupes.js',
  'shared/reject_structured_tokens.js',
  'shared/selective_body.js',
]
const OFF =
  /authorization\/(ciba|process_request_object|claims|device|respond)\.js|interaction_policy\/(check|index)\.js/
/** Of features that are off, of faults of the configuration, or of what only a person sees. */
const NOT_TOLD =
  /dpop|DPoP|attest|mutual TLS|x5t|jkt|certificate|assertion|Rich Authorization|authorization_details|web_message|JWT Authorization|introspection must be requested|proof-of-possession|polling too quickly|still pending|prompt none is special|requestable argument|no account id was|no scope was granted|claims|[Aa]uthorization header scheme|unless encrypted|not implemented|web message|Web Message|OAuth-Client|instance of Check|polic(?:y|ies) |stream encoding|only \d|CIBA|name must|reason must|already parsed|client secret is expired, cannot/

/** What templates are filled with, where it is one of a few words. */
const LABELS: Record<string, string[]> = {
  label: ['authorization code', 'refresh token', 'device code'],
  entityLabel: ['authorization code', 'refresh token', 'device code'],
  name: ['login', 'consent', 'select_account'],
}

const filesIn = (path: string): string[] =>
  path.endsWith('.js') || path.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file))

/** The text of a literal, with something in the place of each value. */
function filled(literal: string): string[] {
  const label = Object.keys(LABELS).find((name) => literal.includes(`\${${name}}`))
  const texts = (label === undefined ? [''] : (LABELS[label] ?? [])).map((word) =>
    label === undefined ? literal : literal.replaceAll(`\${${label}}`, word),
  )
  return texts.map((text) =>
    text
      .replaceAll(/\$\{[^}]*pluralize\('(\w+)'[^}]*\}/g, '$1')
      .replaceAll(/\$\{[^}]*\}/g, 'x')
      .replaceAll(/\\'/g, "'"),
  )
}

/** The literals of a program that a pattern finds. */
const literals = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, , literal = '']) => literal)

function libraryTexts(): string[] {
  const found = new Set<string>()
  for (const path of OF_THE_LIBRARY.flatMap((file) => filesIn(join(LIBRARY, file)))) {
    if (!path.endsWith('.js') || OFF.test(path)) continue
    const text = readFileSync(path, 'utf8')
    for (const literal of [
      ...literals(text, /new (?:[A-Z]\w*|errors\.\w+)\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g),
      ...literals(text, /new Check\(\s*'\w+',\s*(['"`])([^'`]+)\1/g),
      ...literals(text, /new Check\(\s*`[^`]+`,\s*(`)([^`]+)\1/g),
      ...literals(text, /error_description = (['"`])((?:\\.|(?!\1).)+)\1/g),
      ...literals(text, /error_description: description \|\| (['"`])([^'`]+)\1/g),
      ...literals(text, /export const \w+ = E\('\w+', (['"`])((?:\\.|(?!\1).)+)\1/g),
    ])
      if (/ /.test(literal) && !NOT_TOLD.test(literal)) for (const one of filled(literal)) found.add(one)
  }
  return [...found]
}

/** Faults of fields, by how all of them begin, and reasons that are sentences. */
const OWN_FAULT =
  /(['"`])((?:must|is|has|names|stands|would be|reaches|was made|takes the|send source|line) (?:\\.|(?!\1).)*|\$\{[^`]*\} (?:is (?:no|granted|for)|must) [^`]*|client_credentials is [^']*)\1/g
const OF_API = [
  'apps',
  'browse',
  'catalog',
  'collections',
  'http',
  'moderation',
  'profiles',
  'ratings',
  'search',
]

function ownFaults(): string[] {
  const found = new Set<string>()
  for (const path of OF_API.flatMap((room) => filesIn(join(SOURCE, room)))) {
    const place = relative(SOURCE, path)
    if (
      !path.endsWith('.ts') ||
      /\.test\.ts$|documentation\.ts$|^http\/document|lists\/outcome\.ts$|responses\.ts$|(queries|statements)\.ts$/.test(
        place,
      )
    )
      continue
    const text = readFileSync(path, 'utf8').replaceAll(/\b(description|summary)\b[^\n]*\n?[^\n]*/g, '')
    for (const literal of literals(text, OWN_FAULT)) for (const one of filled(literal)) found.add(one)
  }
  return [...found]
}

/** Messages of what the API refuses: each is called with something for its values. */
function ownRefusals(): string[] {
  const values = [2_048, ['x', 'y'], { limit: 60, resetAt: Date.now() + 5_000 }]
  const found = new Set<string>()
  const makers = Object.entries({ ...refusals, ...featureRefusals, ...moderationRefusals })
  for (const [name, make] of makers) {
    if (typeof make !== 'function') continue
    for (const value of values)
      try {
        // as: whatever they take, one of the values is it
        const made: unknown = (make as (...given: unknown[]) => unknown)(value, 'x')
        if (made instanceof Error && 'status' in made && ![404, 500, 503].includes(Number(made.status)))
          if (made.message.includes(' ') && !made.message.includes('[object')) found.add(made.message)
      } catch {
        assert.notEqual(name, '', 'a value it does not take')
      }
  }
  return [...found]
}

const OF_THE_GUARDS = [
  'identity/tokens/verify-token.ts',
  'identity/provider/refused-requests.ts',
  'uploads/read-upload.ts',
]
const guardTexts = () =>
  OF_THE_GUARDS.flatMap((file) =>
    literals(readFileSync(join(SOURCE, file), 'utf8'), /(['"`])([A-Z][^'"`\n]* [^'"`\n]*\.)\1/g).flatMap(
      filled,
    ),
  )
const providerTexts = () =>
  [
    'identity/provider/resource.ts',
    'identity/provider/provider.ts',
    'identity/provider/records.ts',
    'identity/provider/policy.ts',
  ].flatMap((file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8')
    return [
      ...literals(text, /new errors\.\w+\((['"`])((?:\\.|(?!\1).)+)\1/g),
      ...literals(text, /new Check\(\s*'\w+',\s*(['"`])([^'`]+)\1/g),
    ].flatMap(filled)
  })

describe('the reason of a refused request', () => {
  const sources: [name: string, texts: () => string[], atLeast: number, prefix: string][] = [
    ['the library', libraryTexts, 70, ''],
    ['the provider', providerTexts, 6, ''],
    ['the guards', guardTexts, 8, ''],
    ['refused calls', ownRefusals, 30, ''],
    ['fields', ownFaults, 60, 'a_field.0 '],
  ]
  for (const [name, texts, atLeast, prefix] of sources)
    it(`is in the reader’s language, whatever it is: what ${name} may say`, () => {
      const found = texts()
      assert.ok(found.length >= atLeast, `${found.length}: ${found.join('\n')}`)
      const missing: string[] = []
      for (const text of found)
        for (const language of ['ja', 'zh-Hans'] as const) {
          const [detail] = explainReason(language, prefix + text)
          const isExplained =
            detail?.language === language && /\p{Script=Han}|\p{Script=Hiragana}/u.test(detail.text)
          if (!isExplained || /\{\d\}/.test(detail.text)) missing.push(`${language}: ${text}`)
        }
      assert.deepEqual(missing, [])
    })

  it('is in the reader’s language for each fault that a schema can find', () => {
    for (const message of [
      'must be a string',
      'must be a whole number or null',
      'must be one of PLAN, GOING',
      ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties'].flatMap(
        (keyword) => [1, 2].map((limit) => schemaFaultText({ keyword, params: { limit } })),
      ),
      'is not a known field',
      'is required',
      'must not contain the same item twice',
      'must be a date, such as 2004-04-28',
    ])
      for (const language of ['ja', 'zh-Hans'] as const)
        assert.equal(explainReason(language, `rate ${message}`)[0]?.language, language, message)
  })

  it('passes on what it names, each of several, and is as it was kept in English', () => {
    const reason =
      '2 fields are not valid: rate, status. · rate must be at most 10 · status must be one of PLAN, GOING'
    assert.deepEqual(
      explainReason('en', reason)
        .map(({ text }) => text)
        .join(' · '),
      reason,
    )
    assert.deepEqual(
      explainReason('ja', reason).map(({ text }) => text),
      [
        '2 個の項目が正しくありません：rate, status',
        'rate：10 以下でなければなりません。',
        'status：次のどれかでなければなりません：PLAN, GOING',
      ],
    )
    assert.deepEqual(explainReason('zh-Hans', 'the app does not hold the scope catalog:full'), [
      { text: '应用没有作用域 catalog:full。', language: 'zh-Hans' },
    ])
  })

  it('stays in English where nobody has words for it, and says so', () => {
    assert.deepEqual(explainReason('ja', 'jwt expired · what a new version says'), [
      { text: 'トークンの有効期限が切れています。', language: 'ja' },
      { text: 'what a new version says', language: 'en' },
    ])
  })

  it('is explained in time proportional to its length', () =>
    assertLinear((size) => explainReason('ja', `x${' fields are not valid: '.repeat(size)}`), 2_000))
})
