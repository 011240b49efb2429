import { Redis } from 'ioredis'
import { redisMissing, startRedis } from '#test/redis.ts'
import { repeatEvery, type CampaignFault, type OpenFaultGroup } from './fault.ts'

/** Opens the faults of Redis, without which throttles count for each process. No request may fail. */
export const openRedisFaults: OpenFaultGroup = async (stage) => {
  const missing = redisMissing()
  if (missing !== false) return missing
  const server = await startRedis()
  const admin = new Redis(server.url, { retryStrategy: () => 100, maxRetriesPerRequest: null })
  admin.on('error', () => {})
  const disconnectOthers = () => admin.call('client', 'kill', 'type', 'normal', 'skipme', 'yes')
  /** Changes a setting, and disconnects the service, so that it meets the setting when it connects again. */
  const setting = (name: string, key: string, value: string, usual: string): CampaignFault => ({
    name: `Redis ${name}`,
    expects: 'served',
    lastsMs: 2_000,
    async begin() {
      await admin.config('SET', key, value)
      await disconnectOthers()
      return async () => {
        await admin.config('SET', key, usual)
        await disconnectOthers()
      }
    },
  })
  const repeated = (name: string, action: () => Promise<unknown>): CampaignFault => ({
    name: `Redis ${name}`,
    expects: 'served',
    lastsMs: 2_000,
    begin: async () => repeatEvery(100, action),
  })
  const faults: CampaignFault[] = [
    {
      name: 'Redis killed',
      expects: 'served',
      lastsMs: 2_000,
      async begin() {
        await server.stop()
        return server.start
      },
    },
    {
      name: 'Redis frozen',
      expects: 'served',
      lastsMs: 4_000,
      async begin() {
        server.pause()
        return server.resume
      },
    },
    {
      name: 'Redis away at the start of the service',
      expects: 'refused',
      lastsMs: 1_000,
      async begin() {
        await server.stop()
        await stage.stopService()
        await stage.startService()
        return server.start
      },
    },
    setting('out of memory', 'maxmemory', '1', '0'),
    setting('with a password', 'requirepass', 'secret', ''),
    setting('without free connections', 'maxclients', '1', '10000'),
    {
      name: 'Redis a read-only replica',
      expects: 'served',
      lastsMs: 2_000,
      async begin() {
        await admin.call('replicaof', '127.0.0.1', '1')
        return () => admin.call('replicaof', 'no', 'one')
      },
    },
    repeated('FLUSHALL', () => admin.flushall()),
    repeated('SCRIPT FLUSH', () => admin.script('FLUSH')),
    repeated('paused', () => admin.call('client', 'pause', '80', 'all')),
  ]
  return {
    faults,
    mode: { environment: { REDIS_URL: server.url } },
    async close() {
      admin.disconnect()
      await server.stop()
    },
  }
}
