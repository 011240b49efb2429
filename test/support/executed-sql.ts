import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DefaultQueryCompiler } from 'kysely'
import { parseSync, Visitor, type CallExpression, type Expression, type Program } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Matches the innermost stack frame in the program's code, and captures its position. */
const OWN_FRAME = new RegExp(
  `${RegExp.escape(pathToFileURL(ROOT).href)}((?:src|bin)/[^:]+:\\d+:\\d+)`,
)

/** Kysely methods that send a query. */
const SENDS = new Set(['execute', 'executeTakeFirst', 'executeTakeFirstOrThrow', 'stream'])
/** Kysely methods after which `execute` runs a callback. */
const TAKES_CALLBACK = new Set(['transaction', 'connection'])

/** Files and functions whose SQL runs only in programs started by a test, with that test. */
const RUN_BY_PROGRAMS: Record<string, string> = {
  'src/accounts/credentials/second-factor.ts resealTotpSecrets': 'bin/rescue.test.ts',
  'src/accounts/operator-queries.ts verifyEmail': 'bin/rescue.test.ts',
  'src/apps/operator/operator-queries.ts deleteApp': 'bin/rescue.test.ts',
  'src/curation/join/list-matches.ts listOpenMatches': 'bin/matches.test.ts',
  'src/curation/runs/list-queries.ts listLastOutcomes': 'bin/update.test.ts',
  'src/curation/runs/queries.ts recordFailedRun': 'bin/update.test.ts',
  'src/db/server/session.ts':
    'test/poolers.test.ts, whose protocol messages are no queries of Kysely',
  'src/demo.ts': 'test/demo.test.ts',
  'src/identity/provider/storage/cookie-keys.ts resealCookieKeys': 'bin/rescue.test.ts',
  'src/operations/next-steps-queries.ts': 'test/demo.test.ts',
}

const keyOfTexts = (texts: readonly string[]) => JSON.stringify(texts)

/**
 * Starts recording which SQL this process compiles into queries. Open databases are not recorded, because their
 * compiler has bound its methods.
 *
 * @returns the text of the `sql` templates, and the calls that send a query as `file:line:column`
 */
export function recordExecutedSql(): ReadonlySet<string> {
  const executed = new Set<string>()
  const known = new WeakSet<readonly string[]>()
  // as: `visitRaw` is protected
  const compiler = DefaultQueryCompiler.prototype as unknown as {
    compileQuery(...parameters: unknown[]): unknown
    visitRaw(node: { sqlFragments: readonly string[] }): void
  }
  const { compileQuery, visitRaw } = compiler
  compiler.compileQuery = function (...parameters) {
    const [, call] = OWN_FRAME.exec(new Error('Stack of the sender').stack ?? '') ?? []
    if (call !== undefined) executed.add(call)
    return compileQuery.apply(this, parameters)
  }
  compiler.visitRaw = function (node) {
    const texts = node.sqlFragments
    // All uses of a template share one object of strings. Those of `sql.raw` have no raw form.
    if ('raw' in texts && !known.has(texts)) {
      known.add(texts)
      executed.add(keyOfTexts(texts))
    }
    visitRaw.call(this, node)
  }
  return executed
}

/** Saves what this process recorded. */
export const saveExecutedSql = (folder: string, executed: ReadonlySet<string>) =>
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...executed]))

/**
 * Compares the source code with the records that all processes of a run saved in a folder.
 *
 * @returns a line for each `sql` template and each call sending a query that no test has executed, and for each
 * unneeded exception
 */
export async function findUnexecutedSql(folder: string): Promise<string[]> {
  const executed = new Set(
    readdirSync(folder).flatMap(
      // as: written by `saveExecutedSql`
      (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[],
    ),
  )
  const unexecuted: string[] = []
  const exceptions = new Set<string>()
  for await (const file of glob('{src,bin}/**/*.ts', { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue
    for (const { key, owner, location } of sqlOf(file, readFileSync(join(ROOT, file), 'utf8')))
      if (!executed.has(key)) {
        const exception = [file, `${file} ${owner}`].find((name) => name in RUN_BY_PROGRAMS)
        if (exception === undefined) unexecuted.push(`${location} ${owner}`)
        else exceptions.add(exception)
      }
  }
  const needless = Object.keys(RUN_BY_PROGRAMS).filter((name) => !exceptions.has(name))
  return [...unexecuted.toSorted(), ...needless.map((name) => `${name} needs no exception`)]
}

/** An occurrence in the source code. `owner` is the name of the enclosing declaration. */
type Sql = { key: string; owner: string; location: string }

/** Lists the `sql` templates of a file and its calls that send a query. */
function sqlOf(file: string, source: string): Sql[] {
  const { program } = parseSync(file, source)
  const found: Sql[] = []
  const add = (offset: number, key?: string) => {
    const lines = source.slice(0, offset).split('\n')
    const location = `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
    const enclosing = program.body.find(({ start, end }) => start <= offset && offset < end)
    found.push({ key: key ?? location, owner: enclosing ? nameOf(enclosing) : '', location })
  }
  new Visitor({
    TaggedTemplateExpression({ tag, quasi, start }) {
      // Includes tags such as `createTemporaryTable(trx, name)`.
      const isSql = tag.type === 'Identifier' ? tag.name === 'sql' : tag.type === 'CallExpression'
      if (!isSql) return
      add(start, keyOfTexts(quasi.quasis.map(({ value }) => value.cooked ?? '')))
    },
    CallExpression(call) {
      const { callee } = call
      if (callee.type !== 'MemberExpression' || callee.computed) return
      if (!SENDS.has(callee.property.name)) return
      if (methodsOf(call).some((name) => TAKES_CALLBACK.has(name))) return
      add(callee.property.start)
    },
  }).visit(program)
  return found
}

/** Returns the name of the function or constant that a statement declares. */
function nameOf(statement: Program['body'][number]): string {
  const declaration =
    statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declaration?.type === 'FunctionDeclaration') return declaration.id?.name ?? ''
  const id =
    declaration?.type === 'VariableDeclaration' ? declaration.declarations[0]?.id : undefined
  return id?.type === 'Identifier' ? id.name : ''
}

/** Returns the method names of a call chain, last first. */
function methodsOf(call: CallExpression): string[] {
  const names: string[] = []
  let link: Expression = call
  for (;;)
    if (link.type === 'CallExpression') link = link.callee
    else if (link.type === 'MemberExpression' && !link.computed) {
      names.push(link.property.name)
      link = link.object
    } else return names
}
