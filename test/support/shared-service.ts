import { atEnd } from './at-end.ts'
import { USUAL_ENGINE, type Engine } from './databases.ts'
import { keepIdle, takeIdle } from './idle-services.ts'
import { startService, type TestService } from './service.ts'

type Shared = { service: Promise<TestService>; users: number; close(): Promise<void> }

const services = new Map<Engine, Shared>()

atEnd(async () => {
  for (const { close } of services.values()) await close()
})

function open(engine: Engine): Shared {
  const service = startService({ engine })
  const shared = {
    service,
    users: 0,
    async close() {
      takeIdle(shared.close)
      services.delete(engine)
      await (await service).close()
    },
  }
  services.set(engine, shared)
  return shared
}

/**
 * The service, with the sample, that all files of this process share: starting one costs more than what most files ask
 * of it. It is for tests that look only at what they have made themselves (accounts, apps, records), change no setting,
 * and leave the catalog as it is. It stays open when such a test closes it, until one makes a database of its own.
 */
export async function shareService(engine: Engine = USUAL_ENGINE): Promise<TestService> {
  const shared = services.get(engine) ?? open(engine)
  shared.users += 1
  takeIdle(shared.close)
  const service = await shared.service
  // What others tried before is no reason to let this one wait.
  await service.db.deleteFrom('attempts').execute()
  service.logged.length = 0
  return {
    ...service,
    async close() {
      shared.users -= 1
      if (shared.users === 0) keepIdle(service, shared.close)
    },
  }
}
