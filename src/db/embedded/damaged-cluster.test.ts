import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, type Content } from '#test/databases.ts'
import { DEMO_READY } from '#test/demo.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { mokuroku, startMokuroku, temporaryFolder } from '#test/program.ts'
import { runCommand } from '#test/run-command.ts'
import { clusterOf } from './cluster.ts'

const zero = (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size))

const logFiles = (cluster: string) =>
  readdirSync(join(cluster, 'pg_wal'))
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .map((name) => join(cluster, 'pg_wal', name))

const DAMAGED = 'The folder is damaged. Keep a copy of it, and restore the folder from a backup.'
const CORRECT = 'Correct that file.'
const CHECKPOINT = String.raw`.*could not locate a valid checkpoint record at \S+`

type Damage = { damage: (cluster: string) => void; message: string; advice: string }

/** Kinds of damage, each with PostgreSQL's error message. */
const DAMAGES: Record<string, Damage> = {
  'an empty PG_VERSION': {
    damage: (cluster) => writeFileSync(join(cluster, 'PG_VERSION'), ''),
    message: String.raw`"CLUSTER" is not a valid data directory; File "CLUSTER/PG_VERSION" does not contain valid data`,
    advice: DAMAGED,
  },
  'a log of zeros': {
    damage: (cluster) => logFiles(cluster).forEach(zero),
    message: CHECKPOINT,
    advice: DAMAGED,
  },
  'no log': {
    damage: (cluster) => logFiles(cluster).forEach((file) => rmSync(file)),
    message: CHECKPOINT,
    advice: DAMAGED,
  },
  'no folder of the log': {
    damage: (cluster) => rmSync(join(cluster, 'pg_wal'), { recursive: true }),
    message: 'required WAL directory "pg_wal" does not exist',
    advice: DAMAGED,
  },
  'a pg_control of zeros': {
    damage: (cluster) => zero(join(cluster, 'global/pg_control')),
    message: String.raw`database files are incompatible with server; .*PG_CONTROL_VERSION 0, .*PG_CONTROL_VERSION \d+`,
    advice: DAMAGED,
  },
  'no pg_control': {
    damage: (cluster) => rmSync(join(cluster, 'global/pg_control')),
    message: 'could not open file "global/pg_control": No such file or directory',
    advice: DAMAGED,
  },
  'a truncated catalog table': {
    damage: (cluster) => truncateSync(join(cluster, 'base/5/1259'), 8_192),
    message: 'could not open critical system index 2662',
    advice: DAMAGED,
  },
  'a garbled catalog table': {
    damage: (cluster) => {
      const file = join(cluster, 'base/5/1259')
      writeFileSync(file, Buffer.alloc(statSync(file).size, 0xab))
    },
    message: 'invalid page in block 0 of relation "base/5/1259"',
    advice: DAMAGED,
  },
  'no pg_xact': {
    damage: (cluster) => rmSync(join(cluster, 'pg_xact'), { recursive: true }),
    message: String.raw`could not access status of transaction \d+; Could not open file "pg_xact/0000".*`,
    advice: DAMAGED,
  },
  'no base': {
    damage: (cluster) => rmSync(join(cluster, 'base'), { recursive: true }),
    message: String.raw`.*database "postgres" does not exist; The database subdirectory "base/5" is missing`,
    advice: DAMAGED,
  },
  'a wrong setting in postgresql.conf': {
    damage: (cluster) => appendFileSync(join(cluster, 'postgresql.conf'), '\nnonsense = 1\n'),
    message: String.raw`unrecognized configuration parameter "nonsense" in file "CLUSTER/postgresql.conf" line \d+; .*`,
    advice: CORRECT,
  },
  'no postgresql.conf': {
    damage: (cluster) => rmSync(join(cluster, 'postgresql.conf')),
    message: String.raw`.*could not access the server configuration file "CLUSTER/postgresql.conf": No such file or directory`,
    advice: CORRECT,
  },
  'no pg_hba.conf': {
    damage: (cluster) => rmSync(join(cluster, 'pg_hba.conf')),
    message: String.raw`could not open file "CLUSTER/pg_hba.conf": No such file or directory; could not load .*`,
    advice: CORRECT,
  },
  'no right to write': {
    damage: (cluster) => chmodSync(cluster, 0o500),
    message: 'could not create lock file "postmaster.pid": Permission denied',
    advice: 'Make the folder writable for the user that runs mokuroku.',
  },
}

/** Runs `use` on a temporary copy of a template. */
async function withCopy(
  content: Content,
  use: (dataDir: string, cluster: string) => Promise<void>,
) {
  const { dataDir, remove } = await createDatabase('embedded', content)
  try {
    await use(dataDir, clusterOf(dataDir))
  } finally {
    await remove()
  }
}

/**
 * Runs a command that opens the database. The command must fail with a one-line error.
 *
 * @returns that line
 */
async function refusalOf(dataDir: string, args = ['migrate']) {
  const start = args[0] === 'serve' ? mokuroku : runCommand
  const { status, output, errors } = await start(args, {
    environment: { DATA_DIR: dataDir, PORT: '0' },
  })
  assert.deepEqual(
    { status, output, lines: errors.split('\n').length - 1 },
    { status: 1, output: '', lines: 1 },
    errors,
  )
  return errors.trimEnd()
}

const withoutLock = (names: string[]) => names.filter((name) => name !== 'lock.sqlite')

describe('an embedded database', () => {
  for (const [name, { damage, message, advice }] of Object.entries(DAMAGES))
    it(`with ${name} is rejected with PostgreSQL's message`, () =>
      withCopy('cluster', async (dataDir, cluster) => {
        damage(cluster)
        const expected = `^The database in CLUSTER cannot be opened\\. PostgreSQL reports: ${message}\\. ${advice}$`
        assert.match(await refusalOf(dataDir), new RegExp(expected.replaceAll('CLUSTER', cluster)))
      }))

  it('is rejected with an error that gives a working command to restore its newest backup', () =>
    withCopy('empty', async (dataDir, cluster) => {
      const environment = { DATA_DIR: dataDir }
      mkdirSync(join(dataDir, 'backups'))
      for (const day of [1, 2]) {
        const backup = join(dataDir, `backups/mokuroku-2026010${day}T000000Z.tar`)
        assert.equal((await runCommand(['backup', backup], { environment })).status, 0)
      }
      for (const [name, damage] of [
        ['damaged', () => zero(join(cluster, 'global/pg_control'))],
        ['of another version', () => writeFileSync(join(cluster, 'PG_VERSION'), '14\n')],
        ['incomplete', () => rmSync(join(cluster, 'PG_VERSION'))],
        ['missing', () => rmSync(cluster, { recursive: true })],
      ] as const) {
        damage()
        const refusal = await refusalOf(dataDir)
        const [, command = ''] =
          / bring back the newest backup with mokuroku (restore \S+ --force), which keeps the folder aside\.$/i.exec(
            refusal,
          ) ?? []
        assert.match(command, /mokuroku-20260102T000000Z/, `${name}: ${refusal}`)
        const restored = await runCommand(command.split(' '), { environment })
        assert.equal(restored.status, 0, restored.errors)
        const migrated = await runCommand(['migrate'], { environment })
        assert.equal(migrated.output, 'The schema is up to date.\n', migrated.errors)
      }
      const kept = readdirSync(dataDir).filter((name) =>
        name.startsWith('postgres.before-restore-'),
      )
      assert.equal(kept.length, 3)
    }))

  it('created by another PostgreSQL version is rejected with an error that names both versions', () =>
    withCopy('cluster', async (dataDir, cluster) => {
      writeFileSync(join(cluster, 'PG_VERSION'), '14\n')
      const refusal = await refusalOf(dataDir)
      assert.ok(
        refusal.startsWith(
          `The database in ${cluster} was created by PostgreSQL 14, and this version of mokuroku includes PostgreSQL `,
        ),
        refusal,
      )
      assert.match(
        refusal,
        /includes PostgreSQL \d+\.\d+\. Start the version of mokuroku that created it, or move the folder away/,
      )
    }))

  it('without PG_VERSION is rejected and left unchanged', () =>
    withCopy('cluster', async (dataDir, cluster) => {
      rmSync(join(cluster, 'PG_VERSION'))
      const before = readdirSync(cluster)
      for (const args of [['migrate'], ['serve'], ['serve', '--new']])
        assert.match(
          await refusalOf(dataDir, args),
          /postgres is not a complete database: it lacks PG_VERSION, but contains /,
        )
      assert.deepEqual(readdirSync(cluster), before)
    }))

  it('without the file of a table is rejected with an error that names the file and the table', () =>
    withCopy('empty', async (dataDir, cluster) => {
      const database = { databaseUrl: undefined, dataDir, remove: async () => {} }
      const { rows } = await withTestDatabase(database, (db) =>
        sql<{
          path: string
        }>`select pg_relation_filepath('information_schema.sql_features'::regclass) as path`.execute(
          db,
        ),
      )
      const path = rows[0]?.path ?? ''
      // Deletes only the main fork. The others remain.
      rmSync(join(cluster, path))
      assert.ok(existsSync(join(cluster, `${path}_vm`)))
      assert.equal(
        await refusalOf(dataDir),
        `The database in ${cluster} is incomplete: it lacks the file ${path} of information_schema.sql_features. ` +
          'The folder is damaged or was restored partially. Keep a copy of it, and restore the folder from a backup.',
      )
    }))

  it('with a corrupted table is rejected with the name of its file', () =>
    withCopy('empty', async (dataDir, cluster) => {
      const file = await withTestDatabase(
        { databaseUrl: undefined, dataDir, remove: async () => {} },
        async (db) => {
          const { path } = await db
            .selectNoFrom((eb) =>
              eb.fn<string>('pg_relation_filepath', [eb.val('migrations')]).as('path'),
            )
            .executeTakeFirstOrThrow()
          return path
        },
      )
      writeFileSync(join(cluster, file), Buffer.alloc(statSync(join(cluster, file)).size, 0xab))
      assert.equal(
        await refusalOf(dataDir),
        `The database in ${cluster} is damaged: invalid page in block 0 of relation "${file}". ` +
          'Move the folder aside, and restore a backup in its place.',
      )
    }))
})

describe('a data directory without a database', () => {
  for (const [name, take, state] of [
    ['missing', (cluster: string) => rmSync(cluster, { recursive: true }), 'missing'],
    [
      'empty',
      (cluster: string) => {
        rmSync(cluster, { recursive: true })
        mkdirSync(cluster)
      },
      'empty',
    ],
  ] as const)
    it(`is rejected if it was used before and its cluster is ${name}, unless --new is given`, () =>
      withCopy('cluster', async (dataDir, cluster) => {
        for (const name of ['demo.json', 'reserve']) writeFileSync(join(dataDir, name), '{}')
        take(cluster)
        for (const args of [['migrate'], ['serve'], ['account', 'list']])
          assert.equal(
            await refusalOf(dataDir, args),
            `${dataDir} was used before (it holds demo.json, reserve), but its database in ${cluster} is ${state}. ` +
              'Mount its disk, restore the folder from a backup, or set DATABASE_URL if the database is on a server; ' +
              'for a new embedded database, run mokuroku serve --new once.',
          )
        assert.equal(existsSync(join(cluster, 'PG_VERSION')), false)
        const environment = { DATA_DIR: dataDir, PORT: '0' }
        const program = startMokuroku(['serve', '--new'], { environment })
        await program.waitForOutput(DEMO_READY)
        assert.equal((await program.end('SIGTERM')).status, 0)
        assert.match(
          await refusalOf(dataDir, ['serve', '--new']),
          /postgres holds a database, which --new does not replace: leave --new out, or move the folder away\.$/,
        )
      }))

  for (const trace of ['demo.json', 'reserve', 'outbox', 'images'])
    it(`is rejected as used before even if it contains only ${trace}`, async () => {
      const { path, remove } = temporaryFolder()
      try {
        mkdirSync(join(path, trace))
        const refusal = await refusalOf(path, ['migrate'])
        assert.ok(refusal.startsWith(`${path} was used before (it holds ${trace})`), refusal)
      } finally {
        remove()
      }
    })

  it('gets a new database automatically if it was never used before', async () => {
    const { path, remove } = temporaryFolder()
    try {
      for (const name of ['postgres', 'dumps', 'lost+found']) mkdirSync(join(path, name))
      assert.equal((await runCommand(['migrate'], { environment: { DATA_DIR: path } })).status, 0)
      assert.ok(withoutLock(readdirSync(path)).includes('postgres'))
    } finally {
      remove()
    }
  })
})
