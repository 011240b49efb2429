import { after } from 'node:test'
import { USUAL_ENGINE, type Engine } from './databases.ts'
import { startService, type TestService } from './service.ts'

const services = new Map<Engine, Promise<TestService>>()

after(async () => {
  for (const service of services.values()) await (await service).close()
})

/**
 * The service, with the sample, that all files of this process share: starting one costs more than what most files ask
 * of it. It is for tests that look only at what they have made themselves (accounts, apps, records), change no setting,
 * and leave the catalog as it is. It stays open when such a test closes it.
 */
export async function shareService(engine: Engine = USUAL_ENGINE): Promise<TestService> {
  const known = services.get(engine) ?? startService({ engine })
  services.set(engine, known)
  const service = await known
  // What others tried before is no reason to let this one wait.
  await service.db.deleteFrom('attempts').execute()
  service.logged.length = 0
  return { ...service, close: async () => {} }
}
