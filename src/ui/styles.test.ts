import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'

const SOURCES = join(import.meta.dirname, '..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: SOURCES })
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => [basename(name), readFileSync(join(SOURCES, name), 'utf8')] as const)

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '')
const SHEETS = read('{ui,site,console,desk,guide,identity}/**/*.css').map(
  ([name, text]) => [name, withoutComments(text)] as const,
)
/** All stylesheets except the one that defines the colors and sizes. */
const USERS = SHEETS.filter(([name]) => name !== 'tokens.css')
const ALL = SHEETS.map(([, text]) => text).join('\n')
const PROGRAM = read('{site,console,desk,guide,machines,identity,ui}/**/*.{ts,js}')
  .map(([, text]) => text)
  .join('\n')

/** Returns the matches of a pattern in the stylesheets, each with its file. */
const findIn = (sheets: typeof SHEETS, pattern: RegExp) =>
  sheets.flatMap(([name, text]) =>
    [...text.matchAll(pattern)].map(([found]) => `${name}: ${found}`),
  )

describe('the stylesheets', () => {
  it('use only the three breakpoints', () => {
    const conditions = [...ALL.matchAll(/@media ([^{]*)/g)].map(([, condition = '']) => condition)
    const widths = conditions.filter((condition) => condition.includes('width'))
    assert.deepEqual(
      widths.filter((condition) => !/\(width (?:<|>=) (?:30|48|64)rem\)/.test(condition)),
      [],
    )
  })

  it('define colors only in tokens.css', () => {
    assert.deepEqual(
      findIn(USERS, /#[\da-f]{3,8}\b(?=[^{}]*;)|\b(?:rgb|hsl|oklch|light-dark)\(.*/g),
      [],
    )
  })

  it('define font sizes only in tokens.css', () => {
    assert.deepEqual(findIn(USERS, /font-size: (?!var\(--|inherit;).*|\bfont: (?!inherit;).*/g), [])
  })

  it('use every declared token and declare every used one', () => {
    const declared = new Set([...ALL.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name))
    const used = new Set([...ALL.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name))
    assert.deepEqual(declared.symmetricDifference(used), new Set())
  })

  it('have no unused classes', () => {
    const classes = new Set([...ALL.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name))
    // Some class names are built at run time: `of-${kind}`, `status-${status}`.
    const isUsed = (name: string) =>
      new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(PROGRAM) ||
      new RegExp(`(?<![\\w-])${name.replace(/-.*/, '-')}\\$\\{`).test(PROGRAM)
    assert.deepEqual(
      [...classes].filter((name) => !isUsed(name)),
      [],
    )
  })
})
