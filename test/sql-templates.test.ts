import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor, type Node, type TemplateLiteral } from 'oxc-parser'
import { createDatabase } from '#test/databases.ts'
import { clusterOf } from '../src/db/embedded/cluster.ts'
import { startEngine } from '../src/db/embedded/embedded-engine.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** First word of a template that is a whole statement. */
const WHOLE = /^\s*(?:select|insert|update|delete|with|create|drop|truncate|lock)\b/
/** Error code for a table that only an import creates. */
const NO_SUCH_TABLE = '42P01'
/**
 * Errors that are certain whatever an import inserts into a template: an unknown column (`42703`), an ambiguous column
 * (`42702`), an unknown type (`42704`), an ungrouped column (`42803`). Other errors may be due to a fragment that
 * stands in for a value.
 */
const CERTAIN = new Set(['42703', '42702', '42704', '42803'])
/** Minimum number of prepared statements; fewer mean that this test no longer finds them. */
const MIN_PREPARED = 160

type Template = { file: string; text: string; isConstant: boolean }

/**
 * Returns what a tag such as `createTemporaryTable(trx, NAME)` puts before its template. Other calls are tags of queries
 * (`addPairs(trx, RULE)`).
 */
function prefixOf(tag: Node): string | undefined {
  if (tag.type !== 'CallExpression' || tag.callee.type !== 'Identifier') return undefined
  const [, name] = tag.arguments
  return tag.callee.name === 'createTemporaryTable' && name?.type === 'Literal'
    ? `create temporary table ${String(name.value)} on commit drop as `
    : ''
}

/** Returns the columns in an object such as `{ id: 'bigint' }`. */
const columnsOf = (node: Node | null | undefined): string | undefined =>
  node?.type === 'ObjectExpression'
    ? node.properties
        .map((property) =>
          property.type === 'Property' &&
          property.key.type === 'Identifier' &&
          property.value.type === 'Literal'
            ? `"${property.key.name}" ${String(property.value.value)}`
            : '',
        )
        .join(', ')
    : undefined

const templateOf = (node: Node | null | undefined): TemplateLiteral | undefined =>
  node?.type === 'TaggedTemplateExpression' &&
  node.tag.type === 'Identifier' &&
  node.tag.name === 'sql'
    ? node.quasi
    : undefined

/** Returns the text of a template, with parameters in place of values and constant fragments inlined. */
function textOf(
  { quasis, expressions }: TemplateLiteral,
  fragments: ReadonlyMap<string, string>,
): string {
  let parameters = 0
  return quasis
    .map(({ value }, index) => {
      const expression = expressions[index]
      if (!expression) return value.cooked
      const fragment = expression.type === 'Identifier' ? fragments.get(expression.name) : undefined
      return `${value.cooked}${fragment ?? `$${(parameters += 1)}`}`
    })
    .join('')
}

async function readTemplates(): Promise<Template[]> {
  const found: {
    file: string
    before: string
    quasi: TemplateLiteral
    fragments: Map<string, string>
  }[] = []
  const definitions: Template[] = []
  for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue
    const objects = new Map<string, string>()
    const fragments = new Map<string, string>()
    const { program } = parseSync(file, await readFile(`${ROOT}/${file}`, 'utf8'))
    new Visitor({
      TaggedTemplateExpression(node) {
        const before = prefixOf(node.tag)
        const quasi = before === undefined ? templateOf(node) : node.quasi
        if (quasi) found.push({ file, before: before ?? '', quasi, fragments })
      },
      VariableDeclarator({ id, init }) {
        const quasi = templateOf(init)
        if (id.type === 'Identifier' && quasi?.expressions.length === 0)
          fragments.set(id.name, textOf(quasi, new Map()))
        const columns = columnsOf(init)
        if (id.type === 'Identifier' && columns) objects.set(id.name, columns)
      },
      CallExpression({ callee, arguments: [, name, columns] }) {
        if (callee.type !== 'Identifier' || !/^(?:define|load)TemporaryTable$/.test(callee.name))
          return
        const defined =
          columns?.type === 'Identifier' ? objects.get(columns.name) : columnsOf(columns)
        if (name?.type !== 'Literal' || !defined) return
        const text = `create temporary table ${String(name.value)} (${defined}) on commit drop`
        definitions.push({ file, text, isConstant: true })
      },
    }).visit(program)
  }
  const templates = found
    .map(({ file, before, quasi, fragments }) => ({
      file,
      text: before + textOf(quasi, fragments),
      isConstant: !textOf(quasi, fragments).includes('$1'),
    }))
    .filter(({ text }) => WHOLE.test(text))
  return [...definitions, ...templates]
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined

describe('SQL templates that are whole statements', () => {
  it('can be prepared by PostgreSQL where their text is known from the source', async () => {
    const { dataDir, remove } = await createDatabase('embedded', 'empty')
    const engine = await startEngine(clusterOf(dataDir))
    const refused: string[] = []
    let prepared = 0
    /** @returns false if the template needs a table that another template creates */
    const prepare = async ({ file, text, isConstant }: Template): Promise<boolean> => {
      try {
        await engine.describeQuery(text)
        prepared += 1
        if (/^\s*create temporary table/.test(text) && isConstant)
          await engine.exec(text.replace('on commit drop', ''))
        return true
      } catch (error) {
        const code = String(codeOf(error))
        if (code === NO_SUCH_TABLE) return false
        if (isConstant || CERTAIN.has(code)) refused.push(`${file}: ${String(error)}`)
        return true
      }
    }
    try {
      let waiting = await readTemplates()
      for (let before = Infinity; waiting.length < before;) {
        before = waiting.length
        const still: Template[] = []
        for (const template of waiting) if (!(await prepare(template))) still.push(template)
        waiting = still
      }
      assert.deepEqual(refused, [])
      assert.ok(
        prepared >= MIN_PREPARED,
        `${prepared} prepared, ${waiting.length} wait for a table`,
      )
    } finally {
      await engine.close().finally(remove)
    }
  })
})
