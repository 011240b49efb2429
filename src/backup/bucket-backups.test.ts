import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { createDatabase, describeOnEachDatabase, type TestDatabase } from '#test/databases.ts'
import { listenLocally } from '#test/free-port.ts'
import {
  bucketEnvironment,
  OBJECT_STORE_MISSING,
  startObjectStore,
  type TestObjectStore,
} from '#test/object-store.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { CHECKOUT, startMokuroku } from '#test/program.ts'
import { createAccounts } from '#test/ratings.ts'
import { runCommand } from '#test/run-command.ts'
import { readConfig, type BucketSettings } from '../config/config.ts'
import { openDatabase } from '../db/database.ts'
import { Bucket } from '../storage/bucket.ts'
import { findLastBackup } from './last-backup-queries.ts'
import { findBackupPlace } from './places/backup-place.ts'
import { startScheduledBackups } from './scheduled-backups.ts'

const environmentOf = ({ databaseUrl, dataDir }: TestDatabase, bucket: BucketSettings) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  ...bucketEnvironment(bucket),
})

const countAccounts = (place: TestDatabase) =>
  withTestDatabase(place, async (db) => {
    const { rows } = await sql<{ amount: number }>`select count(*) as amount from accounts`.execute(
      db,
    )
    return rows[0]?.amount
  })

const namesIn = async (bucket: BucketSettings) =>
  (await new Bucket(bucket).list('')).map(({ name }) => name)

let store: TestObjectStore
before(async () => {
  if (OBJECT_STORE_MISSING === false) store = await startObjectStore()
})
after(() => store?.stop())

describeOnEachDatabase('a backup in a bucket', (engine) => {
  it(
    'is verified, restored into an empty database, and not replaced by accident',
    { skip: OBJECT_STORE_MISSING },
    async () => {
      const [source, target] = [
        await createDatabase(engine, 'sample'),
        await createDatabase(engine, 'nothing'),
      ]
      const bucket = await store.createBucket({ prefix: 'sites/a/' })
      const run = (place: TestDatabase, ...args: string[]) =>
        runCommand([...args, '--json'], { environment: environmentOf(place, bucket) })
      try {
        await withTestDatabase(source, (db) => createAccounts(db, 2))
        const made = await run(source, 'backup', 'bucket:first.tar')
        assert.equal(made.status, 0, made.errors)
        const { file, bytes } = JSON.parse(made.output)
        assert.equal(file, 'bucket:first.tar')
        assert.deepEqual(await namesIn(bucket), ['backups/first.tar'])
        assert.equal((await new Bucket(bucket).find('backups/first.tar'))?.bytes, bytes)

        const again = await run(source, 'backup', 'bucket:first.tar')
        assert.match(again.errors, /bucket:first\.tar exists\. Choose another name/)
        const replaced = await run(source, 'backup', 'bucket:first.tar', '--force')
        assert.equal(replaced.status, 0, replaced.errors)
        // The second backup has one more row, the time of the first backup.
        const { rows } = JSON.parse(replaced.output)

        const verified = await run(source, 'backup', 'verify', 'bucket:first.tar')
        assert.equal(JSON.parse(verified.output).rows, rows)
        const restored = await run(target, 'restore', 'bucket:first.tar')
        assert.equal(restored.status, 0, restored.errors)
        assert.equal(JSON.parse(restored.output).rows, rows)
        assert.equal(await countAccounts(target), await countAccounts(source))

        // A truncated backup is rejected.
        const whole = (await new Bucket(bucket).read('backups/first.tar')) ?? Buffer.alloc(0)
        await new Bucket(bucket).write('backups/cut.tar', whole.subarray(0, whole.length / 2))
        const cut = await run(source, 'backup', 'verify', 'bucket:cut.tar')
        assert.match(cut.errors, /bucket:cut\.tar is (truncated|damaged|incomplete)/)
      } finally {
        await source.remove()
        await target.remove()
      }
    },
  )

  it(
    'is made by one of several processes when due, after which the oldest are deleted',
    { skip: OBJECT_STORE_MISSING },
    async () => {
      const place = await createDatabase(engine, 'sample')
      const bucket = await store.createBucket()
      const objects = new Bucket(bucket)
      const environment = { ...environmentOf(place, bucket), BACKUP_KEEP: '2' }
      const config = readConfig(environment)
      const settings = Object.entries(environment).map(([name, value]) => `${name}=${value ?? ''}`)
      const program = () => [
        'env',
        ...settings,
        process.execPath,
        join(CHECKOUT, 'dist/mokuroku.js'),
      ]
      const lines: string[] = []
      const add = (facts: object, message: string) =>
        void lines.push('err' in facts ? `${message} ${String(facts.err)}` : message)
      const log = { info: add, warn: add }
      const databases = [await openDatabase(config)]
      if (engine === 'server') databases.push(await openDatabase(config))
      try {
        for (const day of [1, 2])
          await objects.write(
            `backups/mokuroku-2026010${day}T000000Z.tar`,
            Buffer.from('an older one'),
          )
        await objects.write('backups/own.tar', Buffer.from('an object of the operator'))
        const tasks = databases.map((database) =>
          startScheduledBackups({ config, database, log, program }, 50),
        )
        await eventually(() => lines.length > 0, 'a backup')
        await Promise.all(tasks.map((task) => task.stop()))
        assert.deepEqual(lines, ['Made a backup'])
        const [older, newest] = (await findBackupPlace(config)?.list()) ?? []
        assert.equal(older?.name, 'mokuroku-20260102T000000Z.tar')
        const [database] = databases
        assert.ok(database && newest)
        const last = await findLastBackup(database.db)
        assert.deepEqual([last?.file, last?.bytes], [newest.path, newest.bytes])
        assert.ok((await namesIn(bucket)).includes('backups/own.tar'))
        const listed = await runCommand(['backup', 'list'], { environment })
        assert.deepEqual(
          listed.output.split('\n').map((line) => line.split(': ')[0]),
          ['bucket:mokuroku-20260102T000000Z.tar', newest.path, ''],
        )
      } finally {
        for (const database of databases) await database.close()
        await place.remove()
      }
    },
  )
})

describe('mokuroku backup', () => {
  it(
    'reports in one line that a bucket, its keys or a backup is missing',
    { skip: OBJECT_STORE_MISSING },
    async () => {
      const bucket = await store.createBucket()
      const errorsOf = async (args: string[], environment: Record<string, string>) => {
        const { status, errors } = await runCommand(args, { environment })
        assert.equal(status, 1)
        assert.equal(errors.trim().split('\n').length, 1, errors)
        assert.ok(!errors.includes(bucket.secretKey))
        return errors
      }
      const environment = bucketEnvironment(bucket)
      assert.match(await errorsOf(['restore', 'bucket:a.tar'], {}), /BUCKET_URL, which is not set/)
      assert.match(
        await errorsOf(['restore', 'bucket:a.tar'], environment),
        /has no backup a\.tar\. List them with: mokuroku backup list/,
      )
      assert.match(
        await errorsOf(['backup', 'verify', 'bucket:../a'], environment),
        /must be bucket: and a name/,
      )
      assert.match(
        await errorsOf(['backup', 'list'], { ...environment, BUCKET_SECRET_KEY: 'wrong' }),
        /rejects the secret key\. Correct BUCKET_SECRET_KEY/,
      )
    },
  )

  it('aborts its upload when it is stopped', async () => {
    const place = await createDatabase('server', 'sample')
    const requests: string[] = []
    let reachPart = () => {}
    const partReached = new Promise<void>((resolve) => (reachPart = resolve))
    // Stores no part, so the upload lasts until it is aborted.
    const server = createServer(({ method, url = '' }, response) => {
      requests.push(`${method} ${url.split('?')[0]}`)
      if (method === 'PUT') reachPart()
      else if (method === 'DELETE') response.writeHead(204).end()
      else if (method === 'POST')
        response.end(
          '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
        )
      else if (url.includes('uploads='))
        response.end('<ListMultipartUploadsResult></ListMultipartUploadsResult>')
      else response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    })
    const port = await listenLocally(server)
    const program = startMokuroku(['backup', 'bucket:a.tar'], {
      environment: environmentOf(place, {
        url: `http://127.0.0.1:${port}/bucket`,
        prefix: '',
        region: 'us-east-1',
        accessKey: 'key',
        secretKey: 'secret',
        contents: ['backups'],
      }),
    })
    try {
      await Promise.race([
        partReached,
        program.ended.then(({ errors }) => Promise.reject(new Error(errors))),
      ])
      const { status } = await program.end('SIGTERM')
      assert.equal(status, 143)
      assert.equal(requests.at(-1), 'DELETE /bucket/backups/a.tar')
    } finally {
      await program.end()
      server.closeAllConnections()
      server.close()
      await place.remove()
    }
  })
})
