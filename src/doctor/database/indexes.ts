import { MIGRATED_INDEXES } from '../../db/migrated-indexes.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { DatabaseCheck } from '../check.ts'
import { fault, warning } from '../finding.ts'

const LIST_INDEXES = statement('doctor.list_indexes').returning<{
  name: string
  table: string
  is_valid: boolean
}>(`
  select index.relname::text as name, owner.relname::text as "table", indisvalid and indisready as is_valid
  from pg_index
  join pg_class index on index.oid = indexrelid
  join pg_class owner on owner.oid = indrelid
  where index.relnamespace = current_schema()::regnamespace
  order by 1`)

/** Compares the indexes of the database with those that the migrations create. */
export const indexesCheck: DatabaseCheck = {
  id: 'indexes',
  needsSchema: true,
  async run({ db }) {
    const indexes = await queryRows(db, LIST_INDEXES, [])
    const names = new Set(indexes.map(({ name }) => name))
    const missing = MIGRATED_INDEXES.filter(({ name }) => !names.has(name))
    return [
      ...missing.map(({ name, table, isUnique }) =>
        (isUnique ? fault : warning)(isUnique ? 'indexes.missing_unique' : 'indexes.missing', {
          params: { name, table },
        }),
      ),
      ...indexes
        .filter((index) => !index.is_valid)
        .map(({ name, table }) => warning('indexes.invalid', { params: { name, table } })),
    ]
  },
}
