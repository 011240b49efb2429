import type { Database } from '../src/db/database.ts'
import { typescriptOf } from './postgres-types.ts'

/** @returns one line of TypeScript for each table and view, with the types of its columns */
export async function describeTables(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables()
  return tables
    .filter(({ schema }) => schema === 'public')
    .map(({ name, columns }) => {
      const types = columns.map((column) => {
        const isJson = column.dataType === 'json' || column.dataType === 'jsonb'
        const read = typescriptOf(column.dataType, 'column')
        const orNull = column.isNullable ? ' | null' : ''
        const value = read === 'unknown' ? read : read + orNull
        const type = isJson ? `ColumnType<unknown, string${orNull}>` : value
        const isOptional = column.hasDefaultValue || column.isAutoIncrementing
        return `${column.name}: ${isOptional ? `Generated<${type}>` : type}`
      })
      return `${name}: { ${types.join('; ')} }`
    })
    .toSorted()
}
