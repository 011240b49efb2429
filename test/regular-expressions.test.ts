import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { check } from 'recheck'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Time, in milliseconds, after which an expression counts as undecided. */
const TIMEOUT_MS = 20_000

/**
 * Expressions that backtrack or that the checker cannot decide, keyed by their first characters, with the reason why
 * that is harmless.
 */
const ALLOWED: Record<string, { beginnings: string[]; because: string }> = {
  'src/ui/assets.ts': {
    beginnings: ['\\/\\*(?:[^*]', '^ *(?:\\/\\/', '^(?:import'],
    because: 'The stylesheets and scripts are our own files.',
  },
  'src/guide/snippets.ts': { beginnings: ['^(.*?)'], because: 'The programs are our own files.' },
  'src/guide/markdown-view.ts': { beginnings: ['(`[^`]+`'], because: 'The guide is our own text.' },
  'src/curation/pictures/request-picture.ts': {
    beginnings: ['\\/+$'],
    because: 'The operator sets the address.',
  },
  'src/config/setting-readers.ts': {
    beginnings: ['^\\d*\\.?\\d+$', '\\/+$', '^(\\*|(\\*?'],
    because: 'The operator writes the settings.',
  },
  'src/sources/vndb/plain-text.ts': {
    beginnings: ['\\[(?:\\w+ '],
    because: 'Undecided by the checker. Every part stops at a bracket.',
  },
  'src/sources/bangumi/infobox/infobox-reader.ts': {
    beginnings: ['^(?:[a-z0-9-]{1,63}'],
    because:
      'Undecided by the checker. One part is anchored, and nothing follows the repetition of the other.',
  },
  'src/sources/bangumi/infobox/prices.ts': {
    beginnings: ['^[ ~〜]+|(?<!'],
    because:
      'Misjudged by the checker. The lookbehind lets only the first character of a run begin a match.',
  },
  'src/identity/provider/provider-pages.ts': {
    beginnings: ['<form', '<input'],
    because: 'The provider library makes the page, which has a few kilobytes.',
  },
  'src/db/embedded/free-space.ts': {
    beginnings: ['\\binsert'],
    because: 'The statements are our own.',
  },
  'src/apps/usage/describe-refusal.ts': {
    beginnings: ['((?:token'],
    because: 'The text is cut to a few hundred characters.',
  },
  'src/ui/device-name.ts': { beginnings: ['\\bVersion'], because: 'Reads at most 500 characters.' },
}

/** Files that build expressions at run time, from constants of the same file or from escaped text. */
const BUILDERS = [
  'src/browse/lookup/parse-request.ts',
  'src/db/embedded/socket/copy-statement.ts',
  'src/guide/markdown.ts',
  'src/guide/snippets.ts',
  'src/http/wire/picture-urls.ts',
  'src/search/text/external-ids.ts',
  'src/site/entry/find-entry.ts',
  'src/sources/bangumi/books/volume-title.ts',
  'src/sources/bangumi/infobox/external-ids.ts',
  'src/sources/bangumi/infobox/measures.ts',
  'src/sources/bangumi/infobox/prices.ts',
  'src/sources/dump/tables/copy-text.ts',
  'src/sources/external-ids.ts',
  'src/ui/announcement.ts',
  'src/ui/page/theme.ts',
  'src/ui/page/unscoped-error-page.ts',
  'src/ui/title-preference.ts',
]

type Literal = { pattern: string; flags: string; file: string }

async function readExpressions() {
  const literals: Literal[] = []
  const builders = new Set<string>()
  for await (const file of glob('{src,bin}/**/*.{ts,js}', { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue
    const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'))
    const visitConstructor = ({ callee }: { callee: object }) => {
      if ('name' in callee && callee.name === 'RegExp') builders.add(file)
    }
    new Visitor({
      Literal(node) {
        if ('regex' in node) literals.push({ ...node.regex, file })
      },
      NewExpression: visitConstructor,
      CallExpression: visitConstructor,
    }).visit(program)
  }
  return { literals, builders: [...builders].toSorted() }
}

const ATOM = /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]/gsu
const UNBOUNDED = /[*+]|\{\d+,\}/g

/**
 * Whether matching may take more than linear time, judged by the syntax alone. Linear time is certain without an
 * unbounded quantifier or with only one at the end. It is also certain if the expression is anchored and its only
 * quantifier applies to a single atom.
 */
function mayBacktrack({ pattern, flags }: Literal): boolean {
  // Character classes nest with the flag `v`.
  if (flags.includes('v')) return true
  const plain = pattern.replaceAll(ATOM, 'x')
  const quantifiers = plain.match(UNBOUNDED)?.length ?? 0
  if (quantifiers !== 1) return quantifiers > 1
  if (/(?:[*+]|\{\d+,\})\??$/.test(plain)) return false
  const isAnchored =
    plain.startsWith('^') && !flags.includes('m') && !outsideGroups(plain).includes('|')
  return !isAnchored || /\)[*+{]/.test(plain)
}

function outsideGroups(plain: string): string {
  const outer = plain.replaceAll(/\([^()]*\)/g, '')
  return outer === plain ? plain : outsideGroups(outer)
}

const nameOf = ({ pattern, flags }: Literal) => `/${pattern}/${flags}`

const isAllowed = ({ file, pattern }: Literal) =>
  ALLOWED[file]?.beginnings.some((beginning) => pattern.startsWith(beginning)) ?? false

describe('a regular expression', () => {
  let expressions: Awaited<ReturnType<typeof readExpressions>>
  const backend = process.env['RECHECK_BACKEND']
  before(async () => {
    expressions = await readExpressions()
    // The native checker uses a fraction of the processor time of the Java one, which is the default.
    if (process.arch === 'x64') process.env['RECHECK_BACKEND'] = 'native'
  })
  after(() => {
    if (backend === undefined) delete process.env['RECHECK_BACKEND']
    else process.env['RECHECK_BACKEND'] = backend
  })

  it('takes linear time, or has bounded input', { timeout: 600_000 }, async () => {
    const { literals } = expressions
    assert.ok(literals.length > 300)
    const wrong: string[] = []
    const unchecked = literals.filter((literal) => mayBacktrack(literal) && !isAllowed(literal))
    for (const literal of new Map(
      unchecked.map((literal) => [nameOf(literal), literal]),
    ).values()) {
      const { status } = await check(literal.pattern, literal.flags, { timeout: TIMEOUT_MS })
      if (status !== 'safe') wrong.push(`${literal.file}: ${nameOf(literal)} is ${status}`)
    }
    assert.deepEqual(wrong, [])
  })

  it('is checked if its syntax allows backtracking', () => {
    const judge = (pattern: string, flags = '') => mayBacktrack({ pattern, flags, file: '' })
    for (const pattern of ['a{1,9}b', '[*+]{2}', '\\+$', 'ab+', '^(a|b)c*d', '^[^)]*\\)$'])
      assert.equal(judge(pattern), false, pattern)
    for (const pattern of ['a+$', '^a*a*$', '^(a|ab)*$', '^a|b+c', '^(?:a*b?){9}$'])
      assert.equal(judge(pattern), true, pattern)
    assert.equal(judge('^a*b', 'm'), true)
  })

  it('is listed as an exception only if it exists and may backtrack', () => {
    const stale = Object.entries(ALLOWED).flatMap(([file, { beginnings }]) =>
      beginnings.filter(
        (beginning) =>
          !expressions.literals.some(
            (literal) =>
              literal.file === file &&
              literal.pattern.startsWith(beginning) &&
              mayBacktrack(literal),
          ),
      ),
    )
    assert.deepEqual(stale, [])
  })

  it('is built at run time only from constants and escaped text', () => {
    assert.deepEqual(expressions.builders, BUILDERS)
  })
})
