import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { asAdmin, databaseAt } from '#test/databases.ts'
import { startPostgres, startStandby, type PostgresServer } from '#test/postgres.ts'
import type { Turns } from '../compare/turns.ts'
import { makeCatalog, type Catalog } from './catalog.ts'
import { Children, type ServerProcess } from './children.ts'
import { treeTime } from './processor-time.ts'
import { OWN_ROOT, serveCatalog, serveSample, type Service } from './service.ts'

/** One of two commits that are measured alternately. */
export type Side = {
  /** Suffix of its database names. */
  name: string
  /** Folder of its tree. */
  root: string
  /** Stage whose PostgreSQL server it shares. */
  host?: Stage
}

/** URLs of databases that the operator has filled, to measure instead of generated ones. */
export type GivenCatalogs = { few: string; many: string }

export type StageOptions = { quick: boolean; side?: Side; catalogs?: GivenCatalogs | undefined }

/**
 * Everything that claims are measured on: processes, databases and durations. Created on first use and removed at the
 * end.
 */
export class Stage {
  readonly children = new Children()
  readonly folder = mkdtempSync(join(tmpdir(), 'mokuroku-bench-'))
  readonly quick: boolean
  /** Number of rounds in a comparison. */
  readonly rounds: number
  /** Duration, in seconds, of one side's turn in a round. */
  readonly seconds: number
  /** Number of works in the large catalog. */
  readonly works: number
  readonly catalogs: GivenCatalogs | undefined
  /** Folder of the migrations, with a trailing slash. */
  readonly migrations: URL
  /**
   * Set before a claim is measured in a comparison of commits. The stage then hands over to the other one after each
   * round, and measures no floors.
   */
  turns: Turns | undefined
  /** Stage that gets the same contents in its catalogs. Requires the same schema. */
  counterpart: Stage | undefined
  readonly #side: Side
  readonly #catalogs = new Map<string, Promise<Catalog>>()
  readonly #names: string[] = []
  #postgres: Promise<PostgresServer> | undefined
  #standby: Promise<PostgresServer> | undefined

  constructor({ quick, side, catalogs }: StageOptions) {
    this.quick = quick
    this.catalogs = catalogs
    // Fewer rounds would not suffice for the interval of two commits (bench/compare/interval.ts).
    this.rounds = side ? (quick ? 12 : 20) : quick ? 3 : 5
    this.seconds = quick ? 1 : 2
    this.works = quick ? 20_000 : 1_000_000
    this.#side = side ?? { name: 'own', root: OWN_ROOT }
    this.migrations = pathToFileURL(join(this.#side.root, 'migrations/'))
  }

  postgres(): Promise<PostgresServer> {
    return this.#side.host?.postgres() ?? (this.#postgres ??= startPostgres())
  }

  /** Processor time of the PostgreSQL server. Undefined if it is not ours or the system does not report it. */
  async databaseTime(): Promise<number | undefined> {
    const { pid } = await this.postgres()
    return pid === undefined ? undefined : treeTime(pid)
  }

  /** Returns the ids of the main processes of PostgreSQL, and of its standby if one runs. */
  async databasePids(): Promise<number[]> {
    const servers = [await this.postgres(), await this.#standby]
    return servers.flatMap((server) => server?.pid ?? [])
  }

  /** Creates a database on the PostgreSQL server with the given number of galgames, whose ids start at 1. */
  catalog(works = this.works): Promise<Catalog> {
    return this.#onServer(String(works), works)
  }

  /** Creates a separate catalog of a thousand galgames for one `fill`, under its own name. */
  ownCatalog(name: string, works = 1_000): Promise<Catalog> {
    return this.#onServer(`${works}_${name}`, works)
  }

  #onServer(key: string, works: number): Promise<Catalog> {
    return this.#once(`server ${key}`, async () => {
      const catalog = await makeCatalog(
        { ...(await this.emptyOnServer(key)), works },
        this.migrations,
      )
      await this.counterpart?.copyOf(key, catalog)
      return catalog
    })
  }

  /** Creates the same catalog under the same key on the other stage, with the same contents row by row. */
  async copyOf(key: string, catalog: Catalog) {
    const template = new URL(catalog.databaseUrl ?? '').pathname.slice(1)
    const server = this.#once(`server ${key}`, async () => ({
      ...catalog,
      ...(await this.emptyOnServer(key, template)),
    }))
    await server
  }

  /** Starts a standby if needed. Returns the catalog's URL on it; undefined if the PostgreSQL server is not ours. */
  async replicaOf({ databaseUrl = '' }: Catalog): Promise<string | undefined> {
    const primary = await this.postgres()
    if (primary.pid === undefined) return undefined
    this.#standby ??= startStandby(primary)
    return databaseAt((await this.#standby).url, new URL(databaseUrl).pathname.slice(1))
  }

  /** Creates an embedded database with the given number of galgames. Only one service can open it at a time. */
  embeddedCatalog(works: number): Promise<Catalog> {
    return this.#once(`embedded ${works}`, () =>
      makeCatalog(
        { databaseUrl: undefined, dataDir: join(this.folder, `embedded-${works}`), works },
        this.migrations,
      ),
    )
  }

  /** Creates a database without a schema, or a copy of a template. */
  async emptyOnServer(
    name: string,
    template = 'template1',
  ): Promise<{ databaseUrl: string; dataDir: string }> {
    const { url } = await this.postgres()
    const database = `mokuroku_bench_${process.pid}_${this.#side.name}_${name}`
    this.#names.push(database)
    await asAdmin(url, `create database "${database}" template "${template}" strategy file_copy`)
    const databaseUrl = new URL(url)
    databaseUrl.pathname = `/${database}`
    return { databaseUrl: databaseUrl.href, dataDir: this.folder }
  }

  emptyEmbedded(name: string) {
    return { databaseUrl: undefined, dataDir: join(this.folder, `embedded-${name}`) }
  }

  /** Starts the service on a catalog with these settings, in addition to those of every claim. */
  serve(catalog: Catalog, settings: NodeJS.ProcessEnv = {}): Promise<Service> {
    return serveCatalog(this.children, this.#side.root, catalog, settings)
  }

  /** Starts the service as on a first start: the embedded database with the sample and a demo account. */
  serveSample(dataDir: string): Promise<ServerProcess> {
    return serveSample(this.children, this.#side.root, dataDir)
  }

  /** Stops and removes everything. May be called at any time and more than once. */
  async close() {
    await this.children.stopAll()
    await this.#standby?.catch(() => undefined).then((own) => own?.stop())
    const postgres = await (this.#side.host?.postgres() ?? this.#postgres)?.catch(() => undefined)
    for (const name of this.#names.splice(0))
      if (postgres)
        await asAdmin(postgres.url, `drop database if exists "${name}" with (force)`).catch(
          () => {},
        )
    await this.#postgres?.catch(() => undefined).then((own) => own?.stop())
    rmSync(this.folder, { recursive: true, force: true })
  }

  #once(key: string, make: () => Promise<Catalog>): Promise<Catalog> {
    const catalog = this.#catalogs.get(key) ?? make()
    this.#catalogs.set(key, catalog)
    return catalog
  }
}
