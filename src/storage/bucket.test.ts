import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it, mock } from 'node:test'
import { OBJECT_STORE_MISSING, startObjectStore, type TestObjectStore } from '#test/object-store.ts'
import { abortAbandoned } from '../backup/places/store-in-bucket.ts'
import type { BucketSettings } from '../config/config.ts'
import { Bucket } from './bucket.ts'
import { StorageError } from './storage-error.ts'
import { uploadParts } from './upload-parts.ts'

const MEBIBYTE = 2 ** 20
const DAY_MS = 86_400_000

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}

async function* inChunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
}

describe('a bucket', { skip: OBJECT_STORE_MISSING }, () => {
  let store: TestObjectStore
  before(async () => {
    store = await startObjectStore()
  })
  after(() => store.stop())

  const openBucket = async (settings: Partial<BucketSettings> = {}) =>
    new Bucket(await store.createBucket(settings))

  it('reads, lists and deletes objects', async () => {
    const bucket = await openBucket()
    for (const name of ['b/2.avif', 'a/1.tar', 'b/1.avif'])
      await bucket.write(name, Buffer.from(`content of ${name}`))
    await bucket.write('b/2.avif', Buffer.from('replaced'))
    assert.equal((await bucket.read('b/2.avif'))?.toString(), 'replaced')
    assert.deepEqual(
      (await bucket.list('b/')).map(({ name, bytes }) => ({ name, bytes })),
      [
        { name: 'b/1.avif', bytes: 19 },
        { name: 'b/2.avif', bytes: 8 },
      ],
    )
    const [listed] = await bucket.list('a/')
    assert.ok(listed && Math.abs(listed.modifiedAt - Date.now()) < DAY_MS)
    await bucket.delete('b/2.avif')
    await bucket.delete('b/2.avif')
    assert.equal(await bucket.read('b/2.avif'), undefined)
    assert.equal(await bucket.find('b/2.avif'), undefined)
    assert.deepEqual(
      (await bucket.list('')).map(({ name }) => name),
      ['a/1.tar', 'b/1.avif'],
    )
  })

  it('reads and deletes only objects under its prefix', async () => {
    const settings = await store.createBucket()
    const other = new Bucket(settings)
    const bucket = new Bucket({ ...settings, prefix: 'sites/mokuroku/' })
    await other.write('backups/a', Buffer.from('of another program'))
    await bucket.write('backups/a', Buffer.from('ours'))
    assert.equal((await bucket.read('backups/a'))?.toString(), 'ours')
    assert.deepEqual(
      (await bucket.list('')).map(({ name }) => name),
      ['backups/a'],
    )
    await bucket.delete('backups/a')
    assert.equal((await other.read('backups/a'))?.toString(), 'of another program')
  })

  it('stores a stream in parts, and returns it in pieces', async () => {
    const bucket = await openBucket({ prefix: 'p/' })
    const bytes = randomBytes(34 * MEBIBYTE + 7)
    assert.equal(await uploadParts(bucket, 'large', inChunks(bytes)), bytes.length)
    const facts = await bucket.find('large')
    assert.ok(facts)
    assert.equal(facts.bytes, bytes.length)
    assert.ok((await collect(bucket.readPieces('large', facts))).equals(bytes))
    assert.deepEqual(await bucket.listUploads(''), [])
  })

  it('rejects the rest of an object that is replaced while it is read', async () => {
    const bucket = await openBucket()
    await uploadParts(bucket, 'large', inChunks(randomBytes(9 * MEBIBYTE)))
    const facts = await bucket.find('large')
    assert.ok(facts)
    const pieces = bucket.readPieces('large', facts)
    await pieces.next()
    await uploadParts(bucket, 'large', inChunks(randomBytes(9 * MEBIBYTE)))
    await assert.rejects(pieces.next(), /has replaced the object while it was read/)
  })

  it('aborts an upload that fails before it is complete', async () => {
    const bucket = await openBucket()
    const failing = async () => Promise.reject(new Error('not what was written'))
    await assert.rejects(
      uploadParts(bucket, 'broken', inChunks(randomBytes(17 * MEBIBYTE)), {
        beforeComplete: failing,
      }),
      /not what was written/,
    )
    async function* broken() {
      yield randomBytes(17 * MEBIBYTE)
      throw new Error('the source ends')
    }
    await assert.rejects(uploadParts(bucket, 'broken', broken()), /the source ends/)
    assert.deepEqual(await bucket.list(''), [])
    assert.deepEqual(await bucket.listUploads(''), [])
  })

  it('never lists an interrupted upload, and aborts it after a day', async () => {
    const bucket = await openBucket()
    const { client } = bucket
    const started = await client.sendForXml(
      { method: 'POST', name: 'backups/cut.tar', query: { uploads: '' } },
      'InitiateMultipartUploadResult',
    )
    assert.ok(started)
    assert.deepEqual(await bucket.list('backups/'), [])
    await abortAbandoned(bucket)
    assert.equal((await bucket.listUploads('backups/')).length, 1)
    const [upload] = await bucket.listUploads('backups/')
    assert.ok(upload)
    // The test cannot change the clock of the bucket, so it backdates the upload.
    mock.method(bucket, 'listUploads', async () => [
      { ...upload, startedAt: upload.startedAt - 2 * DAY_MS },
    ])
    await abortAbandoned(bucket)
    mock.restoreAll()
    assert.deepEqual(await bucket.listUploads('backups/'), [])
  })

  const faults: [name: string, change: Partial<BucketSettings>, fault: string, message: RegExp][] =
    [
      ['a wrong secret key', { secretKey: 'wrong-secret' }, 'secret_key', /BUCKET_SECRET_KEY/],
      ['an unknown access key', { accessKey: 'test:other' }, 'secret_key', /BUCKET_ACCESS_KEY/],
      ['a wrong region', { region: 'eu-west-1' }, 'region', /BUCKET_REGION/],
    ]
  for (const [name, change, fault, message] of faults)
    it(`reports ${name} in one line`, async () => {
      const settings = { ...(await store.createBucket()), ...change }
      await assert.rejects(new Bucket(settings).write('a', Buffer.from('a')), (error: unknown) => {
        assert.ok(error instanceof StorageError)
        assert.equal(error.fault, fault)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /\n/)
        assert.ok(
          !JSON.stringify([error.message, error.stack, error.cause]).includes(settings.secretKey),
        )
        return true
      })
    })

  it('reports that the bucket is missing, for reads and writes', async () => {
    const settings = await store.createBucket()
    const bucket = new Bucket({ ...settings, url: `${settings.url}-missing` })
    for (const use of [
      () => bucket.list(''),
      () => bucket.read('a'),
      () => bucket.write('a', Buffer.from('a')),
      () => uploadParts(bucket, 'a', inChunks(Buffer.from('a'))),
    ])
      await assert.rejects(use, { fault: 'missing', isTransient: false })
  })

  it('reports that the clock is wrong', async () => {
    const bucket = await openBucket()
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 2 * DAY_MS })
    try {
      await assert.rejects(bucket.list(''), {
        fault: 'clock',
        message: /the clock of this machine/,
      })
    } finally {
      mock.timers.reset()
    }
  })

  it('times out while the server is suspended, and works once it resumes', async () => {
    const settings = await store.createBucket()
    const bucket = new Bucket(settings, { limits: { maxAttempts: 2, retryMs: 1, timeoutMs: 300 } })
    store.pause()
    try {
      await assert.rejects(bucket.read('a'), {
        fault: 'unreachable',
        message: /no response in time/,
      })
    } finally {
      store.resume()
    }
    await new Bucket(settings).write('a', Buffer.from('a'))
    assert.equal((await new Bucket(settings).read('a'))?.toString(), 'a')
  })
})
