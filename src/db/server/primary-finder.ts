import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { databaseHosts, hostAndPortOf } from '../../config/database-hosts.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'
import { errorCode } from '../../kernel/error-code.ts'
import { statement } from '../statement.ts'
import { destroyConnection } from './destroy-connection.ts'

/** Maximum time, in milliseconds, for one host to accept a connection, and for it to answer. */
const HOST_TIMEOUT_MS = 1_500

/** Time, in milliseconds, to wait for the other hosts once one host accepts writes. */
const GRACE_MS = 750

/** Time, in milliseconds, between two checks whether another host has become the primary. */
const WATCH_INTERVAL_MS = 1_000

type Role = {
  is_writable: boolean
  /** Name of the WAL segment being written, which begins with the timeline; null on a standby. */
  segment: string | null
}

const FIND_ROLE = statement('db.find_role').returning<Role>(`
  select
    not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean as is_writable,
    case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as segment`)

/**
 * Error if no host accepts writes. If a host answered, the code is that of a write to a read-only database; otherwise
 * that of the first failure.
 */
class NoPrimaryError extends Error {
  override name = 'NoPrimaryError'
  readonly code: string

  constructor(reasons: Map<string, Error | string>) {
    const list = [...reasons].map(([url, reason]) => `${hostAndPortOf(url)}: ${messageOf(reason)}`)
    super(`No host of the database accepts writes (${list.join('; ')})`)
    const answers = [...reasons.values()].some((reason) => typeof reason === 'string')
    this.code = (answers ? undefined : errorCode([...reasons.values()][0])) ?? '25006'
  }
}

const messageOf = (reason: Error | string) => (typeof reason === 'string' ? reason : reason.message)

/** Finds the host that accepts writes among those of a URL. */
export type PrimaryFinder = {
  /**
   * Returns the URL of the host to connect to. With several hosts, the first call, and the next one after `forget`,
   * queries them all.
   *
   * @throws {Error} if no host accepts writes
   */
  find(): Promise<string>
  /** Makes the next `find` query the hosts again, because a connection to this one has failed. */
  forget(url: string): void
  hasSeveralHosts: boolean
  /** Whether a connection to a read-only database must be rejected. */
  needsPrimary: boolean
  close(): Promise<void>
}

/**
 * Creates a finder for the hosts of a URL. After a failover, the former primary may come back and accept writes that
 * are lost later. Every promotion starts a new timeline. The host with the newest timeline is the primary, and a host
 * whose timeline is older than any seen before is never used.
 *
 * @param onChange called with the URL of the primary whenever it changes. Without this function, the hosts are not
 * queried periodically
 */
export function primaryFinder(url: string, onChange?: (url: string) => void): PrimaryFinder {
  const { urls, needsPrimary } = databaseHosts(url)
  const [first] = urls
  if (urls.length === 1)
    return {
      find: async () => first,
      forget: () => {},
      hasSeveralHosts: false,
      needsPrimary,
      close: async () => {},
    }

  const hosts = urls.map(openHost)
  let newest = 0
  let primary: string | undefined
  let election: Promise<string> | undefined

  async function elect(): Promise<string> {
    const timelines = new Map<string, number>()
    const reasons = new Map<string, Error | string>()
    const found = Promise.withResolvers<void>()
    const all = Promise.all(
      hosts.map(async (host) => {
        try {
          const timeline = await host.findTimeline()
          if (timeline === undefined) reasons.set(host.url, 'read-only')
          else timelines.set(host.url, timeline)
          if (timeline !== undefined) found.resolve()
        } catch (error) {
          reasons.set(host.url, error instanceof Error ? error : new Error(String(error)))
        }
      }),
    )
    await Promise.race([all, found.promise.then(() => sleep(GRACE_MS, undefined, { ref: false }))])
    newest = Math.max(newest, ...timelines.values())
    const chosen = urls.find((each) => timelines.get(each) === newest)
    for (const [each, timeline] of timelines)
      if (timeline < newest) reasons.set(each, `a former primary, on timeline ${timeline}`)
    if (chosen === undefined) throw new NoPrimaryError(reasons)
    const former = primary
    primary = chosen
    if (former !== chosen) onChange?.(chosen)
    return chosen
  }

  const ask = () => (election ??= elect().finally(() => (election = undefined)))
  const watch = onChange && startPeriodicTask(WATCH_INTERVAL_MS, ask, () => {})
  return {
    find: async () => primary ?? ask(),
    forget(failed) {
      if (primary === failed) primary = undefined
    },
    hasSeveralHosts: true,
    needsPrimary,
    async close() {
      await watch?.stop()
      for (const host of hosts) host.close()
    },
  }
}

/** Returns the URL of the primary among the hosts of a URL, or the URL itself if it names one host. */
export async function findPrimary(url: string): Promise<string> {
  const finder = primaryFinder(url)
  return finder.find().finally(finder.close)
}

/** Keeps a connection to one host, which is replaced after a failure. */
function openHost(url: string) {
  let open: pg.Client | undefined

  const close = () => {
    const client = open
    open = undefined
    if (!client) return
    void client.end().catch(() => {})
    destroyConnection(client)
  }

  async function connect() {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: HOST_TIMEOUT_MS,
      query_timeout: HOST_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'mokuroku hosts',
    })
    client.on('error', () => {})
    open = client
    await client.connect()
    return client
  }

  return {
    url,
    close,
    /** Returns the timeline of a host that accepts writes; undefined for any other host. */
    async findTimeline(): Promise<number | undefined> {
      try {
        const client = open ?? (await connect())
        const { rows } = await client.query<Role>(FIND_ROLE.text)
        const { is_writable = false, segment = null } = rows[0] ?? {}
        return is_writable && segment !== null
          ? Number.parseInt(segment.slice(0, 8), 16)
          : undefined
      } catch (error) {
        close()
        throw error
      }
    },
  }
}
