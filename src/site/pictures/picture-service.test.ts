import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { temporaryFolder } from '#test/program.ts'
import { PictureError, PicturesBusyError } from './picture-errors.ts'
import { PictureStore, type StoredPicture } from './picture-store.ts'
import { PictureService, type PicturesOptions } from './picture-service.ts'

const VARIANT = { width: 160, format: 'webp', blurred: false } as const

describe('PictureService', () => {
  let origin: PictureOrigin
  let bytes: Buffer
  let folder: string
  let remove: () => void
  before(async () => {
    origin = await startPictureOrigin()
    bytes = await makeTestPicture()
  })
  after(() => origin.close())
  beforeEach(() => {
    ;({ path: folder, remove } = temporaryFolder())
    origin.requests.length = 0
  })
  afterEach(() => {
    mock.restoreAll()
    remove()
  })

  const open = (options: Partial<PicturesOptions> = {}) =>
    new PictureService({
      folder,
      maxBytes: 10_000_000,
      freeBytes: async () => 10 ** 12,
      fetch: { origins: [origin.url], limits: { maxBytes: 100_000, timeoutMs: 300 } },
      ...options,
    })
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  const read = async (found: StoredPicture | Buffer) => {
    if (Buffer.isBuffer(found)) return found
    const whole = await found.file.readFile()
    await found.file.close()
    return whole
  }

  it('fetches a picture once for all concurrent requests and variants', async () => {
    const url = origin.show('/once.jpg', bytes)
    const pictures = open()
    const widths = [160, 320, 640, 160, 160] as const
    const pictureFiles = await Promise.all(
      widths.map((width) => pictures.find(url, { ...VARIANT, width })),
    )
    assert.equal(pictureFiles.filter((item) => item === pictureFiles[0]).length, 3)
    await pictures.find(url, { ...VARIANT, format: 'jpg' })
    assert.deepEqual(origin.requests, ['200 /once.jpg'])
    // Simulates a restart or another process.
    const repeated = await open().find(url, VARIANT)
    assert.ok(!Buffer.isBuffer(repeated))
    assert.deepEqual(await read(repeated), pictureFiles[0])
    assert.equal(origin.requests.length, 1)
  })

  /** Advances the clock by which cached failures expire. */
  const pass = async (milliseconds: number) => {
    // The cache reads its clock at most once per millisecond.
    await sleep(5)
    const now = performance.now.bind(performance)
    mock.method(performance, 'now', () => now() + milliseconds)
  }
  /** Uses a timeout that is long enough on a busy machine. */
  const patient = () =>
    open({ fetch: { origins: [origin.url], limits: { maxBytes: 100_000, timeoutMs: 5_000 } } })
  /**
   * Requests a picture for which the source returns an error.
   * @returns whether the source received a request
   */
  async function reachesSource(pictures: PictureService, path: string, status = 503) {
    let isRequested = false
    origin.at(path, (_request, response) => {
      isRequested = true
      response.writeHead(status).end()
    })
    await assert.rejects(pictures.find(`${origin.url}${path}`, VARIANT), PictureError)
    return isRequested
  }

  it('retries a transient failure after a minute, and a permanent one after an hour', async () => {
    const pictures = patient()
    const areRequested = async () => [
      await reachesSource(pictures, '/missing', 404),
      await reachesSource(pictures, '/down'),
    ]
    assert.deepEqual(await areRequested(), [true, true])
    assert.deepEqual(await areRequested(), [false, false])
    await pass(50_000)
    assert.deepEqual(await areRequested(), [false, false])
    await pass(11_000)
    assert.deepEqual(await areRequested(), [false, true])
    await pass(3_600_000 - 111_000)
    assert.deepEqual(await areRequested(), [false, true])
    await pass(51_000)
    assert.equal(await reachesSource(pictures, '/missing', 404), true)
  })

  it('skips a host for a minute after eight consecutive failures', async () => {
    const pictures = patient()
    const timesRequested = async (name: string, times: number) => {
      let requests = 0
      for (let number = 0; number < times; number += 1)
        if (await reachesSource(pictures, `/${name}${number}`)) requests += 1
      return requests
    }
    assert.equal(await timesRequested('a', 7), 7)
    await pictures.find(origin.show('/good.jpg', bytes), VARIANT)
    assert.equal(await timesRequested('b', 12), 8)
    await assert.rejects(
      pictures.find(origin.show('/other.jpg', bytes), VARIANT),
      /skipped after repeated failures/,
    )
    await pass(50_000)
    assert.equal(await timesRequested('c', 1), 0)
    await pass(11_000)
    assert.equal(await timesRequested('d', 1), 1)
  })

  it('does not store unreadable pictures', async () => {
    const url = origin.show('/half.jpg', bytes.subarray(0, 900))
    await assert.rejects(open().find(url, VARIANT), PictureError)
    assert.deepEqual(files(), [])
  })

  it('limits concurrent jobs, and rejects requests beyond the queue at once', async () => {
    let open_ = 0
    let max = 0
    for (let number = 0; number < 100; number += 1)
      origin.at(`/slow${number}`, (_request, response) => {
        open_ += 1
        max = Math.max(max, open_)
        response.on('close', () => (open_ -= 1))
      })
    // Long enough for all hundred requests to arrive on a busy machine.
    const fetch = { origins: [origin.url], limits: { maxBytes: 100_000, timeoutMs: 3_000 } }
    const pictures = open({ waitMs: 1_500, fetch })
    /** Outcomes in the order in which the requests settled. */
    const refusals: unknown[] = []
    await Promise.all(
      Array.from({ length: 100 }, (_, number) =>
        pictures
          .find(`${origin.url}/slow${number}`, VARIANT)
          .catch((error: unknown) => refusals.push(error)),
      ),
    )
    assert.equal(refusals.length, 100)
    assert.ok(refusals.every((refusal) => refusal instanceof PicturesBusyError))
    assert.equal(max, 4)
    const isAtOnce = refusals.map((refusal) => String(refusal).includes('Too many'))
    const atOnce = 100 - 4 - 64
    assert.deepEqual(isAtOnce, [
      ...Array<true>(atOnce).fill(true),
      ...Array<false>(100 - atOnce).fill(false),
    ])
  })

  it('evicts the least recently used pictures when the store is full', async () => {
    const store = new PictureStore({
      folder,
      maxBytes: 10_000,
      freeBytes: async () => 10 ** 12,
      touchAfterMs: 0,
    })
    for (const name of ['aa1', 'bb2', 'cc3', 'dd4']) {
      assert.ok(await store.write(name, Buffer.alloc(2_400)))
      const path = join(folder, name.slice(0, 2), name)
      const used = new Date(Date.now() - 1_000_000 + files().length * 1_000)
      utimesSync(path, used, used)
    }
    // Another process has just used this picture.
    await (
      await new PictureStore({ folder, maxBytes: 10_000, touchAfterMs: 0 }).open('aa1')
    )?.file.close()
    const later = new PictureStore({ folder, maxBytes: 10_000, freeBytes: async () => 10 ** 12 })
    assert.ok(await later.write('ee5', Buffer.alloc(2_400)))
    assert.deepEqual(
      files()
        .map((path) => path.slice(-3))
        .toSorted(),
      ['aa1', 'dd4', 'ee5'],
    )
    for (let number = 0; number < 30; number += 1) {
      await later.write(`f${number}`, Buffer.alloc(2_000))
      assert.ok(files().reduce((sum, path) => sum + statSync(path).size, 0) <= 10_000)
    }
    assert.equal(await later.write('gg1', Buffer.alloc(10_001)), false)
  })

  it('frees a tenth of the store’s size limit when it evicts pictures', async () => {
    const store = new PictureStore({ folder, maxBytes: 10_000, freeBytes: async () => 10 ** 12 })
    const write = async (name: string) => {
      await store.write(name, Buffer.alloc(1_000))
      return files().length
    }
    for (let number = 0; number < 10; number += 1) await write(`${number}${number}x`)
    assert.equal(files().length, 10)
    assert.equal(await write('aax'), 9, 'a tenth of the limit is free')
    assert.equal(await write('bbx'), 10)
    assert.equal(await write('ccx'), 9)
  })

  it('counts the pictures stored by other processes every ten minutes', async () => {
    const options = { folder, maxBytes: 10_000, freeBytes: async () => 10 ** 12 }
    const [store, other] = [new PictureStore(options), new PictureStore(options)]
    await store.write('aa1', Buffer.alloc(1_000))
    for (let number = 0; number < 9; number += 1)
      await other.write(`b${number}x`, Buffer.alloc(1_000))
    await store.write('cc1', Buffer.alloc(1_000))
    assert.equal(files().length, 11, 'this process knows of two')
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 10 * 60_000 + 1_000 })
    await store.write('dd1', Buffer.alloc(1_000))
    mock.timers.reset()
    assert.equal(files().length, 9)
  })

  it('updates the access time of a picture once an hour', async () => {
    const store = new PictureStore({ folder, maxBytes: 10_000, freeBytes: async () => 10 ** 12 })
    await store.write('aa1', Buffer.alloc(10))
    const path = join(folder, 'aa', 'aa1')
    const isMarked = async (minutes: number) => {
      const used = new Date(Date.now() - minutes * 60_000)
      utimesSync(path, used, used)
      await (await store.open('aa1'))?.file.close()
      return statSync(path).mtimeMs > used.getTime() + 1_000
    }
    assert.deepEqual([await isMarked(59), await isMarked(61)], [false, true])
  })

  it('leaves at least 256 MiB of disk space free for the database', async () => {
    const write = (free: number) =>
      new PictureStore({ folder, maxBytes: 10_000, freeBytes: async () => free }).write(
        'aa1',
        Buffer.alloc(1_000),
      )
    assert.equal(await write(256 * 2 ** 20 + 999), false)
    assert.equal(await write(256 * 2 ** 20 + 1_000), true)
  })

  it('serves pictures without storing them when the disk is full', async () => {
    const pictures = open({ freeBytes: async () => 1_000_000 })
    const url = origin.show('/full.jpg', bytes)
    assert.ok(Buffer.isBuffer(await pictures.find(url, VARIANT)))
    assert.deepEqual(files(), [])
    const none = open({ maxBytes: 0 })
    assert.ok(Buffer.isBuffer(await none.find(url, VARIANT)))
    assert.deepEqual(files(), [])
  })

  it('deletes the partly written files of a dead process, and never serves them', async () => {
    const url = origin.show('/whole.jpg', bytes)
    await open().find(url, VARIANT)
    const abandoned = join(folder, 'unfinished', 'half')
    mkdirSync(join(folder, 'unfinished'), { recursive: true })
    writeFileSync(abandoned, 'half')
    const setAge = (minutes: number) => {
      const begun = new Date(Date.now() - minutes * 60_000)
      utimesSync(abandoned, begun, begun)
    }
    setAge(9)
    await open().find(url, { ...VARIANT, width: 640 })
    assert.ok(files().includes(abandoned), 'another process may still write it')
    setAge(11)
    await open().find(url, { ...VARIANT, width: 320 })
    assert.deepEqual(
      files().filter((path) => path.includes('unfinished')),
      [],
    )
    for (const path of files().filter((name) => name.endsWith('.webp')))
      assert.equal(readFileSync(path).toString('latin1', 8, 12), 'WEBP')
  })
})
