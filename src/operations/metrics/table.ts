/** Upper bounds, in seconds, of the duration buckets. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STATEMENT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5]
const PAUSE_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]

/**
 * A metric. The text format, `docs/operations.md`, the types of the dashboard and the checks of the alerts are derived
 * from it.
 */
export type MetricDefinition = {
  type: 'counter' | 'gauge' | 'histogram' | 'summary'
  /** One sentence for `# HELP` and `docs/operations.md`. */
  about: string
  /** Labels, each with all its values or a sentence that says what bounds them. */
  labels?: Readonly<Record<string, readonly string[] | string>>
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[]
  /**
   * `sum` for gauges of which each process measures its own share. For other gauges and summaries, the maximum over all
   * processes is reported. Counters and histograms are always added.
   */
  combine?: 'sum'
}

/**
 * Every metric, in the order of the documentation. HTTP, database and runtime metrics have the names of OpenTelemetry.
 */
export const METRICS = {
  http_server_request_duration_seconds: {
    type: 'histogram',
    about:
      'Duration of requests until the response was sent, including the wait under overload. The time that a request waited for changes (`wait`) is not included.',
    labels: {
      http_request_method: 'methods of the API, and `_OTHER`',
      http_route: 'route templates of this version, and `unmatched`',
      http_response_status_code: 'status codes that this version sends',
    },
    buckets: REQUEST_BUCKETS,
  },
  http_server_active_requests: {
    type: 'gauge',
    combine: 'sum',
    about: 'Requests without a response yet, including those that wait because of overload.',
  },
  http_server_connections: {
    type: 'gauge',
    combine: 'sum',
    about: 'Open client connections.',
    labels: { state: ['active', 'idle'] },
  },
  http_server_waiting_requests: {
    type: 'gauge',
    combine: 'sum',
    about: 'Requests that wait for changes (`wait`), among those being processed.',
  },
  http_server_refused_total: {
    type: 'counter',
    about: 'Requests and connections refused before any work was done.',
    labels: { reason: ['overload', 'throttle', 'connections', 'bad_request'] },
  },
  db_client_connections: {
    type: 'gauge',
    combine: 'sum',
    about: 'Connections of the pool to the database.',
    labels: { state: ['idle', 'used'] },
  },
  db_client_connections_pending: {
    type: 'gauge',
    combine: 'sum',
    about: 'Statements that wait for a connection.',
  },
  db_client_connections_wait_seconds: {
    type: 'histogram',
    about: 'Time that statements and transactions waited for a connection.',
    buckets: STATEMENT_BUCKETS,
  },
  db_client_operation_duration_seconds: {
    type: 'histogram',
    about: 'Duration of statements.',
    labels: { operation: 'first keyword of the statement' },
    buckets: STATEMENT_BUCKETS,
  },
  db_client_errors_total: {
    type: 'counter',
    about: 'Statements that failed.',
    labels: { sqlstate: 'error codes of PostgreSQL, and `connection`' },
  },
  nodejs_eventloop_delay_seconds: {
    type: 'summary',
    about:
      'Delay of the event loop since the previous scrape. With several processes, the longest.',
    labels: { quantile: ['0.5', '0.9', '0.99'] },
  },
  nodejs_eventloop_utilization: {
    type: 'gauge',
    about:
      'Share of the time since the previous scrape in which the event loop was busy. With several processes, the highest.',
  },
  v8js_memory_heap_used_bytes: {
    type: 'gauge',
    combine: 'sum',
    about: 'Memory of JavaScript objects.',
  },
  v8js_gc_duration_seconds: {
    type: 'histogram',
    about: 'Duration of garbage collections.',
    labels: { v8js_gc_type: ['minor', 'major', 'incremental', 'weakcb'] },
    buckets: PAUSE_BUCKETS,
  },
  process_resident_memory_bytes: { type: 'gauge', combine: 'sum', about: 'Resident memory.' },
  process_cpu_seconds_total: { type: 'counter', about: 'Processor time used.' },
  process_open_fds: {
    type: 'gauge',
    about: 'Open file descriptors. With several processes, the highest number.',
  },
  process_max_fds: { type: 'gauge', about: 'Maximum open file descriptors of one process.' },
  mokuroku_cache_hits_total: { type: 'counter', about: 'Catalog responses found in the cache.' },
  mokuroku_cache_misses_total: {
    type: 'counter',
    about: 'Catalog responses read from the database.',
  },
  mokuroku_cache_bytes: {
    type: 'gauge',
    combine: 'sum',
    about: 'Memory used by cached catalog responses.',
  },
  mokuroku_tokens_issued_total: {
    type: 'counter',
    about: 'Successful token requests.',
    labels: { grant: ['authorization_code', 'refresh_token', 'client_credentials', 'device_code'] },
  },
  mokuroku_sign_ins_total: {
    type: 'counter',
    about: 'Completed and failed sign-ins.',
    labels: { outcome: ['success', 'failure'] },
  },
  mokuroku_throttled_total: {
    type: 'counter',
    about: 'Requests refused with 429, by the access rule of their route.',
    labels: {
      window: ['public', 'anonymous', 'page', 'catalog', 'user', 'developer', 'protocol', 'none'],
    },
  },
  mokuroku_redis_up: {
    type: 'gauge',
    combine: 'sum',
    about:
      'Whether Redis responds. Only with REDIS_URL. With several processes, the number of them that reach it.',
  },
  mokuroku_replica_up: {
    type: 'gauge',
    combine: 'sum',
    about:
      'Whether a replica answers reads. Only with DATABASE_REPLICA_URLS. With several processes, for how many of them it does.',
    labels: { replica: 'hosts in DATABASE_REPLICA_URLS' },
  },
  mokuroku_replica_lag_bytes: {
    type: 'gauge',
    about: 'WAL that a replica has yet to replay. Missing while it does not respond.',
    labels: { replica: 'hosts in DATABASE_REPLICA_URLS' },
  },
  mokuroku_reads_total: {
    type: 'counter',
    about:
      'Reads that a replica may answer, by the server that answered: a replica; the primary; the primary in place of a replica that was behind or failed.',
    labels: { server: ['replica', 'primary', 'behind', 'failed'] },
  },
  mokuroku_deltas_pending: {
    type: 'gauge',
    about: 'Changes to ratings and votes that totals do not include yet, up to 100,000.',
    labels: { kind: ['ratings', 'votes'] },
  },
  mokuroku_totals_lag_seconds: {
    type: 'gauge',
    about: 'Minimum age of the oldest change that totals do not include yet.',
  },
  mokuroku_feed_due: {
    type: 'gauge',
    about: 'Changes that are not in the change feed yet, up to 100,000.',
  },
  mokuroku_feed_lag_seconds: {
    type: 'gauge',
    about: 'Minimum age of the oldest change that is not in the change feed yet.',
  },
  mokuroku_listings_lag_seconds: {
    type: 'gauge',
    about: 'Minimum age of the oldest change that lists do not show yet.',
  },
  mokuroku_search_due: {
    type: 'gauge',
    about: 'Changes that the search index does not contain yet.',
  },
  mokuroku_search_lag_seconds: {
    type: 'gauge',
    about: 'Minimum age of the oldest change that the search index does not contain yet.',
  },
  mokuroku_signals_age_seconds: {
    type: 'gauge',
    about:
      'Time since a process last learned of changes by the others. With several processes, the longest.',
  },
  mokuroku_mails: {
    type: 'gauge',
    about: 'Emails in the outbox.',
    labels: { state: ['due', 'in_hand', 'failed'] },
  },
  mokuroku_mail_oldest_seconds: {
    type: 'gauge',
    about: 'Age of the oldest email that is still waiting to be sent, or 0.',
  },
  mokuroku_import_last_success_timestamp_seconds: {
    type: 'gauge',
    about: 'End of the last successful import.',
    labels: { source: 'sources of this version' },
  },
  mokuroku_import_last_failure_timestamp_seconds: {
    type: 'gauge',
    about: 'End of the last import or update that failed or was rejected.',
    labels: { source: 'sources of this version' },
  },
  mokuroku_import_dump_timestamp_seconds: {
    type: 'gauge',
    about: 'Date of the newest imported dump.',
    labels: { source: 'sources of this version' },
  },
  mokuroku_import_rows: {
    type: 'gauge',
    about: 'Records read by all successful imports.',
    labels: { source: 'sources of this version' },
  },
  mokuroku_backup_timestamp_seconds: {
    type: 'gauge',
    about: 'Time of the last successful backup.',
  },
  mokuroku_backup_bytes: { type: 'gauge', about: 'Size of the last successful backup.' },
  mokuroku_pictures_total: {
    type: 'counter',
    about: 'Pictures found on disk or in the bucket, fetched from a source, encoded, or failed.',
    labels: { outcome: ['stored', 'shared', 'fetched', 'encoded', 'failed'] },
  },
  mokuroku_bucket_requests_total: {
    type: 'counter',
    about: 'Requests for pictures and uploads in the bucket. Backups run in another process.',
    labels: { outcome: ['ok', 'failed'] },
  },
  mokuroku_webhook_attempts_total: {
    type: 'counter',
    about: 'Attempts to deliver events to apps.',
    labels: { outcome: ['delivered', 'failed'] },
  },
  mokuroku_webhooks_pending: {
    type: 'gauge',
    about: 'Pending webhook deliveries, including those that wait for a retry, up to 100,000.',
  },
  mokuroku_webhook_lag_seconds: {
    type: 'gauge',
    about: 'Age of the oldest webhook delivery that has not been attempted yet, or 0.',
  },
  mokuroku_webhook_endpoints: {
    type: 'gauge',
    about: 'Webhook endpoints, by state.',
    labels: { state: ['working', 'failing', 'disabled'] },
  },
  mokuroku_clock_skew_seconds: {
    type: 'gauge',
    about: 'Time by which the clock of the database is ahead of this machine.',
  },
  mokuroku_signing_key_age_seconds: {
    type: 'gauge',
    about: 'Time since the signing key in use was introduced.',
  },
  mokuroku_database_bytes: { type: 'gauge', about: 'Size of the database.' },
  mokuroku_database_xid_age: {
    type: 'gauge',
    about:
      'Transactions since the oldest unfrozen one. PostgreSQL stops accepting writes at 2 billion.',
  },
  mokuroku_worker_restarts_total: {
    type: 'counter',
    about: 'Workers that exited and were replaced.',
  },
  mokuroku_disk_free_bytes: { type: 'gauge', about: 'Free space on the disk of DATA_DIR.' },
  mokuroku_disk_bytes: { type: 'gauge', about: 'Size of the disk of DATA_DIR.' },
  mokuroku_unprotected_settings: {
    type: 'gauge',
    about:
      'Warnings about missing protections of a publicly reachable service, such as SECRET_KEY.',
  },
  mokuroku_ready: {
    type: 'gauge',
    about:
      'Whether the service runs and the database accepts writes, read at most every five seconds.',
  },
  mokuroku_build_info: {
    type: 'gauge',
    about:
      'Always 1; the labels give the version, its commit, its last migration and the Node version.',
    labels: { version: 'one value', commit: 'one value', schema: 'one value', node: 'one value' },
  },
} as const satisfies Record<string, MetricDefinition>

export type MetricName = keyof typeof METRICS

/** Names of the metrics of one type. */
export type NamesOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** Names of a metric's labels. */
export type LabelsOf<Name extends MetricName> = (typeof METRICS)[Name] extends {
  labels: infer Labels
}
  ? Extract<keyof Labels, string>
  : never
