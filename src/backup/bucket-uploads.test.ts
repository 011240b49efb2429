import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { createDatabase, describeOnEachDatabase, type TestDatabase } from '#test/databases.ts'
import {
  bucketEnvironment,
  OBJECT_STORE_MISSING,
  startObjectStore,
  type TestObjectStore,
} from '#test/object-store.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { makeTestPicture } from '#test/picture-origin.ts'
import { runCommand } from '#test/run-command.ts'
import type { BucketSettings } from '../config/config.ts'
import { openUploadBucket } from '../uploads/upload-bucket.ts'
import { findUpload, saveUpload } from '../uploads/upload-queries.ts'

describeOnEachDatabase('a backup of a database with uploads in a bucket', (engine) => {
  let store: TestObjectStore
  before(async () => {
    if (OBJECT_STORE_MISSING === false) store = await startObjectStore()
  })
  after(() => store?.stop())

  const run = (place: TestDatabase, bucket: BucketSettings | undefined, ...args: string[]) =>
    runCommand(args, {
      environment: {
        DATABASE_URL: place.databaseUrl,
        DATA_DIR: place.dataDir,
        ...(bucket && bucketEnvironment(bucket)),
      },
    })

  it(
    'contains the pictures, and can be restored without the bucket',
    { skip: OBJECT_STORE_MISSING },
    async () => {
      const [source, target] = [
        await createDatabase(engine, 'empty'),
        await createDatabase(engine, 'nothing'),
      ]
      const settings = await store.createBucket({ contents: ['uploads'] })
      const bucket = openUploadBucket(settings, {
        onFailure: (error) => assert.fail(String(error)),
        onRequest: undefined,
      })
      assert.ok(bucket)
      const objectsOf = (place: TestDatabase) =>
        withTestDatabase(place, async (db) => {
          const rows = await db.selectFrom('uploads').select('object').orderBy('id').execute()
          const stray = await db
            .selectFrom('stray_objects')
            .select('name')
            .orderBy('name')
            .execute()
          return { rows: rows.map(({ object }) => object), stray: stray.map(({ name }) => name) }
        })
      try {
        const uploads = await withTestDatabase(source, async (db) => {
          const id = await addAccount(db, {
            email: 'painter@example.org',
            name: 'Ei',
            password: 'a long enough one',
          })
          const hashes: string[] = []
          for (const [side, where] of [
            [40, bucket],
            [41, undefined],
            [42, bucket],
          ] as const) {
            const saved = await saveUpload(db, id, await makeTestPicture(side, side), where)
            assert.ok('hash' in saved)
            hashes.push(saved.hash)
          }
          return Promise.all(
            hashes.map(async (hash) => ({ hash, bytes: await findUpload(db, hash, bucket) })),
          )
        })
        const file = join(source.dataDir, 'with-uploads.tar')
        const without = await run(source, undefined, 'backup', file)
        assert.equal(without.status, 0, without.errors)
        assert.match(without.output, /2 uploaded pictures are missing\. Set BUCKET_URL/)
        const made = await run(source, settings, 'backup', file, '--json', '--force')
        assert.equal(made.status, 0, made.errors)
        assert.equal(JSON.parse(made.output).missing_uploads, 0)

        const restored = await run(target, undefined, 'restore', file)
        assert.equal(restored.status, 0, restored.errors)
        await withTestDatabase(target, async (db) => {
          for (const { hash, bytes } of uploads)
            assert.deepEqual(await findUpload(db, hash, undefined), bytes)
        })

        // Objects of replaced data are deleted, except for those of an embedded database, whose files are kept.
        const before = (await objectsOf(source)).rows.filter((object) => object !== null)
        assert.equal(before.length, 2)
        await bucket.objects.delete(before[0] ?? '')
        const again = join(source.dataDir, 'without-one.tar')
        const incomplete = await run(source, settings, 'backup', again)
        assert.match(incomplete.output, /1 uploaded picture is missing\. Check BUCKET_URL/)
        const replaced = await run(source, settings, 'restore', again, '--force')
        assert.equal(replaced.status, 0, replaced.errors)
        assert.deepEqual(await objectsOf(source), {
          rows: [before[0], null, null],
          stray: engine === 'server' ? [before[1]] : [],
        })
      } finally {
        await source.remove()
        await target.remove()
      }
    },
  )
})
