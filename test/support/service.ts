import { pino, type Logger } from 'pino'
import { createApp, type NewApp } from '../../src/apps/queries.ts'
import { readConfig, type Config } from '../../src/config/config.ts'
import type { Database } from '../../src/db/database.ts'
import type { Reads } from '../../src/db/replicas/reads.ts'
import { memoryThrottle, type Throttle } from '../../src/http/admission/throttle.ts'
import { summarizeOutages } from '../../src/operations/log/summarize-outages.ts'
import { openServer, type Server } from '../../src/server.ts'
import {
  createDatabase,
  leftoverDatabases,
  DEFAULT_ENGINE,
  type Content,
  type Engine,
  type TestDatabase,
} from './databases.ts'
import { idleServices } from './idle-services.ts'
import { freePort } from './free-port.ts'

export type TestApp = { clientId: string; secret: string }

/** A listening service with its own database. */
export type TestService = {
  url: string
  config: Config
  db: Database
  server: Server
  /** Logged lines, as objects. */
  logged: Record<string, unknown>[]
  /** Creates a confidential app, by default with catalog:full. */
  createApp(app?: Partial<NewApp>): Promise<TestApp>
  /** Returns the response of the token endpoint. */
  requestToken(app: TestApp, scope?: string): Promise<Response>
  /** Returns an app token of a new app. */
  token(scope?: string, app?: Partial<NewApp>): Promise<string>
  get(path: string, token?: string, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

export type ServiceOptions = {
  engine?: Engine
  content?: Content
  environment?: NodeJS.ProcessEnv
  /** A throttle with the test's own clock. */
  throttle?: Throttle
  /** Replaces the handle for reads that may run on replicas. */
  readsOf?: (db: Database) => Reads
  /** Database of another service, which this one shares. */
  database?: TestDatabase
}

/** Limits that only tests of throttling override. */
export const UNLIMITED = Object.fromEntries(
  ['CATALOG', 'TOKEN', 'USER', 'ANONYMOUS', 'PAGE', 'DEVELOPER']
    .map((audience) => `${audience}_REQUESTS_PER_MINUTE`)
    .concat('FAILED_AUTHENTICATIONS_PER_MINUTE')
    .map((name) => [name, '1000000']),
)

/** URLs of services that tests in this process have started and not closed. */
const listening = new Set<string>()

/** Returns the open services and databases of this process, except those kept for later tests. */
export function listOpenResources(): string[] {
  const idle = new Set(idleServices().flatMap(({ url, config }) => [url, config.dataDir]))
  return [...listening, ...leftoverDatabases()].filter((item) => !idle.has(item))
}

export async function startService({
  engine = DEFAULT_ENGINE,
  content = 'sample',
  environment = {},
  throttle,
  readsOf,
  database,
}: ServiceOptions = {}): Promise<TestService> {
  const own = database ?? (await createDatabase(engine, content))
  const config = readConfig({
    // One address only: a port that is free on it may be taken on ::1.
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    DATA_DIR: own.dataDir,
    DATABASE_URL: own.databaseUrl,
    DATABASE_POOL_SIZE: '4',
    OVERLOAD_PROTECTION: 'off',
    ...UNLIMITED,
    ...environment,
  })
  const { log, logged } = memoryLog()
  const server = await openServer(config, log, {
    readsOf,
    openThrottle: (space) => (space === 'requests' && throttle ? throttle : memoryThrottle()),
  })
  await server.listen().catch(async (error: unknown) => {
    await server.close()
    if (!database) await own.remove()
    throw error
  })
  const { db } = server.database
  const url = config.baseUrl
  listening.add(url)

  const service: TestService = {
    url,
    config,
    db,
    server,
    logged,
    async createApp(app = {}) {
      const { app: created, secret = '' } = await createApp(db, {
        clientName: 'Test',
        scopes: ['catalog:full'],
        ...app,
      })
      return { clientId: created.client_id, secret }
    },
    requestToken: ({ clientId, secret }, scope = 'catalog:full') =>
      fetch(`${url}/oidc/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      }),
    async token(scope = 'catalog:full', app = {}) {
      const created = await service.createApp({ scopes: scope.split(' '), ...app })
      const response = await service.requestToken(created, scope)
      const { access_token } = (await response.json()) as { access_token: string }
      return access_token
    },
    get: (path, token, headers = {}) =>
      fetch(url + path, {
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      }),
    async close() {
      await server.close()
      listening.delete(url)
      if (!database) await own.remove()
    },
  }
  return service
}

function memoryLog(): { log: Logger; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = []
  const log = pino(
    { level: 'debug', hooks: { logMethod: summarizeOutages() } },
    { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  )
  return { log, logged }
}
