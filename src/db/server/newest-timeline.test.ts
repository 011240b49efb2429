import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { startFakePostgres } from '#test/fake-postgres.ts'
import { primaryFinder, type PrimaryFinder } from './primary-finder.ts'

const segmentOf = (timeline: number) => `${String(timeline).padStart(8, '0')}0000000100000042`

describe('a finder with two hosts that both accept writes', () => {
  const timelines = [1, 2]
  let servers: Awaited<ReturnType<typeof startFakePostgres>>[] = []
  let closers: (() => unknown)[] = []

  beforeEach(async () => {
    servers = await Promise.all(
      timelines
        .keys()
        .map((at) =>
          startFakePostgres(() => ({ is_writable: true, segment: segmentOf(timelines[at] ?? 0) })),
        ),
    )
  })
  afterEach(async () => {
    for (const close of closers) await close()
    for (const server of servers) server.close()
    closers = []
    timelines.splice(0, 2, 1, 2)
  })

  const urlOf = () => `postgres://a@${servers.map(({ host }) => host).join(',')}/catalog`
  function open(onChange?: (url: string) => void): PrimaryFinder {
    const finder = primaryFinder(urlOf(), onChange)
    closers.push(finder.close)
    return finder
  }
  const chosenOf = (url: string) => servers.findIndex(({ host }) => url.includes(host))

  it('chooses the one on the newest timeline, although the other is named first', async () => {
    assert.equal(chosenOf(await open().find()), 1)
    timelines.reverse()
    assert.equal(chosenOf(await open().find()), 0)
  })

  it('does not return to an older timeline after the newest host is lost', async () => {
    const finder = open()
    const newest = await finder.find()
    servers[1]?.close()
    finder.forget(newest)
    await assert.rejects(finder.find(), /a former primary, on timeline 1/)
    timelines[0] = 3
    assert.equal(chosenOf(await finder.find()), 0)
  })

  it('changes to a host that is promoted while the other one still accepts writes', async () => {
    const changes: number[] = []
    const finder = open((url) => void changes.push(chosenOf(url)))
    await finder.find()
    timelines[0] = 3
    await eventually(async () => changes.includes(0), 'the promoted host')
    assert.equal(chosenOf(await finder.find()), 0)
  })
})
