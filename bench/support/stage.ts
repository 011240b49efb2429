import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asAdmin } from '#test/databases.ts'
import { startPostgres, type PostgresServer } from '#test/postgres.ts'
import { makeCatalog, type Catalog } from './catalog.ts'
import { Children } from './children.ts'
import { serveCatalog, type Service } from './service.ts'

export type StageOptions = { quick: boolean }

/** What every claim is measured on: processes, databases and how long to look. Made on first use, gone at the end. */
export class Stage {
  readonly children = new Children()
  readonly folder = mkdtempSync(join(tmpdir(), 'mokuroku-bench-'))
  readonly quick: boolean
  /** Of a comparison. */
  readonly rounds: number
  /** Of one side of a round. */
  readonly seconds: number
  /** Works in the large catalog. */
  readonly works: number
  readonly #catalogs = new Map<string, Promise<Catalog>>()
  readonly #names: string[] = []
  #postgres: Promise<PostgresServer> | undefined

  constructor({ quick }: StageOptions) {
    this.quick = quick
    this.rounds = quick ? 3 : 5
    this.seconds = quick ? 1 : 2
    this.works = quick ? 20_000 : 1_000_000
  }

  postgres(): Promise<PostgresServer> {
    return (this.#postgres ??= startPostgres())
  }

  /** A database on the PostgreSQL server with that many galgames, ids from 1. */
  catalog(works = this.works): Promise<Catalog> {
    return this.#onServer(String(works), works)
  }

  #onServer(key: string, works: number): Promise<Catalog> {
    return this.#once(`server ${key}`, async () => {
      const { url } = await this.postgres()
      const name = `mokuroku_bench_${process.pid}_${key}`
      this.#names.push(name)
      await asAdmin(url, `create database "${name}"`)
      const databaseUrl = new URL(url)
      databaseUrl.pathname = `/${name}`
      return makeCatalog({ databaseUrl: databaseUrl.href, dataDir: this.folder, works })
    })
  }

  /** The same for `fill` alone: another catalog of a thousand galgames under a name of its own. */
  ownCatalog(name: string, works = 1_000): Promise<Catalog> {
    return this.#onServer(`${works}_${name}`, works)
  }

  /** The embedded database with that many galgames; for one service at a time. */
  embeddedCatalog(works: number): Promise<Catalog> {
    return this.#once(`embedded ${works}`, () =>
      makeCatalog({ databaseUrl: undefined, dataDir: join(this.folder, `embedded-${works}`), works }),
    )
  }

  /** A database of the server without a schema. */
  async emptyOnServer(name: string): Promise<{ databaseUrl: string; dataDir: string }> {
    const { url } = await this.postgres()
    const database = `mokuroku_bench_${process.pid}_${name}`
    this.#names.push(database)
    await asAdmin(url, `create database "${database}"`)
    const databaseUrl = new URL(url)
    databaseUrl.pathname = `/${database}`
    return { databaseUrl: databaseUrl.href, dataDir: this.folder }
  }

  emptyEmbedded(name: string) {
    return { databaseUrl: undefined, dataDir: join(this.folder, `embedded-${name}`) }
  }

  /** Starts the service on a catalog, with these settings beside those every claim needs. */
  serve(catalog: Catalog, settings: NodeJS.ProcessEnv = {}): Promise<Service> {
    return serveCatalog(this.children, catalog, settings)
  }

  /** Ends and removes everything; may be called at any moment, more than once. */
  async close() {
    await this.children.stopAll()
    const postgres = await this.#postgres?.catch(() => undefined)
    for (const name of this.#names.splice(0))
      if (postgres)
        await asAdmin(postgres.url, `drop database if exists "${name}" with (force)`).catch(() => {})
    await postgres?.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #once(key: string, make: () => Promise<Catalog>): Promise<Catalog> {
    const made = this.#catalogs.get(key) ?? make()
    this.#catalogs.set(key, made)
    return made
  }
}
