import { readFile, writeFile } from 'node:fs/promises'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { CompiledQuery } from 'kysely'
import { packTar, unpackTar } from 'modern-tar'
import {
  findSequences,
  listAllTables,
  quoted,
  USE_TEXT_FORMAT,
  type Table,
} from '../../src/backup/dump-queries.ts'
import type { Checksums } from '../../src/backup/format.ts'
import { COPY_OUTPUT, CopyData } from '../../src/db/copy.ts'
import type { Database } from '../../src/db/database.ts'
import { queryRows, queryText } from '../../src/db/query.ts'
import {
  applyMigration,
  createMigrationsTable,
  readMigrations,
  toMigration,
  type Migration,
} from '../../src/db/upkeep/migrate.ts'

/** Maximum size of a fixture, in bytes. They stay in the repository forever. */
export const MAX_FIXTURE_BYTES = 1_000_000

/** Secrets to use the data of a fixture. Their sessions and tokens do not expire. */
export type Access = {
  secret_key: string
  auth_url: string
  user: { email: string; password: string }
  app: { client_id: string; secret: string }
  access_token: string
  refresh_token: string
  /** Cookies of a browser in which the user has signed in. */
  cookies: Record<string, string>
  /** A work that the user has rated, as in the path of its page, and the text of the review. */
  rated: { path: string; review: string }
}

/** The database of a released version. */
export type Fixture = {
  version: string
  access: Access
  migrations: Migration[]
  /** Constant statements of the version, which run until its last process has been replaced. */
  statements: { name: string; text: string }[]
  tables: (Table & { rows: Buffer })[]
  sequences: Checksums['sequences']
}

export const fixtureFile = (version: string) =>
  new URL(`${version}.tar.zst`, import.meta.url).pathname

/** Reads a database, including the tables that a backup leaves out, because an upgrade finds those as well. */
export async function dumpFixture(
  db: Database,
  known: Pick<Fixture, 'version' | 'access' | 'statements'>,
): Promise<Fixture> {
  return db.transaction().execute(async (trx) => {
    await queryRows(trx, USE_TEXT_FORMAT, [])
    const tables = []
    for (const table of await listAllTables(trx)) {
      const { rows } = await trx.executeQuery<{ bytes: Buffer }>(
        CompiledQuery.raw(`copy (select ${quoted(table.columns)} from "${table.name}") to stdout`, [
          COPY_OUTPUT,
        ]),
      )
      tables.push({ ...table, rows: rows[0]?.bytes ?? Buffer.alloc(0) })
    }
    return {
      ...known,
      migrations: await readMigrations(),
      tables,
      sequences: await findSequences(trx),
    }
  })
}

/** Creates the schema and the rows of a fixture in an empty database, as the released version left them. */
export async function loadFixture(db: Database, { migrations, tables, sequences }: Fixture) {
  await db.transaction().execute(async (trx) => {
    await queryRows(trx, USE_TEXT_FORMAT, [])
    await createMigrationsTable(trx)
    for (const migration of migrations) await applyMigration(trx, migration)
    // Disables triggers and the checks of foreign keys.
    await queryText(trx, `set local session_replication_role = replica`, [])
    await queryText(trx, `truncate ${quoted(tables.map(({ name }) => name))}`, [])
    for (const { name, columns, rows } of tables)
      await trx.executeQuery(
        CompiledQuery.raw(`copy "${name}" (${quoted(columns)}) from stdin`, [new CopyData(rows)]),
      )
    for (const [name, { last, is_called }] of Object.entries(sequences))
      await queryText(trx, `select setval('"${name}"', ${last}, ${is_called})`, [])
  })
}

const FACTS = 'fixture.json'

/** Writes a fixture as a compressed tar, so that `tar --zstd` can show it. */
export async function writeFixture(file: string, fixture: Fixture) {
  const { migrations, statements, tables, ...facts } = fixture
  const columns = tables.map(({ name, columns }) => ({ name, columns }))
  const members: [name: string, data: string | Buffer][] = [
    [FACTS, JSON.stringify({ ...facts, tables: columns }, undefined, 2)],
    ['statements.json', JSON.stringify(statements, undefined, 2)],
    ...migrations.map(({ name, text }): [string, string] => [`migrations/${name}.sql`, text]),
    ...tables.map(({ name, rows }): [string, Buffer] => [`tables/${name}.copy`, rows]),
  ]
  const tar = await packTar(
    members.map(([name, data]) => {
      const body = Buffer.from(data)
      return { header: { name, size: body.length, mtime: new Date(0) }, body }
    }),
  )
  const packed = zstdCompressSync(tar, { params: { [constants.ZSTD_c_compressionLevel]: 19 } })
  if (packed.length > MAX_FIXTURE_BYTES)
    throw new Error(`The fixture has ${packed.length} bytes, more than ${MAX_FIXTURE_BYTES}.`)
  await writeFile(file, packed)
}

export async function readReleased(file: string): Promise<Fixture> {
  const members = new Map(
    (await unpackTar(zstdDecompressSync(await readFile(file)))).map(({ header, data }) => [
      header.name,
      Buffer.from(data ?? []),
    ]),
  )
  const json = (name: string): unknown => JSON.parse(String(members.get(name) ?? 'null'))
  // as: written by `writeFixture`
  const { tables, ...facts } = json(FACTS) as Omit<Fixture, 'migrations' | 'statements'>
  return {
    ...facts,
    // as: written by `writeFixture`
    statements: json('statements.json') as Fixture['statements'],
    migrations: [...members].flatMap(([member, text]) => {
      const name = /^migrations\/(.+)\.sql$/.exec(member)?.[1]
      return name === undefined ? [] : [toMigration(name, String(text))]
    }),
    tables: tables.map((table) => ({
      ...table,
      rows: members.get(`tables/${table.name}.copy`) ?? Buffer.alloc(0),
    })),
  }
}
