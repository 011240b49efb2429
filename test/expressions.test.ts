import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { check } from 'recheck'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Earlier results of the checker, by expression: some take seconds to check. */
const CACHE = join(ROOT, 'node_modules/.cache/mokuroku-tests/expressions.json')
const TIMEOUT_MS = 60_000

/** Expressions that backtrack, or that the checker cannot decide, and what bounds their input. */
const ALLOWED: Record<string, { beginnings: string[]; because: string }> = {
  'src/web/guide/markdown-view.ts': { beginnings: ['(`[^`]+`'], because: 'The guide is our own text.' },
  'src/importers/pictures/ask.ts': { beginnings: ['\\/+$'], because: 'The operator sets the address.' },
  'src/importers/dump/pg-dump.ts': {
    beginnings: ['^(?:--', '^COPY'],
    because: 'Anchored to a line; undecided by the checker.',
  },
  'src/importers/vndb/plain-text.ts': {
    beginnings: ['\\[spoiler\\]', '\\[(?:\\w+ '],
    because: 'The first always matches, to the end if need be; of the second each part ends at a bracket.',
  },
  'src/importers/bangumi/dates.ts': {
    beginnings: ['(\\d{4})\\s*', '(?<!\\d)(\\d{1,2})\\s+'],
    because: 'A value of an infobox is bounded.',
  },
  'src/identity/provider/provider-pages.ts': {
    beginnings: ['<form', '<input'],
    because: 'The provider makes the page, of a few kilobytes.',
  },
  'src/db/free-space.ts': { beginnings: ['\\binsert'], because: 'The statements are ours.' },
  'src/apps/describe-refusal.ts': {
    beginnings: ['((?:token', '[\\w-]{28,}'],
    because: 'The text is cut to a few hundred characters.',
  },
  'src/accounts/credentials/passwords.ts': { beginnings: ['=+$'], because: 'A hash of 32 bytes in base64.' },
  'src/pages/device-name.ts': { beginnings: ['\\bVersion'], because: 'Reads 500 characters at most.' },
  'src/ratings/lists/own-list.ts': {
    beginnings: ['^[^\\p{Cc}'],
    because: 'Anchored, one class; the checker expands 200 copies of it.',
  },
  'src/importers/bangumi/prices.ts': {
    beginnings: ['\\([^)]*'],
    because: 'A value of an infobox is bounded.',
  },
  'src/importers/bangumi/measures.ts': {
    beginnings: ['\\d\\s*'],
    because: 'A value of an infobox is bounded.',
  },
  'src/importers/bangumi/volume-title.ts': { beginnings: ['\\s*\\('], because: 'A title is bounded.' },
}

/** Files that put expressions together at run time, of parts that are all constants of the same file. */
const PUT_TOGETHER = [
  'src/importers/bangumi/prices.ts',
  'src/importers/bangumi/volume-title.ts',
  'src/importers/copy-text.ts',
  'src/pages/refusal-page.ts',
  'src/pages/theme.ts',
  'src/web/entry/find-entry.ts',
  'src/web/guide/markdown.ts',
]

type Literal = { pattern: string; flags: string; file: string }

async function expressions() {
  const literals: Literal[] = []
  const putTogether = new Set<string>()
  for await (const file of glob('{src,bin}/**/*.{ts,js}', { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue
    const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'))
    const visitConstructor = ({ callee }: { callee: object }) => {
      if ('name' in callee && callee.name === 'RegExp') putTogether.add(file)
    }
    new Visitor({
      Literal(node) {
        if ('regex' in node) literals.push({ ...node.regex, file })
      },
      NewExpression: visitConstructor,
      CallExpression: visitConstructor,
    }).visit(program)
  }
  return { literals, putTogether: [...putTogether].toSorted() }
}

const keyOf = ({ pattern, flags }: Literal) =>
  createHash('sha256').update(`/${pattern}/${flags}`).digest('base64url').slice(0, 16)

const isAllowed = ({ file, pattern }: Literal) =>
  ALLOWED[file]?.beginnings.some((beginning) => pattern.startsWith(beginning)) ?? false

function knownSafe(): Set<string> {
  try {
    // as: written below
    return new Set(JSON.parse(readFileSync(CACHE, 'utf8')) as string[])
  } catch {
    return new Set()
  }
}

describe('a regular expression', () => {
  it('takes time in proportion to its input, unless that is bounded', { timeout: 1_200_000 }, async () => {
    const { literals } = await expressions()
    assert.ok(literals.length > 300)
    const safe = knownSafe()
    const wrong: string[] = []
    for (const literal of literals) {
      const key = keyOf(literal)
      if (safe.has(key) || isAllowed(literal)) continue
      const { status } = await check(literal.pattern, literal.flags, { timeout: TIMEOUT_MS })
      if (status === 'safe') safe.add(key)
      else wrong.push(`${literal.file}: /${literal.pattern}/ is ${status}`)
    }
    mkdirSync(join(CACHE, '..'), { recursive: true })
    writeFileSync(CACHE, JSON.stringify([...safe]))
    assert.deepEqual(wrong, [])
  })

  it('is put together at run time only where all its parts are constants', async () => {
    assert.deepEqual((await expressions()).putTogether, PUT_TOGETHER)
  })
})
