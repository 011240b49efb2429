import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codesOf, findingOf } from '#test/examination.ts'
import { examineServicesIn } from '#test/examine-services.ts'
import { bucketEnvironment, OBJECT_STORE_MISSING, startObjectStore } from '#test/object-store.ts'
import { freePort } from '#test/free-port.ts'
import { Bucket } from '../../storage/bucket.ts'

describe('the bucket check', { skip: OBJECT_STORE_MISSING }, () => {
  const { examineServices } = examineServicesIn()

  it('writes, reads and deletes an object, and reports what is wrong with the bucket', async () => {
    const store = await startObjectStore()
    try {
      const settings = await store.createBucket({ prefix: 'site/' })
      const environment = bucketEnvironment(settings)
      const examined = async (change: Record<string, string>) =>
        codesOf(await examineServices({ ...environment, ...change }), 'bucket')
      assert.deepEqual(await examined({}), [])
      assert.deepEqual(await new Bucket(settings).list(''), [])
      assert.deepEqual(await examined({ BUCKET_SECRET_KEY: 'wrong' }), ['error bucket.secret_key'])
      assert.deepEqual(await examined({ BUCKET_URL: `${settings.url}-missing` }), [
        'error bucket.missing',
      ])
      const away = await examineServices({
        ...environment,
        BUCKET_URL: `http://127.0.0.1:${await freePort()}/b`,
      })
      assert.equal(findingOf(away, 'bucket.unreachable')?.why, 'refused')
      store.pause()
      const silent = await examineServices(environment)
      store.resume()
      assert.equal(findingOf(silent, 'bucket.unreachable')?.why, 'silent')
    } finally {
      await store.stop()
    }
  })
})
