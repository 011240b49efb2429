import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { DatabaseCheck } from '../check.ts'
import { fault, type Finding } from '../finding.ts'

const FIND_RIGHTS = statement('doctor.find_rights').returning<{
  role: string
  may_create: boolean | null
  may_use_temporary: boolean
  closed_tables: string[]
  foreign_tables: string[]
}>(`
  select
    current_user::text as role,
    has_schema_privilege(current_schema(), 'CREATE') as may_create,
    has_database_privilege(current_database(), 'TEMP') as may_use_temporary,
    array(
      select relname::text from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and not (
          has_table_privilege(oid, 'SELECT') and has_table_privilege(oid, 'INSERT')
          and has_table_privilege(oid, 'UPDATE') and has_table_privilege(oid, 'DELETE')
        )
      order by relname
    ) as closed_tables,
    array(
      select relname::text from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and not pg_has_role(relowner, 'USAGE')
      order by relname
    ) as foreign_tables`)

/** Checks that the role may use every table, create temporary tables, and run migrations. */
export const rightsCheck: DatabaseCheck = {
  id: 'rights',
  applies: ({ engine }) => engine === 'server',
  async run({ db }) {
    const rights = await queryRow(db, FIND_RIGHTS, [])
    if (!rights) return []
    const { role, closed_tables: closed, foreign_tables: foreign } = rights
    const findings: Finding[] = []
    if (rights.may_create !== true) findings.push(fault('rights.create', { params: { role } }))
    if (!rights.may_use_temporary) findings.push(fault('rights.temporary', { params: { role } }))
    const [table = ''] = closed
    if (closed.length > 0)
      findings.push(fault('rights.tables', { params: { role, table, count: closed.length } }))
    const [owned = ''] = foreign
    if (foreign.length > 0)
      findings.push(
        fault('rights.owner', { params: { role, table: owned, count: foreign.length } }),
      )
    return findings
  },
}
