import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { signedInBrowser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import {
  bucketEnvironment,
  OBJECT_STORE_MISSING,
  startObjectStore,
  type TestObjectStore,
} from '#test/object-store.ts'
import { makeTestPicture } from '#test/picture-origin.ts'
import { spawnService, type ServiceProcess } from '#test/service-process.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { openDatabase, type OpenDatabase } from '../db/database.ts'
import { Bucket } from '../storage/bucket.ts'

const PASSWORD = 'a long enough one'
const PATH = '/account/profile/picture'

describe('processes that share a bucket for uploads', { skip: OBJECT_STORE_MISSING }, () => {
  let [place, store, database]: [TestDatabase?, TestObjectStore?, OpenDatabase?] = []
  let people = 0
  before(async () => {
    place = await createDatabase('server', 'empty')
    store = await startObjectStore()
    database = await openDatabase(place)
  })
  after(async () => {
    await database?.close()
    await store?.stop()
    await place?.remove()
  })

  async function start(amount: number) {
    assert.ok(place && store && database)
    const bucket = await store.createBucket({ contents: ['uploads'] })
    const environment = {
      DATABASE_URL: place.databaseUrl,
      DATA_DIR: place.dataDir,
      ...bucketEnvironment(bucket),
    }
    const services: ServiceProcess[] = []
    const spawnOne = async () => {
      const service = await spawnService(environment)
      services.push(service)
      return service
    }
    for (let started = 0; started < amount; started += 1) await spawnOne()
    const objects = new Bucket(bucket)
    const [one] = services
    assert.ok(one)
    return {
      db: database.db,
      store,
      services,
      spawnOne,
      one,
      isEmpty: async () => (await objects.list('')).length === 0,
      amount: async () => (await objects.list('')).length,
      stop: () => Promise.all(services.map((service) => service.stop('SIGKILL'))),
    }
  }
  type Running = Awaited<ReturnType<typeof start>>

  async function signIn({ db, one }: Running) {
    people += 1
    const email = `painter-${people}@example.com`
    const id = await addAccount(db, { email, name: 'Ei', password: PASSWORD })
    const browser = await signedInBrowser(one, { email, password: PASSWORD })
    return {
      id,
      async upload(side: number) {
        const body = new FormData()
        const page = await browser.get(PATH)
        body.set('_csrf', page.forms.find(({ action }) => action === PATH)?.fields['_csrf'] ?? '')
        body.set('picture', new File([new Uint8Array(await makeTestPicture(side, side))], 'a.jpg'))
        const response = await fetch(one.url + PATH, {
          method: 'POST',
          body,
          headers: { cookie: browser.cookieHeader(PATH), origin: one.url, accept: 'text/html' },
          redirect: 'manual',
        })
        return { status: response.status, text: await response.text() }
      },
      async picture() {
        const { rows } = await sql<{ picture: string | null }>`
          select picture from accounts where id = ${id}`.execute(db)
        return rows[0]?.picture ?? ''
      },
    }
  }

  it('serve each other’s pictures, return 503 while the bucket is silent, and empty it after the account is deleted', async () => {
    const running = await start(2)
    try {
      const { db, one, services, store } = running
      const { id, upload, picture } = await signIn(running)
      assert.equal((await upload(60)).status, 303)
      const path = await picture()
      const [mine, theirs] = await Promise.all(
        services.map(async ({ url }) => {
          const response = await fetch(url + path)
          assert.equal(response.status, 200)
          return Buffer.from(await response.arrayBuffer())
        }),
      )
      assert.deepEqual(mine, theirs)

      store.pause()
      const away = await fetch(one.url + path)
      assert.equal(away.status, 503, one.output())
      assert.equal(away.headers.get('retry-after'), '5')
      assert.doesNotMatch(away.headers.get('cache-control') ?? '', /immutable/)
      const refused = await upload(61)
      assert.equal(refused.status, 503)
      assert.match(refused.text, /Pictures can’t be stored right now/)
      assert.equal(await picture(), path)
      assert.match(one.output(), /Cannot store an uploaded picture in the bucket/)
      store.resume()
      const isBack = async () => (await fetch(one.url + path)).status === 200
      await eventually(isBack, 'the picture after a pause')
      assert.equal((await upload(61)).status, 303)

      await deleteAccount(db, id)
      assert.equal((await fetch(one.url + path)).status, 404)
      // The picture that was refused may have arrived, and is due in an hour.
      await sql`update stray_objects set due_at = now()`.execute(db)
      await eventually(running.isEmpty, 'an empty bucket')
      for (const { output } of services) assert.doesNotMatch(output(), /"status":500/)
    } finally {
      await running.stop()
    }
  })

  it('delete the object of a process that was killed before it wrote the row', async () => {
    const running = await start(1)
    try {
      const { db, one } = running
      const { id, upload, picture } = await signIn(running)
      await db.transaction().execute(async (trx) => {
        await sql`select from accounts where id = ${id} for update`.execute(trx)
        const lost = upload(62).catch(() => 'lost')
        await eventually(async () => (await running.amount()) === 1, 'an object')
        await one.stop('SIGKILL')
        assert.equal(await lost, 'lost')
      })
      assert.equal(await picture(), '')
      const { rows } = await sql`select from uploads where account_id = ${id}`.execute(db)
      assert.equal(rows.length, 0)
      await sql`update stray_objects set due_at = now()`.execute(db)
      await running.spawnOne()
      await eventually(running.isEmpty, 'an empty bucket')
    } finally {
      await running.stop()
    }
  })
})
