import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { pages } from '../ui/page/plugin.ts'
import { KeptPages } from './kept-pages.ts'

describe('pages of guests', () => {
  const kept = new KeptPages()
  let app: FastifyInstance
  let rendered = 0
  /** Runs after the data of a page were read. */
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
        if (kept.answer(request, reply)) return reply
        const { generation } = kept
        rendered += 1
        onRead()
        // Large ones are some 2 MB.
        const text = `${rendered}${request.url.includes('large') ? 'x'.repeat(2 ** 21) : ''}`
        await kept.keepAndSend(request, reply, { text, headers: {}, generation })
        return reply
      })
    })
  })
  after(() => app.close())
  afterEach(() => {
    mock.restoreAll()
    onRead = () => {}
    kept.clear()
  })

  /** The number of the rendering that a page is from. */
  const numberOf = async (url: string) => Number.parseInt((await app.inject(url)).body, 10)
  const isFromMemory = async (url: string) => (await numberOf(url)) === (await numberOf(url))

  it('are kept for half a minute', async () => {
    const first = await numberOf('/mangas')
    assert.equal(await numberOf('/mangas'), first)
    const pass = async (milliseconds: number) => {
      // The cache reads its clock once a millisecond.
      await sleep(5)
      const now = performance.now.bind(performance)
      mock.method(performance, 'now', () => now() + milliseconds)
    }
    await pass(25_000)
    assert.equal(await numberOf('/mangas'), first)
    await pass(6_000)
    assert.equal(await numberOf('/mangas'), first + 1)
  })

  it('are not kept if something changed since their data were read', async () => {
    onRead = () => kept.invalidate('/mangas/2')
    assert.equal(await isFromMemory('/mangas/1'), false)
    onRead = () => kept.clear()
    assert.equal(await isFromMemory('/mangas/1'), false)
    onRead = () => {}
    assert.equal(await isFromMemory('/mangas/1'), true)
  })

  it('are dropped with their entry, all of its pages and no other', async () => {
    const urls = ['/mangas/1', '/mangas/1?x=1', '/mangas/1/reviews', '/mangas/11', '/mangas']
    const before = await Promise.all(urls.map(numberOf))
    kept.invalidate('/mangas/1')
    const later = await Promise.all(urls.map(numberOf))
    assert.deepEqual(
      later.map((number, index) => number === before[index]),
      [false, false, false, true, true],
    )
  })

  it('take 32 MiB at most, those used least recently going first', async () => {
    const urls = Array.from({ length: 9 }, (_, number) => `/large-${number}`)
    const numbers = []
    for (const url of urls) numbers.push(await numberOf(url))
    assert.equal(await numberOf('/large-8'), numbers[8])
    assert.equal(await numberOf('/large-2'), numbers[2])
    assert.notEqual(await numberOf('/large-0'), numbers[0])
  })
})
