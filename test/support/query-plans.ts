import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { CompiledQuery } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import type { SentStatement } from './statements.ts'

/** Fields of a plan node in `explain (format json)` that are used here. */
export type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Parent Relationship'?: string
  'Join Type'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  'Plan Rows': number
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

/** Returns the plan of a statement with these parameters, without running it. */
export const planOf = (db: Database, { sql, parameters }: SentStatement): Promise<PlanNode> =>
  explain(db, `explain (format json) ${sql}`, parameters)

type Explained = { 'QUERY PLAN': [{ Plan: PlanNode }] }

const planIn = ([row]: Explained[]): PlanNode =>
  row?.['QUERY PLAN'][0].Plan ?? assert.fail('no plan')

async function explain(
  db: Database,
  statement: string,
  parameters: readonly unknown[],
): Promise<PlanNode> {
  const { rows } = await db.executeQuery<Explained>(CompiledQuery.raw(statement, [...parameters]))
  return planIn(rows)
}

/** Returns the plan of a statement that was run, and the number of rows it read, including those filtered out. */
export async function rowsReadBy(db: Database, { sql, parameters }: SentStatement) {
  const plan = await explain(db, `explain (analyze, format json) ${sql}`, parameters)
  return { rows: rowsOf(plan), plan }
}

/** Number of rows that pass through a node and its children. PostgreSQL reports the rows of one loop. */
function rowsOf(node: PlanNode): number {
  const { 'Actual Rows': taken = 0, 'Actual Loops': loops = 0, Plans: children = [] } = node
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unjoined = 0 } =
    node
  return (
    (taken + filtered + unjoined) * loops + children.reduce((sum, child) => sum + rowsOf(child), 0)
  )
}

const EXPLAINABLE =
  /^\s*(with|select|insert|update|delete|create temporary table \S+ on commit drop as)\b/

/**
 * Counts the rows that the database reads for the statements of `work` in a transaction. The count measures their cost
 * independently of the machine. Each statement runs twice: the first run is explained and rolled back.
 */
export async function rowsReadDuring(trx: Database, work: () => Promise<unknown>): Promise<number> {
  let rows = 0
  await trx.getExecutor().provideConnection(async (connection) => {
    const executeQuery = connection.executeQuery.bind(connection)
    const explained = mock.method(connection, 'executeQuery', async (query: CompiledQuery) => {
      if (EXPLAINABLE.test(query.sql)) {
        await executeQuery(CompiledQuery.raw('savepoint explained'))
        const { rows: plans } = await executeQuery<Explained>(
          CompiledQuery.raw(`explain (analyze, timing off, format json) ${query.sql}`, [
            ...query.parameters,
          ]),
        )
        rows += rowsOf(planIn(plans))
        await executeQuery(CompiledQuery.raw('rollback to explained'))
      }
      return executeQuery(query)
    })
    try {
      await work()
    } finally {
      explained.mock.restore()
    }
  })
  return rows
}

/** Returns the tables that a plan reads by sequential scan, once for each scan. */
function tablesReadWhole(node: PlanNode): string[] {
  const table = node['Relation Name']
  const isWhole = node['Node Type'].endsWith('Scan') && !node['Index Cond'] && !node['Recheck Cond']
  return [...(table && isWhole ? [table] : []), ...(node.Plans ?? []).flatMap(tablesReadWhole)]
}

/**
 * Returns the tables that a plan reads in full for each row of another node: below a nested loop, or in a correlated
 * subquery. Materialized and hashed results count too, because they are also read repeatedly.
 */
export function tablesReadAgain(node: PlanNode): string[] {
  return (node.Plans ?? []).flatMap((child) => {
    const isRepeated =
      (node['Node Type'] === 'Nested Loop' && child['Parent Relationship'] === 'Inner') ||
      child['Parent Relationship'] === 'SubPlan'
    return isRepeated ? tablesReadWhole(child) : tablesReadAgain(child)
  })
}
