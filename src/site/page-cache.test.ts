import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { pages } from '../ui/page/plugin.ts'
import { PageCache } from './page-cache.ts'

describe('PageCache', () => {
  const cache = new PageCache()
  let app: FastifyInstance
  let rendered = 0
  /** Length of pages that are neither large nor medium. */
  let extraBytes = 0
  /** Called after a page's data has been read. */
  let onRead = () => {}
  before(async () => {
    app = Fastify()
    await app.register(async (scope) => {
      await pages(scope, {
        cookieKeys: ['key-of-the-tests-0123456789012345'],
        origin: 'https://id.example',
        secure: true,
        log: pino({ enabled: false }),
      })
      scope.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
        if (cache.sendCached(request, reply)) return reply
        const { generation } = cache
        rendered += 1
        onRead()
        const [, name = ''] = /^\/(large|medium)/.exec(request.url) ?? []
        const text = `${rendered}${'x'.repeat({ large: 2 ** 20, medium: 2 ** 17 }[name] ?? extraBytes)}`
        const entries = request.url === '/' ? ['/mangas/7'] : []
        await cache.cacheAndSend(request, reply, { text, headers: {}, generation, entries })
        return reply
      })
    })
  })
  after(() => app.close())
  afterEach(() => {
    mock.restoreAll()
    onRead = () => {}
    extraBytes = 0
    cache.clear()
  })

  /** Returns the sequence number of the rendering that produced a page. */
  const numberOf = async (url: string) => Number.parseInt((await app.inject(url)).body, 10)
  const numbersOf = async (name: string, amount: number) => {
    const numbers = []
    for (let page = 0; page < amount; page += 1) numbers.push(await numberOf(`/${name}-${page}`))
    return numbers
  }
  const isFromMemory = async (url: string) => (await numberOf(url)) === (await numberOf(url))

  it('evicts a page when an entry changes whose data it shows', async () => {
    const first = await numberOf('/')
    cache.invalidate('/mangas/8')
    assert.equal(await numberOf('/'), first)
    cache.invalidate('/mangas/7')
    assert.notEqual(await numberOf('/'), first)
    assert.ok(await isFromMemory('/'))
  })

  it('caches a page for half a minute', async () => {
    const first = await numberOf('/mangas')
    assert.equal(await numberOf('/mangas'), first)
    const pass = async (milliseconds: number) => {
      // The cache reads its clock at most once per millisecond.
      await sleep(5)
      const now = performance.now.bind(performance)
      mock.method(performance, 'now', () => now() + milliseconds)
    }
    await pass(25_000)
    assert.equal(await numberOf('/mangas'), first)
    await pass(6_000)
    assert.equal(await numberOf('/mangas'), first + 1)
  })

  it('does not cache a page whose data changed while it was rendered', async () => {
    onRead = () => cache.invalidate('/mangas/2')
    assert.equal(await isFromMemory('/mangas/1'), false)
    onRead = () => cache.clear()
    assert.equal(await isFromMemory('/mangas/1'), false)
    onRead = () => {}
    assert.equal(await isFromMemory('/mangas/1'), true)
  })

  it('evicts all pages of a changed entry and no others', async () => {
    const urls = ['/mangas/1', '/mangas/1?x=1', '/mangas/1/reviews', '/mangas/11', '/mangas']
    const before = await Promise.all(urls.map(numberOf))
    cache.invalidate('/mangas/1')
    const later = await Promise.all(urls.map(numberOf))
    assert.deepEqual(
      later.map((number, index) => number === before[index]),
      [false, false, false, true, true],
    )
  })

  it('keeps at most 12 MiB of large pages, and evicts no other pages for them', async () => {
    const small = await numberOf('/mangas')
    const numbers = await numbersOf('large', 30)
    assert.equal(await numberOf('/mangas'), small)
    assert.equal(await numberOf('/large-29'), numbers[29])
    assert.equal(await numberOf('/large-27'), numbers[27])
    assert.notEqual(await numberOf('/large-0'), numbers[0])
  })

  it('evicts the least recently used pages once they exceed 20 MiB', async () => {
    const numbers = await numbersOf('medium', 120)
    assert.equal(await numberOf('/medium-119'), numbers[119])
    assert.equal(await numberOf('/medium-60'), numbers[60])
    assert.notEqual(await numberOf('/medium-0'), numbers[0])
  })

  it('forgets a page that has become large', async () => {
    const first = await numberOf('/mangas')
    extraBytes = 2 ** 20
    await app.inject({ url: '/mangas', headers: { 'accept-encoding': 'gzip' } })
    const later = await numberOf('/mangas')
    assert.notEqual(later, first)
    assert.equal(await numberOf('/mangas'), later)
  })
})
