import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { findUpkeep } from '../../db/upkeep/upkeep-queries.ts'
import type { DatabaseCheck } from '../check.ts'
import { graded, warning } from '../finding.ts'

/** Includes the template databases, which the embedded PostgreSQL cannot freeze. */
const FIND_AGE = statement('doctor.find_transaction_age').returning<{ age: number | null }>(
  'select max(age(datfrozenxid)) as age from pg_database',
)

/** Maximum number of tables that a finding names. */
const MAX_TABLES = 3

/** Checks what the service does in place of autovacuum, which the embedded PostgreSQL lacks. */
export const upkeepCheck: DatabaseCheck = {
  id: 'upkeep',
  applies: ({ engine }) => engine === 'embedded',
  needsSchema: true,
  async run({ db, limits }) {
    const [age, upkeep] = [(await queryRow(db, FIND_AGE, []))?.age ?? 0, await findUpkeep(db)]
    const findings = graded(age, limits.transactionAge, 'upkeep.transaction_age', {
      millions: Math.floor(age / 1_000_000),
    })
    if (upkeep && upkeep.failed.length > 0)
      findings.push(
        warning('upkeep.failed', {
          params: {
            tables: upkeep.failed.slice(0, MAX_TABLES).join(', '),
            count: upkeep.failed.length,
          },
        }),
      )
    return findings
  },
}
