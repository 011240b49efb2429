import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '#test/databases.ts'
import { bucketEnvironment, OBJECT_STORE_MISSING, startObjectStore } from '#test/object-store.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { makeTestPicture, startPictureOrigin } from '#test/picture-origin.ts'
import { spawnService, type ServiceProcess } from '#test/service-process.ts'
import { Bucket } from '../../storage/bucket.ts'
import { SharedCache } from '../../storage/shared-cache.ts'
import { isPicture } from '../../uploads/load-sharp.ts'

describe('pictures in a bucket', { skip: OBJECT_STORE_MISSING }, () => {
  it('are fetched once for two processes with separate disks, and shown while the bucket is unavailable', async () => {
    const [place, origin, store] = [
      await createDatabase('server', 'sample'),
      await startPictureOrigin(),
      await startObjectStore(),
    ]
    const bucket = await store.createBucket()
    const running: ServiceProcess[] = []
    try {
      const picture = await makeTestPicture()
      const covers = ['/first.jpg', '/second.jpg', '/third.jpg'].map((path) => ({
        url: origin.show(path, picture),
        width: 400,
        height: 600,
        sexual: 0,
        violence: 0,
      }))
      const id = await withTestDatabase(place, async (db) => {
        const { rows } = await sql<{ id: number }>`
          update galgames set covers = ${JSON.stringify(covers)}::jsonb
          where id = (select min(id) from works where kind = 'galgame' and not nsfw)
          returning id`.execute(db)
        return rows[0]?.id
      })
      for (const machine of ['one', 'two'])
        running.push(
          await spawnService({
            DATABASE_URL: place.databaseUrl,
            DATA_DIR: join(place.dataDir, machine),
            IMAGE_ORIGINS: origin.url,
            ...bucketEnvironment(bucket),
          }),
        )
      const [one, two] = running
      assert.ok(one && two)
      const get = async ({ url }: ServiceProcess, file: string) => {
        const response = await fetch(`${url}/images/galgames/${id}/${file}`)
        assert.equal(response.status, 200, `${file}: ${two.output()}`)
        assert.match(response.headers.get('content-type') ?? '', /^image\/(webp|jpeg|avif)$/)
        return Buffer.from(await response.arrayBuffer())
      }

      const encoded = await get(one, '0-320.webp')
      assert.ok((await get(two, '0-320.webp')).equals(encoded))
      // A new variant is encoded from the original in the bucket.
      await get(two, '0-160.jpg')
      assert.deepEqual(origin.requests, ['200 /first.jpg'])

      const both = await Promise.all([get(one, '1-320.webp'), get(two, '1-320.webp')])
      assert.ok(both[0].equals(both[1]))

      const stored = await new Bucket(bucket).list('pictures/')
      assert.equal(stored.length, 5, JSON.stringify(stored))

      await store.stop()
      await get(two, '2-320.webp')
      await get(two, '2-160.webp')
      assert.equal(
        two.output().split('Cannot use the bucket; pictures are fetched without it').length,
        2,
        two.output(),
      )
      assert.ok(!two.output().includes(bucket.secretKey))
    } finally {
      for (const service of running) await service.stop()
      await store.stop()
      await origin.close()
      await place.remove()
    }
  })

  it('are read from the bucket only if they are pictures', async () => {
    const store = await startObjectStore()
    try {
      const objects = new Bucket(await store.createBucket())
      const failures: unknown[] = []
      const cache = new SharedCache(objects, {
        folder: 'pictures/',
        isValid: isPicture,
        onFailure: (error) => failures.push(error),
      })
      await objects.write('pictures/a', Buffer.from('<script>alert(1)</script>'))
      assert.equal(await cache.read('a'), undefined)
      const picture = await makeTestPicture()
      await cache.write('a', picture)
      assert.ok((await cache.read('a'))?.equals(picture))
      await cache.remove('a')
      assert.equal(await cache.read('a'), undefined)
      assert.deepEqual(failures, [])
    } finally {
      await store.stop()
    }
  })
})
