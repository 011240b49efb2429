import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { DatabaseCheck } from '../check.ts'
import { warning, type Finding } from '../finding.ts'

type TableFacts = {
  name: string
  is_analyzed: boolean
  /** Rows changed since the last ANALYZE, in relation to all rows. */
  changed_share: number
  /** Days since the last ANALYZE; null if unknown. */
  days: number | null
  /** Size in relation to the estimated size of the rows. */
  factor: number
}

/**
 * The size of the rows is estimated from statistics: a header of 28 bytes, and the average width of each column. Tables
 * that another session has locked are left out, because reading their size would wait for the lock.
 */
const LIST_TABLES = statement('doctor.list_tables').returning<TableFacts>(`
  select
    relation.relname::text as name,
    reltuples >= 0 as is_analyzed,
    (coalesce(n_mod_since_analyze, 0) / greatest(reltuples, 1))::float8 as changed_share,
    extract(days from now() - greatest(last_analyze, last_autoanalyze))::integer as days,
    (pg_relation_size(relation.oid) / greatest(reltuples * (28 + widths.bytes), 8192))::float8 as factor
  from (
    select oid, relname, reltuples
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and not exists (
      select from pg_locks where relation = pg_class.oid and mode = 'AccessExclusiveLock' and granted
    )
    offset 0
  ) relation
  left join pg_stat_user_tables counts on counts.relid = relation.oid
  cross join lateral (
    select coalesce(sum(avg_width * (1 - null_frac)), 0) as bytes
    from pg_stats
    where schemaname = current_schema() and tablename = relation.relname
  ) widths
  where pg_relation_size(relation.oid) >= $1
  order by pg_relation_size(relation.oid) desc`)

/** Share of changed rows from which statistics mislead the planner. Autovacuum analyzes from a tenth on. */
const STALE_SHARE = 0.5

/** Finds large tables without statistics, with outdated ones, or with more free space than rows. */
export const tablesCheck: DatabaseCheck = {
  id: 'tables',
  needsSchema: true,
  async run({ db, limits }) {
    const tables = await queryRows(db, LIST_TABLES, [limits.tableBytes])
    return tables.flatMap(({ name, is_analyzed, changed_share, days, factor }): Finding[] => {
      if (!is_analyzed) return [warning('tables.not_analyzed', { params: { name } })]
      const findings: Finding[] = []
      if (changed_share >= STALE_SHARE)
        findings.push(
          warning('tables.stale_statistics', {
            params: { name, percent: Math.round(changed_share * 100), days: days ?? 0 },
          }),
        )
      if (factor >= limits.bloatFactor)
        findings.push(
          warning('tables.bloated', { params: { name, factor: Math.round(factor * 10) / 10 } }),
        )
      return findings
    })
  },
}
