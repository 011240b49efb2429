import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { buildApp } from './app.ts'
import { readConfig } from './config/config.ts'
import { LOCAL_CLOCK } from './db/upkeep/database-clock.ts'
import { memoryThrottle } from './http/admission/throttle.ts'
import { openInstance } from './instance/instance.ts'
import { openDrain } from './operations/drain.ts'
import { openLog } from './operations/log/log.ts'

const notServing = () => Promise.reject(new Error('not serving'))

/**
 * Returns the OpenAPI document with the default settings, without opening any resource. Its URLs are relative, because
 * the document is the same for every service.
 */
export async function describeApi(): Promise<unknown> {
  const config = readConfig({})
  const app = await buildApp({
    config,
    instance: await openInstance(config),
    db: new Kysely({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
    clock: LOCAL_CLOCK,
    signals: {
      on: () => {},
      wake: () => {},
      catchUp: async () => {},
      ageMs: () => 0,
      stop: async () => {},
    },
    identity: {
      handle: notServing,
      prepareRequest: () => {},
      provider: () => {
        throw new Error('not serving')
      },
      audiences: [''],
      cookieKeys: ['not serving'],
      verifyToken: notServing,
      verifyMcpToken: notServing,
      readJwt: notServing,
      introspect: notServing,
      claimsOf: notServing,
      notifyAppsOfSignOut: () => {},
      close: async () => {},
    },
    throttle: memoryThrottle(),
    openThrottle: () => memoryThrottle(),
    usage: {
      count: () => {},
      countRequest: () => {},
      recordRefusal: () => {},
      stop: async () => {},
    },
    totals: { onChange: () => {} },
    frequencies: () => new Map(),
    wakeOutbox: () => {},
    drain: openDrain(),
    log: openLog('silent'),
  })
  const text = JSON.stringify(app.swagger())
  await app.close()
  const { baseUrl } = config
  return JSON.parse(text.replaceAll(`"${baseUrl}"`, '"/"').replaceAll(`"${baseUrl}/`, '"/'))
}
