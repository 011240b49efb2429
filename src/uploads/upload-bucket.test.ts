import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { eventually } from '#test/browser.ts'
import { describeOnEachDatabase } from '#test/databases.ts'
import { OBJECT_STORE_MISSING, startObjectStore, type TestObjectStore } from '#test/object-store.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { makeTestPicture } from '#test/picture-origin.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { Bucket } from '../storage/bucket.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { UploadBucket } from './upload-bucket.ts'
import { deleteUnusedUpload, findUpload, saveUpload } from './upload-queries.ts'
import { deleteStrayObjects, moveUploads, startUploadTask } from './upload-task.ts'

describeOnEachDatabase('an uploaded picture in a bucket', (engine) => {
  let store: TestObjectStore
  let database: OpenTestDatabase
  let people = 0
  before(async () => {
    if (OBJECT_STORE_MISSING !== false) return
    store = await startObjectStore()
    database = await openTestDatabase(engine, 'empty')
  })
  after(async () => {
    await database?.remove()
    await store?.stop()
  })
  const test = (name: string, body: () => Promise<void>) => {
    void it(name, { skip: OBJECT_STORE_MISSING }, async () => {
      await clear()
      await body()
    })
  }

  async function openBucket(change: Partial<ObjectStore> = {}, isUsed = true) {
    const objects = new Bucket(await store.createBucket())
    const failures: unknown[] = []
    const changed: ObjectStore = {
      address: objects.address,
      list: (prefix) => objects.list(prefix),
      read: (name) => objects.read(name),
      write: (name, bytes) => objects.write(name, bytes),
      delete: (name) => objects.delete(name),
      ...change,
    }
    const bucket: UploadBucket = {
      objects: changed,
      isUsed,
      onFailure: (error) => failures.push(error),
    }
    const names = async () => (await objects.list('')).map(({ name }) => name)
    return { bucket, objects, failures, names }
  }
  async function createUploader() {
    people += 1
    return addAccount(database.db, {
      email: `painter-${people}@example.org`,
      name: 'Ei',
      password: 'a long enough one',
    })
  }
  async function upload(accountId: number, bucket: UploadBucket | undefined, side = 40 + people) {
    const saved = await saveUpload(
      database.db,
      accountId,
      await makeTestPicture(side, side),
      bucket,
    )
    assert.ok('hash' in saved, JSON.stringify(saved))
    return saved.hash
  }
  const rowsOf = async (accountId: number) =>
    database.db
      .selectFrom('uploads')
      .select(['bytes', 'object'])
      .where('account_id', '=', accountId)
      .execute()
  const strayNames = async () => {
    const rows = await database.db.selectFrom('stray_objects').select('name').execute()
    return rows.map(({ name }) => name)
  }
  /** Discards what the previous tests have left. */
  const clear = async () => {
    await sql`delete from uploads`.execute(database.db)
    await sql`delete from stray_objects`.execute(database.db)
  }
  const unavailable = { code: 'COMMON_SERVICE_UNAVAILABLE' }

  test('is one object per row, which is deleted after the row', async () => {
    const { db } = database
    const { bucket, names } = await openBucket()
    const [one, other] = [await createUploader(), await createUploader()]
    const hash = await upload(one, bucket, 50)
    assert.equal(await upload(other, bucket, 50), hash)
    const [row] = await rowsOf(one)
    assert.equal(row?.bytes, null)
    assert.match(row?.object ?? '', /^uploads\/[\da-f-]{36}$/)
    assert.equal((await names()).length, 2)
    assert.deepEqual(await strayNames(), [])

    await deleteAccount(db, one)
    assert.deepEqual(await strayNames(), [row?.object])
    await deleteStrayObjects(db, bucket.objects)
    assert.deepEqual(await strayNames(), [])
    assert.deepEqual(await names(), [(await rowsOf(other))[0]?.object])
    assert.ok(await findUpload(db, hash, bucket))

    await deleteUnusedUpload(db, other, hash)
    assert.equal(await findUpload(db, hash, bucket), undefined)
    await deleteStrayObjects(db, bucket.objects)
    assert.deepEqual(await names(), [])
  })

  test('has a new object after it is uploaded again', async () => {
    const { db } = database
    const { bucket, names } = await openBucket()
    const id = await createUploader()
    const hash = await upload(id, bucket)
    const [before] = await rowsOf(id)
    assert.equal(await upload(id, bucket), hash)
    const [row] = await rowsOf(id)
    assert.deepEqual(await strayNames(), [before?.object])
    await deleteStrayObjects(db, bucket.objects)
    assert.deepEqual(await names(), [row?.object])
  })

  test('is rejected if the deletion of its object has begun', async () => {
    const { db } = database
    const { bucket } = await openBucket({
      async write() {
        await sql`update stray_objects set due_at = now()`.execute(db)
        await assert.rejects(deleteStrayObjects(db, bucket.objects), StorageError)
      },
      async delete() {
        throw new StorageError('The bucket is away.')
      },
    })
    const id = await createUploader()
    await assert.rejects(async () => upload(id, bucket), unavailable)
    assert.deepEqual(await rowsOf(id), [])
    assert.equal((await strayNames()).length, 1)
  })

  test('is rejected without a row while the bucket is unavailable, and served again later', async () => {
    const { db } = database
    let isAway = false
    const check = () => {
      if (isAway) throw new StorageError('The bucket is away.')
    }
    const { objects } = await openBucket()
    const { bucket, failures } = await openBucket({
      read: async (name) => (check(), objects.read(name)),
      write: async (name, bytes) => (check(), objects.write(name, bytes)),
    })
    const id = await createUploader()
    const hash = await upload(id, bucket)
    isAway = true
    assert.deepEqual(await saveUpload(db, id, await makeTestPicture(80, 80), bucket), {
      fault: 'picture_unavailable',
    })
    assert.equal(failures.length, 1)
    assert.equal((await rowsOf(id)).length, 1)
    await assert.rejects(findUpload(db, hash, bucket), unavailable)
    assert.equal(await findUpload(db, hash, undefined), undefined)
    isAway = false
    assert.ok(await findUpload(db, hash, bucket))
  })

  test('is not found if its object is missing or was replaced', async () => {
    const { db } = database
    const { bucket, objects } = await openBucket()
    const id = await createUploader()
    const hash = await upload(id, bucket)
    const name = (await rowsOf(id))[0]?.object ?? ''
    await objects.write(name, Buffer.from('<script>alert(1)</script>'))
    assert.equal(await findUpload(db, hash, bucket), undefined)
    await objects.delete(name)
    assert.equal(await findUpload(db, hash, bucket), undefined)
    // Another upload of the same picture repairs it, also that of another account.
    await upload(await createUploader(), bucket, 40 + people - 1)
    assert.ok(await findUpload(db, hash, bucket))
    await upload(id, bucket, 40 + people - 1)
    assert.ok(await findUpload(db, hash, bucket))
  })

  test('is found if the latest upload of another account is missing', async () => {
    const { db } = database
    const { bucket, objects } = await openBucket()
    const [one, other] = [await createUploader(), await createUploader()]
    const hash = await upload(one, bucket, 52)
    assert.equal(await upload(other, bucket, 52), hash)
    await objects.delete((await rowsOf(other))[0]?.object ?? '')
    assert.ok(await findUpload(db, hash, bucket))
  })

  test('is refused at once while the bucket cannot be reached', async () => {
    const { db } = database
    let reads = 0
    const { bucket } = await openBucket({
      async read() {
        reads += 1
        throw new StorageError('The bucket is away.', { fault: 'unreachable' })
      },
    })
    const hash = await upload(await createUploader(), bucket)
    for (const _ of [1, 2, 3]) await assert.rejects(findUpload(db, hash, bucket), unavailable)
    assert.equal(reads, 1)
  })

  test('leaves no object if the account has too many', async () => {
    const { db } = database
    const { bucket, names } = await openBucket()
    const id = await createUploader()
    await sql`
      insert into uploads (account_id, hash, bytes)
      select ${id}, lpad(number::text, 43, 'x'), 'x' from generate_series(1, 40) number`.execute(db)
    assert.deepEqual(await saveUpload(db, id, await makeTestPicture(53, 53), bucket), {
      fault: 'picture_too_many',
    })
    assert.deepEqual(await names(), [])
    assert.deepEqual(await strayNames(), [])
  })

  test('is deleted and moved although the bucket keeps another one', async () => {
    const { db } = database
    const { objects } = await openBucket()
    const tried: string[] = []
    const { bucket } = await openBucket({
      async delete(name) {
        tried.push(name)
        if (name === 'uploads/kept') throw new StorageError('It is retained.', { fault: 'denied' })
        return objects.delete(name)
      },
    })
    await sql`
      insert into stray_objects (name, due_at)
      values ('uploads/kept', now() - interval '1 hour'), ('uploads/other', now())`.execute(db)
    const id = await createUploader()
    await upload(id, undefined)
    const warnings: unknown[] = []
    const task = startUploadTask(db, bucket, { warn: (facts: unknown) => warnings.push(facts) })
    task.wake()
    await eventually(async () => warnings.length > 0, 'a warning')
    await task.stop()
    assert.deepEqual(tried, ['uploads/kept', 'uploads/other'])
    assert.deepEqual(await strayNames(), ['uploads/kept'])
    assert.ok((await rowsOf(id))[0]?.object)

    const stopping = AbortSignal.abort()
    await sql`update stray_objects set due_at = now()`.execute(db)
    await assert.rejects(deleteStrayObjects(db, bucket.objects, stopping), { name: 'AbortError' })
    assert.equal(tried.length, 2)
    await assert.rejects(moveUploads(db, { ...bucket, isUsed: false }, 0, stopping))
  })

  test('is reported if it cannot be moved back', async () => {
    const { db } = database
    const { bucket, objects } = await openBucket()
    const id = await createUploader()
    await upload(id, bucket)
    await objects.delete((await rowsOf(id))[0]?.object ?? '')
    const warnings: unknown[] = []
    const task = startUploadTask(
      db,
      { ...bucket, isUsed: false },
      { warn: (facts: unknown) => warnings.push(facts) },
    )
    task.wake()
    await eventually(async () => warnings.length > 0, 'a warning')
    await task.stop()
    assert.deepEqual(warnings, [{ missing_uploads: 1 }])
  })

  test('is moved into the bucket and back into the database', async () => {
    const { db } = database
    const { bucket, names } = await openBucket()
    const id = await createUploader()
    const hash = await upload(id, undefined)
    const bytes = await findUpload(db, hash, undefined)
    const last = await moveUploads(db, bucket, 0)
    assert.ok(last !== undefined)
    assert.equal(await moveUploads(db, bucket, last), undefined)
    assert.deepEqual(await names(), [(await rowsOf(id))[0]?.object])
    assert.deepEqual(await findUpload(db, hash, bucket), bytes)
    assert.deepEqual(await strayNames(), [])

    await moveUploads(db, { ...bucket, isUsed: false }, 0)
    assert.deepEqual(await findUpload(db, hash, undefined), bytes)
    await deleteStrayObjects(db, bucket.objects)
    assert.deepEqual(await names(), [])
  })

  test('leaves no object behind if it is deleted while it is moved', async () => {
    const { db } = database
    const { objects } = await openBucket()
    const id = await createUploader()
    const hash = await upload(id, undefined)
    const { bucket } = await openBucket({
      async write(name, bytes) {
        await objects.write(name, bytes)
        await deleteUnusedUpload(db, id, hash)
      },
    })
    await moveUploads(db, bucket, 0)
    const stray = await strayNames()
    assert.deepEqual(
      stray,
      (await objects.list('')).map(({ name }) => name),
    )
    assert.equal(stray.length, 1)
  })
})
