import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { signalTree } from '#test/child-processes.ts'
import type { CampaignStage } from '../stage.ts'
import { asSuperuser } from './as-superuser.ts'
import { NEEDS_SERVER, repeatEvery, type CampaignFault, type OpenFaultGroup } from './fault.ts'
import { fullDisk } from './full-disk.ts'

const PRELOAD = new URL('preload.ts', import.meta.url).href

/** Opens the faults of PostgreSQL and of the connections to it, which lead through a proxy at `localhost`. */
export const openDatabaseFaults: OpenFaultGroup = async (stage) => {
  if (stage.engine === 'embedded') return NEEDS_SERVER
  const proxy = await stage.proxy()
  const flag = join(stage.folder, 'no-name-server')
  const faults: CampaignFault[] = [
    {
      name: 'PostgreSQL stopped',
      expects: 'refused',
      lastsMs: 4_000,
      async begin() {
        await stage.postgres.stop()
        return () => stage.startPostgres()
      },
    },
    {
      name: 'PostgreSQL restarted',
      expects: 'refused',
      lastsMs: 500,
      async begin() {
        await stage.postgres.stop()
        await stage.startPostgres()
        return () => {}
      },
    },
    {
      name: 'PostgreSQL frozen',
      expects: 'refused',
      lastsMs: 8_000,
      async begin() {
        const { pid } = stage.postgres
        signalTree(pid, 'SIGSTOP')
        return () => signalTree(pid, 'SIGCONT')
      },
    },
    {
      name: 'backends terminated, 20 times',
      expects: 'refused',
      lastsMs: 500,
      async begin() {
        for (let times = 0; times < 20; times += 1) {
          await asSuperuser(stage.postgres.url, TERMINATE)
          await sleep(100)
        }
        return () => {}
      },
    },
    {
      name: 'connections refused',
      expects: 'refused',
      lastsMs: 3_000,
      async begin() {
        proxy.cut()
        return proxy.restore
      },
    },
    {
      name: 'connections reset',
      expects: 'refused',
      lastsMs: 3_000,
      begin: async () => repeatEvery(200, proxy.reset),
    },
    {
      name: 'open connections silent',
      expects: 'refused',
      lastsMs: 6_000,
      async begin() {
        proxy.dropTraffic()
        return () => {}
      },
    },
    {
      name: 'all connections silent',
      expects: 'refused',
      lastsMs: 8_000,
      async begin() {
        proxy.freeze()
        return proxy.restore
      },
    },
    {
      name: 'no connection left',
      expects: 'refused',
      lastsMs: 3_000,
      async begin() {
        const clients = await takeAllConnections(stage)
        proxy.reset()
        const more = repeatEvery(50, async () => clients.push(...(await takeAllConnections(stage))))
        return async () => {
          await more()
          await Promise.all(clients.map((client) => client.end()))
        }
      },
    },
    ...['ratings', 'change_signals'].map(lockedTable),
    {
      name: 'database read-only',
      expects: 'refused',
      lastsMs: 3_000,
      async begin() {
        const { pathname } = new URL(stage.databaseUrl)
        const set = (change: string) =>
          asSuperuser(stage.postgres.url, `alter database "${pathname.slice(1)}" ${change}`)
        await set('set default_transaction_read_only = on')
        await asSuperuser(stage.postgres.url, TERMINATE)
        return async () => {
          await set('reset default_transaction_read_only')
          await asSuperuser(stage.postgres.url, TERMINATE)
        }
      },
    },
    {
      name: 'name server away (EAI_AGAIN)',
      expects: 'refused',
      lastsMs: 3_000,
      async begin() {
        writeFileSync(flag, '')
        proxy.reset()
        return () => rmSync(flag)
      },
    },
    fullDisk,
  ]
  const environment = { NODE_OPTIONS: `--import ${PRELOAD}`, MOKUROKU_FAIL_LOOKUP: flag }
  return { faults, mode: { isBehindProxy: true, environment }, close: async () => {} }
}

const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'mokuroku'`

const lockedTable = (table: string): CampaignFault => ({
  name: `table ${table} locked`,
  expects: 'refused',
  lastsMs: 7_000,
  async begin({ databaseUrl }) {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(`begin; lock table ${table} in access exclusive mode`)
    return () => client.end()
  },
})

/** Opens connections until PostgreSQL refuses one. */
async function takeAllConnections({ databaseUrl }: CampaignStage): Promise<pg.Client[]> {
  const clients: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString: databaseUrl })
    client.on('error', () => {})
    try {
      await client.connect()
    } catch {
      return clients
    }
    clients.push(client)
  }
}
