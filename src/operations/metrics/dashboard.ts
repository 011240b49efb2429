import type { LabelsOf, MetricName } from './table.ts'

/** Unit of an axis, by Grafana's name for it. */
type Unit = 'short' | 'ops' | 'reqps' | 'percentunit' | 's' | 'bytes'

type Query = { expr: string; legendFormat: string }

export type DashboardPanel = {
  title: string
  unit: Unit
  queries: Query[]
  /** Whether the axis may start below 0. */
  mayBeNegative?: true
}

type SeriesName = MetricName | `${MetricName}_${'bucket' | 'count' | 'sum'}`

const panel = (title: string, unit: Unit, ...queries: Query[]): DashboardPanel => ({
  title,
  unit,
  queries,
})
const query = (expr: string, legendFormat: string): Query => ({ expr, legendFormat })

/**
 * Selects the series of a metric from the instances chosen at the top of the dashboard.
 *
 * @param matcher further label matchers in PromQL
 */
const select = (name: SeriesName, matcher?: string) =>
  `${name}{instance=~"$instance"${matcher ? `, ${matcher}` : ''}}`
const rate = (name: SeriesName, matcher?: string) =>
  `rate(${select(name, matcher)}[$__rate_interval])`
const quantile = (share: number, name: MetricName, labels: readonly string[] = []) =>
  `histogram_quantile(${share}, sum by (${['le', ...labels].join(', ')}) (${rate(`${name}_bucket`)}))`
const age = (expr: string) => `time() - ${expr}`

const perInstance = (name: MetricName) => query(select(name), '{{instance}}')
const max = (name: MetricName, legend: string) => query(`max (${select(name)})`, legend)
const by = (combine: 'sum' | 'max', label: string, expr: string, prefix = '') =>
  query(`${combine} by (${label}) (${expr})`, `${prefix}{{${label}}}`)
const sumBy = <Name extends MetricName>(label: LabelsOf<Name>, name: Name) =>
  by('sum', label, select(name))
const maxBy = <Name extends MetricName>(label: LabelsOf<Name>, name: Name) =>
  by('max', label, select(name))
const rateBy = <Name extends MetricName>(label: LabelsOf<Name>, name: Name, prefix = '') =>
  by('sum', label, rate(name), prefix)
const ageBySource = (name: MetricName) =>
  query(age(`max by (source) (${select(name)})`), '{{source}}')

const REQUESTS = 'http_server_request_duration_seconds'
const STATEMENTS = 'db_client_operation_duration_seconds'
const requestsBy = (label: LabelsOf<typeof REQUESTS>, matcher?: string) =>
  `sum by (${label}) (${rate(`${REQUESTS}_count`, matcher)})`
const HITS = `sum (${rate('mokuroku_cache_hits_total')})`
const MISSES = `sum (${rate('mokuroku_cache_misses_total')})`
const SERVER_ERRORS = `sum (${rate(`${REQUESTS}_count`, 'http_response_status_code=~"5.."')})`
const BY_USERS = 'http_request_method=~"PUT|DELETE|PATCH|POST", http_route=~"/v3/user/.*"'

/** Panels of `examples/monitoring/dashboard.json`, by the title of their row. */
export const DASHBOARD_ROWS: Record<string, DashboardPanel[]> = {
  Traffic: [
    panel(
      'Requests by status',
      'reqps',
      query(requestsBy('http_response_status_code'), '{{http_response_status_code}}'),
    ),
    panel(
      'Requests by route',
      'reqps',
      query(`topk(10, ${requestsBy('http_route')})`, '{{http_route}}'),
    ),
    panel(
      'Share of server errors',
      'percentunit',
      query(`(${SERVER_ERRORS} or vector(0)) / sum (${rate(`${REQUESTS}_count`)})`, '5xx'),
    ),
    panel(
      'Refused',
      'reqps',
      rateBy('reason', 'http_server_refused_total'),
      rateBy('window', 'mokuroku_throttled_total', '429 '),
    ),
  ],
  Latency: [
    panel(
      'Duration of requests',
      's',
      ...[0.5, 0.9, 0.99].map((share) => query(quantile(share, REQUESTS), `p${share * 100}`)),
    ),
    panel(
      'Slowest routes (p99)',
      's',
      query(`topk(10, ${quantile(0.99, REQUESTS, ['http_route'])})`, '{{http_route}}'),
    ),
  ],
  Saturation: [
    panel('Requests in work', 'short', perInstance('http_server_active_requests')),
    panel('Client connections', 'short', sumBy('state', 'http_server_connections')),
    panel('Event loop', 'percentunit', perInstance('nodejs_eventloop_utilization')),
    panel(
      'Event loop delay',
      's',
      query(select('nodejs_eventloop_delay_seconds'), '{{instance}} p{{quantile}}'),
    ),
    panel('Processor', 'percentunit', query(rate('process_cpu_seconds_total'), '{{instance}}')),
    panel(
      'Garbage collection',
      'percentunit',
      query(`sum by (v8js_gc_type) (${rate('v8js_gc_duration_seconds_sum')})`, '{{v8js_gc_type}}'),
    ),
    panel(
      'Memory',
      'bytes',
      query(select('process_resident_memory_bytes'), '{{instance}} resident'),
      query(select('v8js_memory_heap_used_bytes'), '{{instance}} heap'),
    ),
    panel(
      'File descriptors',
      'percentunit',
      query(`${select('process_open_fds')} / ${select('process_max_fds')}`, '{{instance}}'),
    ),
  ],
  Database: [
    panel(
      'Statements',
      'ops',
      query(`sum by (operation) (${rate(`${STATEMENTS}_count`)})`, '{{operation}}'),
    ),
    panel(
      'Duration of statements (p99)',
      's',
      query(quantile(0.99, STATEMENTS, ['operation']), '{{operation}}'),
    ),
    panel('Errors', 'ops', rateBy('sqlstate', 'db_client_errors_total')),
    panel(
      'Pool',
      'short',
      sumBy('state', 'db_client_connections'),
      query(`sum(${select('db_client_connections_pending')})`, 'waiting'),
    ),
    panel(
      'Wait for a connection (p99)',
      's',
      query(quantile(0.99, 'db_client_connections_wait_seconds'), 'p99'),
    ),
    panel('Size', 'bytes', max('mokuroku_database_bytes', 'database')),
    panel('Age of transaction IDs', 'short', max('mokuroku_database_xid_age', 'oldest')),
    {
      ...panel('Clock skew', 's', perInstance('mokuroku_clock_skew_seconds')),
      mayBeNegative: true,
    },
    panel('Replica lag', 'bytes', maxBy('replica', 'mokuroku_replica_lag_bytes')),
  ],
  Caches: [
    panel('Catalog cache', 'percentunit', query(`${HITS} / (${HITS} + ${MISSES})`, 'hits')),
    panel('Size of the catalog cache', 'bytes', perInstance('mokuroku_cache_bytes')),
    panel(
      'Pictures',
      'ops',
      rateBy('outcome', 'mokuroku_pictures_total'),
      rateBy('outcome', 'mokuroku_bucket_requests_total', 'bucket '),
    ),
    panel('Redis', 'short', perInstance('mokuroku_redis_up')),
    panel('Reads of the catalog', 'reqps', rateBy('server', 'mokuroku_reads_total')),
    panel('Replicas in use', 'short', sumBy('replica', 'mokuroku_replica_up')),
  ],
  Identity: [
    panel('Sign-ins', 'ops', rateBy('outcome', 'mokuroku_sign_ins_total')),
    panel('Tokens', 'ops', rateBy('grant', 'mokuroku_tokens_issued_total')),
    panel('Age of the signing key', 's', max('mokuroku_signing_key_age_seconds', 'key')),
  ],
  'User data': [
    panel(
      'Changes by users',
      'ops',
      query(requestsBy('http_request_method', BY_USERS), '{{http_request_method}}'),
    ),
    panel(
      'Pending changes',
      'short',
      maxBy('kind', 'mokuroku_deltas_pending'),
      max('mokuroku_feed_due', 'feed'),
      max('mokuroku_search_due', 'search'),
    ),
    panel(
      'Lag',
      's',
      max('mokuroku_totals_lag_seconds', 'totals'),
      max('mokuroku_feed_lag_seconds', 'feed'),
      max('mokuroku_listings_lag_seconds', 'listings'),
      max('mokuroku_search_lag_seconds', 'search'),
      max('mokuroku_signals_age_seconds', 'signals'),
    ),
  ],
  Mail: [
    panel('Outbox', 'short', maxBy('state', 'mokuroku_mails')),
    panel('Age of the oldest mail', 's', max('mokuroku_mail_oldest_seconds', 'oldest')),
  ],
  Imports: [
    panel(
      'Since the last successful import',
      's',
      ageBySource('mokuroku_import_last_success_timestamp_seconds'),
    ),
    panel(
      'Since the last failed import',
      's',
      ageBySource('mokuroku_import_last_failure_timestamp_seconds'),
    ),
    panel('Age of the dump', 's', ageBySource('mokuroku_import_dump_timestamp_seconds')),
    panel('Records imported', 'short', maxBy('source', 'mokuroku_import_rows')),
  ],
  Backups: [
    panel(
      'Since the last backup',
      's',
      query(age(`max (${select('mokuroku_backup_timestamp_seconds')})`), 'last'),
    ),
    panel('Size of the last backup', 'bytes', max('mokuroku_backup_bytes', 'last')),
  ],
  Processes: [
    panel('Ready', 'short', perInstance('mokuroku_ready')),
    panel(
      'Workers replaced in an hour',
      'short',
      query(`increase(${select('mokuroku_worker_restarts_total')}[1h])`, '{{instance}}'),
    ),
    panel(
      'Free disk',
      'percentunit',
      query(
        `${select('mokuroku_disk_free_bytes')} / ${select('mokuroku_disk_bytes')}`,
        '{{instance}}',
      ),
    ),
    panel('Missing protections', 'short', perInstance('mokuroku_unprotected_settings')),
    panel(
      'Versions',
      'short',
      query(
        `max by (version, commit, schema, node) (${select('mokuroku_build_info')})`,
        '{{version}} · {{commit}} · {{schema}} · Node {{node}}',
      ),
    ),
    panel(
      'Requests that wait for changes',
      'short',
      query(`sum by (instance) (${select('http_server_waiting_requests')})`, '{{instance}}'),
    ),
    panel('Webhook attempts', 'ops', rateBy('outcome', 'mokuroku_webhook_attempts_total')),
    panel(
      'Webhook deliveries pending and their lag',
      'short',
      max('mokuroku_webhooks_pending', 'pending'),
      max('mokuroku_webhook_lag_seconds', 'lag in seconds'),
    ),
    panel('Webhook endpoints', 'short', maxBy('state', 'mokuroku_webhook_endpoints')),
  ],
}
