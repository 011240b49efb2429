import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { createDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { startMokuroku, temporaryFolder } from '#test/program.ts'
import { startService } from '#test/service.ts'
import { openDatabase } from '../database.ts'

const MEBIBYTE = 2 ** 20
const NO_MOUNT = 'no file system can be mounted here'

/** Mounts a small disk for the test, or returns `undefined` if the machine does not permit it. */
function mountSmallDisk() {
  const { path, remove } = temporaryFolder()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', path])
  if (mounted.status !== 0) {
    remove()
    return undefined
  }
  const release = () => {
    spawnSync('umount', ['-l', path])
    remove()
  }
  return { path, release }
}

const until = (condition: () => boolean | Promise<boolean>) =>
  eventually(condition, 'the change', 15_000)

describe('a nearly full disk', () => {
  it('makes the embedded database reject only writes until there is free space', async () => {
    const database = await createDatabase('embedded', 'empty')
    let free = 1_000 * MEBIBYTE
    const { db, close } = await openDatabase(database, undefined, {
      freeBytes: async () => free,
      intervalMs: 5,
    })
    const write = () => db.insertInto('installation').values({ name: 'a', value: '{}' }).execute()
    const remove = () => db.deleteFrom('installation').where('name', '=', 'a').execute()
    const read = () => sql`select name from installation for update`.execute(db)
    const refuses = async (statement: () => Promise<unknown>) => {
      try {
        await statement()
        return false
      } catch (error) {
        assert.ok(
          error instanceof Error && 'code' in error && error.code === '53100',
          String(error),
        )
        return true
      }
    }
    try {
      await until(() => existsSync(join(database.dataDir, 'reserve')))
      await write()
      free = 31 * MEBIBYTE
      await until(() => refuses(remove))
      assert.ok(await refuses(write))
      await read()
      free = 40 * MEBIBYTE
      await until(async () => !(await refuses(remove)))
      await write()
    } finally {
      await close()
      await database.remove()
    }
  })

  it('makes the embedded database reject writes while there is too little space for its reserve file', async () => {
    const database = await createDatabase('embedded', 'empty')
    rmSync(join(database.dataDir, 'reserve'), { force: true })
    let free = 63 * MEBIBYTE
    const { db, close } = await openDatabase(database, undefined, {
      freeBytes: async () => free,
      intervalMs: 5,
    })
    const isWritten = () =>
      db
        .deleteFrom('installation')
        .execute()
        .then(
          () => true,
          ({ code }: { code?: string }) => {
            assert.equal(code, '53100')
            return false
          },
        )
    try {
      await until(async () => !(await isWritten()))
      assert.ok(!existsSync(join(database.dataDir, 'reserve')))
      free = 64 * MEBIBYTE
      await until(isWritten)
      assert.ok(existsSync(join(database.dataDir, 'reserve')))
    } finally {
      await close()
      await database.remove()
    }
  })

  let disk: ReturnType<typeof mountSmallDisk>
  before(() => {
    disk = mountSmallDisk()
  })
  after(() => disk?.release())
  const freeBytesOf = (path: string) => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  }
  /** Copies a database with the sample to the small disk. */
  async function copyTemplate(path: string) {
    const template = await createDatabase('embedded', 'sample')
    const dataDir = join(path, 'data')
    rmSync(dataDir, { recursive: true, force: true })
    mkdirSync(dataDir)
    cpSync(template.dataDir, dataDir, { recursive: true })
    await template.remove()
    return dataDir
  }

  it('makes the service return 503 for writes until there is free space, and blocks neither the service nor its shutdown', async (test) => {
    if (!disk) return test.skip(NO_MOUNT)
    const { path } = disk
    const dataDir = await copyTemplate(path)
    const service = await startService({
      database: { databaseUrl: undefined, dataDir, remove: async () => {} },
    })
    const filler = join(path, 'filler')
    const freeBytes = () => freeBytesOf(path)
    async function fillDisk() {
      await until(() => existsSync(join(dataDir, 'reserve')))
      writeFileSync(filler, Buffer.alloc(freeBytes()))
      // Fills only the log until it has to grow, as writes do in the second before the full disk is noticed.
      for (let times = 0; existsSync(join(dataDir, 'reserve')); times += 1) {
        assert.ok(times < 20, 'the log never grew')
        await sql`select pg_logical_emit_message(false, 'a', repeat('a', 4000000))`.execute(
          service.db,
        )
      }
    }
    let closing: Promise<void> | undefined
    const close = () => (closing ??= service.close())
    try {
      const app = await service.createApp()
      const token = await service.token()
      const redirectUris = ['https://a.example/']
      const { clientId } = await service.createApp({ scopes: ['user:read'], redirectUris })
      const authorization = {
        client_id: clientId,
        redirect_uri: 'https://a.example/',
        response_type: 'code',
        scope: 'user:read',
        state: 'a',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      }
      await fillDisk()
      assert.equal((await service.get('/health/ready')).status, 200)
      assert.equal((await service.get('/v3/galgames/1', token)).status, 200)
      const refused = await service.createApp().then(
        () => 'nothing',
        (error: unknown) => String(error),
      )
      assert.match(refused, /space on the disk|No space left/)
      const begun = await service.get(`/oidc/auth?${new URLSearchParams(authorization).toString()}`)
      assert.equal(begun.status, 503)
      assert.ok(Number(begun.headers.get('retry-after')) >= 1)
      rmSync(filler)
      await until(() =>
        service.createApp().then(
          () => true,
          () => false,
        ),
      )
      assert.equal((await service.requestToken(app)).status, 200)

      await fillDisk()
      const from = performance.now()
      await close()
      const took = performance.now() - from
      assert.ok(took < 9_000, `it took ${took} ms to close on a full disk`)
      assert.ok(
        freeBytes() < 33 * MEBIBYTE,
        `which it still is, but for the reserve: ${freeBytes()}`,
      )
    } finally {
      await close()
      rmSync(filler)
    }
  })

  it('does not prevent a program from stopping at SIGTERM, and starting again once there is free space', async (test) => {
    if (!disk) return test.skip(NO_MOUNT)
    const dataDir = await copyTemplate(disk.path)
    const filler = join(disk.path, 'filler')
    const url = `http://127.0.0.1:${await freePort()}`
    const environment = { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: new URL(url).port }
    const start = async () => {
      const program = startMokuroku(['serve', '--no-demo'], { environment })
      await program.waitForOutput('mokuroku listens')
      return program
    }
    let program = await start()
    try {
      const stores = async () => (await fetch(`${url}/oidc/device`)).status
      assert.equal(await stores(), 200)
      await until(() => existsSync(join(dataDir, 'reserve')))
      writeFileSync(filler, Buffer.alloc(freeBytesOf(disk.path)))
      await until(async () => (await stores()) === 503)
      const startedAt = performance.now()
      const { status, errors } = await program.end('SIGTERM')
      assert.equal(status, 0, errors)
      assert.ok(performance.now() - startedAt < 10_000, 'within the time that shutdown may take')
      rmSync(filler)
      program = await start()
      assert.equal(await stores(), 200)
    } finally {
      await program.end()
    }
  })
})
