import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { findAllowedConnections } from '../../db/server/allowed-connections.ts'
import { MEBIBYTE } from '../../kernel/mebibyte.ts'
import { countRequiredConnections } from '../../operations/connection-limits.ts'
import type { CheckContext, DatabaseCheck } from '../check.ts'
import { fault, graded, warning, type Finding } from '../finding.ts'

type ServerFacts = {
  open: number
  machines: number
  buffers: number
  bytes: number
  has_autovacuum: boolean
  transaction_age: number
}

const FIND_FACTS = statement('doctor.find_server_facts').returning<ServerFacts>(`
  select
    (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as open,
    (
      select count(distinct client_addr)::integer from pg_stat_activity
      where datname = current_database() and application_name = 'mokuroku'
    ) as machines,
    pg_size_bytes(current_setting('shared_buffers')) as buffers,
    pg_database_size(current_database()) as bytes,
    current_setting('autovacuum')::boolean and current_setting('track_counts')::boolean as has_autovacuum,
    (select age(datfrozenxid) from pg_database where datname = current_database()) as transaction_age`)

/** Default of `shared_buffers`, in bytes. */
const DEFAULT_BUFFERS = 128 * MEBIBYTE

/** Checks the configuration of the PostgreSQL server against the needs of this service. */
export const serverCheck: DatabaseCheck = {
  id: 'server',
  applies: ({ engine }) => engine === 'server',
  async run(context) {
    const { db, config, limits } = context
    const [facts, allowed] = [await queryRow(db, FIND_FACTS, []), await findAllowedConnections(db)]
    if (!facts) return []
    const { buffers, bytes, machines } = facts
    const findings = connectionFindings(context, facts, allowed)
    // Even a server with little memory may fit a small database entirely in its buffers.
    if (buffers <= DEFAULT_BUFFERS && bytes > limits.bufferFactor * buffers)
      findings.push(
        warning('server.small_buffers', {
          params: { buffers: toMebibytes(buffers), size: toMebibytes(bytes) },
        }),
      )
    if (!facts.has_autovacuum) findings.push(fault('server.no_autovacuum'))
    findings.push(
      ...graded(facts.transaction_age, limits.transactionAge, 'server.transaction_age', {
        millions: Math.floor(facts.transaction_age / 1_000_000),
      }),
    )
    if (machines > 1 && config.redisUrl === undefined)
      findings.push(warning('server.no_redis', { params: { machines } }))
    return findings
  },
}

const toMebibytes = (bytes: number) => Math.ceil(bytes / MEBIBYTE)

function connectionFindings(
  { config, limits }: CheckContext,
  { open }: ServerFacts,
  allowed: number,
): Finding[] {
  const required = countRequiredConnections(config, { info() {} })
  if (required > allowed)
    return [warning('server.few_connections', { params: { required, allowed } })]
  return open >= allowed * limits.connectionShare
    ? [warning('server.connections_used', { params: { open, allowed } })]
    : []
}
