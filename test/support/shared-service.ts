import { closeAtEnd } from './shared-cleanup.ts'
import { DEFAULT_ENGINE, type Engine } from './databases.ts'
import { addIdleService, removeIdleService } from './idle-services.ts'
import { startService, type TestService } from './service.ts'

type Shared = { service: Promise<TestService>; users: number; close(): Promise<void> }

const services = new Map<Engine, Shared>()

closeAtEnd(async () => {
  for (const { close } of services.values()) await close()
})

function open(engine: Engine): Shared {
  const service = startService({ engine })
  const shared = {
    service,
    users: 0,
    async close() {
      removeIdleService(shared.close)
      services.delete(engine)
      await (await service).close()
    },
  }
  services.set(engine, shared)
  return shared
}

/**
 * Returns the service, with the sample, that all files of this process share. Starting one takes longer than the tests
 * of most files. It is for tests that check only data they created themselves (accounts, apps, ratings), change no
 * setting, and leave the catalog unchanged. When such a test closes it, it stays open until a test creates its own
 * database.
 */
export async function shareService(engine: Engine = DEFAULT_ENGINE): Promise<TestService> {
  const shared = services.get(engine) ?? open(engine)
  shared.users += 1
  removeIdleService(shared.close)
  const service = await shared.service
  // Earlier failed attempts must not throttle this test.
  await service.db.deleteFrom('attempts').execute()
  service.logged.length = 0
  return {
    ...service,
    async close() {
      shared.users -= 1
      if (shared.users === 0) addIdleService(service, shared.close)
    },
  }
}
