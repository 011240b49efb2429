import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor, type Node } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Files that read messages from other programs, each with the reason. */
const ALLOWED: Record<string, string> = {
  'bin/explain-failure.ts': 'pg has no codes for failed connections',
  'src/db/embedded/directory-lock.ts': 'node:sqlite has no code for a locked file',
  'src/db/embedded/engine-failure.ts': 'PostgreSQL writes why it cannot start to its log only',
  'src/kernel/is-unavailable.ts': 'pg has no codes for connections that ended',
  'src/outbound/proxy-error.ts': 'Node reports the status of a refused tunnel in the message only',
}

/** Names of properties that hold text for people. */
const MESSAGE = /(?:message|reason|remark|description|detail)$/i
const TEXT_METHODS = new Set([
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'match',
  'matchAll',
  'search',
  'split',
])
/** Matches text of at least four words. Shorter text may be a name. */
const SENTENCE = /^\S+(?: \S+){3,}$/

/** Whether an expression is a message, including behind `?.`, `?? ''` and `String(…)`. */
function isMessage(node: Node | null | undefined): boolean {
  switch (node?.type) {
    case 'Identifier':
      return MESSAGE.test(node.name)
    case 'MemberExpression':
      return node.property.type === 'Literal'
        ? MESSAGE.test(String(node.property.value))
        : isMessage(node.property)
    case 'ChainExpression':
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return isMessage(node.expression)
    case 'LogicalExpression':
      return isMessage(node.left)
    case 'CallExpression':
      return 'name' in node.callee && node.callee.name === 'String' && isMessage(node.arguments[0])
    default:
      return false
  }
}

const isText = (node: Node | null | undefined, pattern: RegExp): boolean =>
  node?.type === 'Literal' && typeof node.value === 'string' && pattern.test(node.value)

const isSentence = (node: Node | null | undefined) => isText(node, SENTENCE)

/** Whether each row begins with a sentence that serves as its key. */
const isTableOfSentences = (rows: Node[]) =>
  rows.length > 0 &&
  rows.every(
    (row) =>
      row.type === 'ArrayExpression' && row.elements.length > 1 && isSentence(row.elements[0]),
  )

/** Finds code that depends on the wording of a message. Rewording a message must not change the program's behavior. */
function findReadings(file: string, source: string): string[] {
  const found: string[] = []
  const note = ({ start, end }: { start: number; end: number }) => {
    found.push(source.slice(start, Math.min(end, start + 80)))
  }
  new Visitor({
    CallExpression(node) {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const { name } = callee.property
      // A comparison with white space does not depend on the wording.
      const [first] = node.arguments
      if (TEXT_METHODS.has(name) && isMessage(callee.object) && !isText(first, /^\s*$/)) note(node)
      if ((name === 'test' || name === 'exec') && isMessage(first)) note(node)
    },
    BinaryExpression(node) {
      const isCompared = /^[!=]==?$/.test(node.operator)
      const [left, right] = [node.left, node.right]
      if (
        isCompared &&
        ((isMessage(left) && isText(right, / /)) || (isMessage(right) && isText(left, / /)))
      )
        note(node)
    },
    SwitchStatement(node) {
      if (isMessage(node.discriminant) && node.cases.some(({ test }) => isText(test, / /)))
        note(node.discriminant)
    },
    Property(node) {
      if (isSentence(node.key)) note(node)
    },
    ArrayExpression(node) {
      if (isTableOfSentences(node.elements.filter((element) => element !== null))) note(node)
    },
  }).visit(parseSync(file, source).program)
  return found
}

describe('message text', () => {
  it('does not affect behavior, except in modules that are listed with a reason', async () => {
    const found: string[] = []
    for await (const file of glob('{src,bin}/**/*.ts', { cwd: ROOT })) {
      if (file.endsWith('.test.ts') || file in ALLOWED) continue
      const readings = findReadings(file, await readFile(`${ROOT}/${file}`, 'utf8'))
      found.push(...readings.map((reading) => `${file}: ${reading}`))
    }
    assert.deepEqual(found, [])
  })

  it('is read by every module that is listed with a reason', async () => {
    for (const file of Object.keys(ALLOWED))
      assert.notDeepEqual(findReadings(file, await readFile(`${ROOT}/${file}`, 'utf8')), [], file)
  })

  it('is detected however the code uses it', () => {
    for (const source of [
      "error.message.includes('expired')",
      "error?.message.startsWith('expired')",
      "(description ?? '').match(/expired/)",
      '/expired/.test(String(error.cause.message))',
      "fault['message'].split(':')",
      "message === 'is not valid'",
      "switch (told.error_description) { case 'has expired': break }",
      "const WORDS = { 'must be a whole number': '整数' }",
      "const WORDS = new Map([['must be a whole number', '整数']])",
    ])
      assert.equal(findReadings('planted.ts', source).length, 1, source)
    for (const source of [
      "error.code === 'has expired'",
      "message === ''",
      "const WORDS = { 'of two words': 1 }",
      "description.split('\\n\\n')",
    ])
      assert.deepEqual(findReadings('planted.ts', source), [], source)
  })
})
