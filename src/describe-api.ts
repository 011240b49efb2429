import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { memoryThrottle } from './http/throttle.ts'
import { openLog } from './operations/log.ts'

/** @returns the OpenAPI document of this program with its default addresses; nothing is opened for it */
export async function describeApi(): Promise<unknown> {
  const app = await buildApp({
    config: readConfig({}),
    db: new Kysely({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
    signals: { on: () => {}, stop: async () => {} },
    identity: {
      handle: async () => {},
      verifyToken: () => Promise.reject(new Error('not serving')),
      close: () => {},
    },
    throttle: memoryThrottle(),
    log: openLog('silent'),
  })
  const document: unknown = app.swagger()
  await app.close()
  return document
}
