import type { TableRow, Tables } from '../../db/tables.ts'

/**
 * Returns the columns of a table as a list in SQL. The compiler reports missing ones.
 *
 * @param columns the account first, because statements that insert user data list it first (decision 0039)
 */
export const columnListOf = <Table extends keyof Tables>(
  columns: Record<keyof TableRow<Table>, true>,
): string => Object.keys(columns).join(', ')
