import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterOf } from '../../src/db/embedded/cluster.ts'
import { childProcesses, isRunning, signalTree } from '#test/child-processes.ts'
import {
  createServerDatabase,
  databaseAt,
  type Engine,
  type TestDatabase,
} from '#test/databases.ts'
import { startFaultyProxy, type FaultyProxy } from '#test/faulty-proxy.ts'
import { freePort } from '#test/free-port.ts'
import { createCluster, startCluster, type PostgresServer } from '#test/postgres.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { UNLIMITED } from '#test/service.ts'
import { spawnService, type ServiceProcess } from '#test/service-process.ts'
import { fillWithSample, makeEmbeddedSample } from '#test/template-databases.ts'

/**
 * Few connections, so that a fault can take them all, and a small WAL, because it is kept in memory. What a killed process has written stays in the memory of the
 * system, so neither `fsync` nor a disk is needed.
 */
const POSTGRES_SETTINGS = ['max_connections=60', 'synchronous_commit=on', 'max_wal_size=128MB']
const NAME = 'mokuroku'

export type ServiceMode = {
  /** Number of worker processes; 1 for a single process. */
  workers?: number
  environment?: NodeJS.ProcessEnv
  /** Connects to PostgreSQL through the faulty proxy. */
  isBehindProxy?: boolean
  /** Commands that limit the process before it starts. */
  shell?: string
}

/** PostgreSQL, data directory and service of a campaign, all of which may be killed and started again. */
export class CampaignStage {
  readonly engine: Engine
  readonly folder: string
  readonly port: number
  mode: ServiceMode = {}
  #service: ServiceProcess | undefined
  #postgres: PostgresServer | undefined
  #cluster: { binaries: string; folder: string } | undefined
  #proxy: FaultyProxy | undefined
  #settings: string[]

  private constructor(engine: Engine, port: number, settings: string[]) {
    this.engine = engine
    this.port = port
    this.folder = scratchFolder('campaign')
    this.#settings = settings
  }

  /**
   * Creates the database with the sample, without starting the service.
   *
   * @param settings further settings of PostgreSQL
   */
  static async create(engine: Engine, settings: string[] = []): Promise<CampaignStage> {
    const stage = new CampaignStage(engine, await freePort(), [...POSTGRES_SETTINGS, ...settings])
    try {
      if (engine === 'embedded') await makeEmbeddedSample(stage.dataDir)
      else {
        stage.#cluster = createCluster('memory')
        await stage.startPostgres()
        await createServerDatabase(stage.postgres.url, NAME)
        await fillWithSample(stage.databaseUrl)
      }
      return stage
    } catch (error) {
      await stage.close()
      throw error
    }
  }

  get dataDir() {
    return join(this.folder, 'data')
  }

  /** Folder of the database's files, including the WAL in `pg_wal`. */
  get clusterFolder() {
    return this.#cluster ? join(this.#cluster.folder, 'data') : clusterOf(this.dataDir)
  }

  get ledgerFile() {
    return join(this.folder, 'ledger.jsonl')
  }

  get url() {
    return `http://127.0.0.1:${this.port}`
  }

  get postgres(): PostgresServer {
    if (!this.#postgres) throw new Error('PostgreSQL is not running')
    return this.#postgres
  }

  get databaseUrl() {
    return databaseAt(this.postgres.url, NAME)
  }

  /** Database for the checks, which do not use the faulty proxy. */
  get database(): TestDatabase {
    return {
      databaseUrl: this.engine === 'server' ? this.databaseUrl : undefined,
      dataDir: this.dataDir,
      remove: async () => {},
    }
  }

  get service(): ServiceProcess {
    if (!this.#service) throw new Error('The service is not running')
    return this.#service
  }

  /** Starts PostgreSQL on its port, also right after it was killed. */
  async startPostgres() {
    const { binaries, folder } = this.#cluster ?? { binaries: '', folder: '' }
    const port = this.#postgres && Number(new URL(this.#postgres.url).port)
    this.#postgres = await startCluster(binaries, folder, this.#settings, true, port)
  }

  /** Kills the main process of PostgreSQL and all of its backends. */
  async killPostgres() {
    const all = signalTree(this.postgres.pid, 'SIGKILL')
    // The kernel releases the shared memory with the last process.
    while (all.some(isRunning)) await sleep(5)
  }

  async proxy(): Promise<FaultyProxy> {
    return (this.#proxy ??= await startFaultyProxy(this.databaseUrl))
  }

  async startService(mode: ServiceMode = this.mode) {
    this.mode = mode
    const { workers = 1, environment = {}, isBehindProxy = false, shell } = mode
    const url = isBehindProxy ? (await this.proxy()).url : this.database.databaseUrl
    this.#service = await spawnService(
      {
        PORT: String(this.port),
        DATA_DIR: this.dataDir,
        WORKERS: String(workers),
        DATABASE_URL: url ?? '',
        DATABASE_POOL_SIZE: '6',
        ...UNLIMITED,
        ...environment,
      },
      shell,
    )
  }

  workers = () => childProcesses(this.service.pid)

  /** Kills the service's main process, and waits until its workers have exited too. */
  async killService() {
    const workers = this.workers()
    await this.service.stop('SIGKILL')
    while (workers.some(isRunning)) await sleep(10)
    this.#service = undefined
  }

  /** @returns the exit status */
  async stopService() {
    const status = await this.service.stop()
    this.#service = undefined
    return status
  }

  /** Stops everything. @param keeps whether to keep the data for an examination */
  async close(keeps = false) {
    await this.#service?.stop('SIGKILL')
    await this.#proxy?.close()
    await this.#postgres?.stop()
    if (keeps) {
      writeFileSync(join(this.folder, 'service.log'), this.#service?.output() ?? '')
      return
    }
    removeFolder(this.folder)
    if (this.#cluster) removeFolder(this.#cluster.folder)
  }
}
