import { CompiledQuery } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import type { SentStatement } from './statements.ts'

/** A node of what `explain (format json)` says, as far as it is read here. */
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
  Plans?: PlanNode[]
}

/** How the database would run a statement with these parameters; it is not run. */
export const planOf = (db: Database, { sql, parameters }: SentStatement): Promise<PlanNode> =>
  explain(db, `explain (format json) ${sql}`, parameters)

async function explain(db: Database, statement: string, parameters: readonly unknown[]): Promise<PlanNode> {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    CompiledQuery.raw(statement, [...parameters]),
  )
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (!plan) throw new Error(`There is no plan of ${statement}`)
  return plan
}

/** How the database runs a statement, and the rows it looks at for it: those it takes on and those it passes over. */
export async function rowsReadBy(db: Database, { sql, parameters }: SentStatement) {
  const plan = await explain(db, `explain (analyze, format json) ${sql}`, parameters)
  const count = (node: PlanNode): number =>
    (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node.Plans ?? []).reduce((sum, child) => sum + count(child), 0)
  return { rows: count(plan), plan }
}

/** The tables that a plan reads whole, without an index that leads to what is wanted, each time it is read. */
function tablesReadWhole(node: PlanNode): string[] {
  const table = node['Relation Name']
  const isWhole = node['Node Type'].endsWith('Scan') && !node['Index Cond'] && !node['Recheck Cond']
  return [...(table && isWhole ? [table] : []), ...(node.Plans ?? []).flatMap(tablesReadWhole)]
}

/**
 * The tables that a plan reads whole once for each row of something else: below a nested loop, or in a subquery that
 * depends on the row. What is kept in memory between, or is hashed, is read over and over all the same.
 */
export function tablesReadAgain(node: PlanNode): string[] {
  return (node.Plans ?? []).flatMap((child) => {
    const isRepeated =
      (node['Node Type'] === 'Nested Loop' && child['Parent Relationship'] === 'Inner') ||
      child['Parent Relationship'] === 'SubPlan'
    return isRepeated ? tablesReadWhole(child) : tablesReadAgain(child)
  })
}
