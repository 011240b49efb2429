import { glob, readFile } from 'node:fs/promises'
import type { startEngine } from '../src/db/embedded/embedded-engine.ts'
import { STATEMENTS } from '../src/db/statement.ts'
import { typescriptOf } from './postgres-types.ts'

type Engine = Awaited<ReturnType<typeof startEngine>>
type Named = { name: string; text: string }

/**
 * Describes every statement by having PostgreSQL prepare it.
 *
 * @param engine holds the migrated schema
 * @returns one line of TypeScript for each, with the types of its parameters and columns
 * @throws {AggregateError} with an error for each statement that PostgreSQL rejects or that has a duplicate name
 */
export async function describeStatements(engine: Engine, statements: Named[]): Promise<string[]> {
  const names = statements.map(({ name }) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  const { lines, refused } = await describeAll(engine, statements)
  const faults = [
    ...refused,
    ...repeated.map((name) => new Error(`${name}: another statement has this name`)),
  ]
  if (faults.length > 0)
    throw new AggregateError(faults, faults.map(({ message }) => message).join('\n'))
  return lines.toSorted()
}

/**
 * Imports every module that declares statements. A module publishes its statements when it is loaded, so none of them
 * may be loaded earlier.
 */
export async function collectStatements(): Promise<Named[]> {
  const statements: Named[] = []
  // as: only `statement.ts` publishes on this channel
  const add = (published: unknown) => void statements.push(published as Named)
  STATEMENTS.subscribe(add)
  for await (const file of glob('src/**/*.ts', { cwd: new URL('..', import.meta.url) })) {
    const url = new URL(`../${file}`, import.meta.url)
    if (file.endsWith('.test.ts')) continue
    if (/\bstatement(Of)?[(<]/.test(await readFile(url, 'utf8'))) await import(url.href)
  }
  STATEMENTS.unsubscribe(add)
  return statements
}

/**
 * Describes statements repeatedly, because those on temporary tables fail until the statements that create these
 * tables have run.
 */
async function describeAll(engine: Engine, statements: Named[]) {
  const nameOf = await readTypeNames(engine)
  const lines: string[] = []
  let refused: Error[] = []
  for (
    let waiting = statements, before = Infinity;
    waiting.length > 0 && waiting.length < before;
  ) {
    const attempts = waiting
    before = attempts.length
    waiting = []
    refused = []
    for (const { name, text } of attempts)
      try {
        const { queryParams, resultFields } = await engine.describeQuery(text)
        const parameters = queryParams.map(({ dataTypeID }) =>
          typescriptOf(nameOf(dataTypeID), 'parameter'),
        )
        const columns = new Map(
          resultFields.map((field) => [
            field.name,
            typescriptOf(nameOf(field.dataTypeID), 'column'),
          ]),
        )
        lines.push(lineOf(name, parameters, columns))
        if (/^\s*create temporary table/.test(text))
          await engine.exec(text.replace('on commit drop', ''))
      } catch (cause) {
        waiting.push({ name, text })
        refused.push(new Error(`${name}: ${String(cause)}`, { cause }))
      }
  }
  return { lines, refused }
}

async function readTypeNames(engine: Engine) {
  const { rows } = await engine.query<{ oid: number; name: string }>(
    'select oid::integer, typname as name from pg_type',
  )
  const names = new Map(rows.map(({ oid, name }) => [oid, name]))
  return (oid: number) => names.get(oid) ?? String(oid)
}

function lineOf(name: string, parameters: string[], columns: Map<string, string>) {
  const fields = [...columns].map(
    ([column, type]) => `${/^\w+$/.test(column) ? column : `'${column}'`}: ${type}`,
  )
  const row = fields.length > 0 ? `{ ${fields.join('; ')} }` : '{}'
  return `'${name}': { parameters: [${parameters.join(', ')}]; row: ${row} }`
}
