import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ServerResponse } from 'node:http'
import { redirectTo } from '#test/dump-server.ts'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { fetchPicture } from './fetch-picture.ts'
import { PictureMirrors } from './picture-mirrors.ts'

describe('a picture with a mirror', () => {
  let source: PictureOrigin
  let mirror: PictureOrigin
  let other: PictureOrigin
  let mirrored: Buffer
  let original: Buffer
  before(async () => {
    ;[source, mirror, other] = await Promise.all([
      startPictureOrigin(),
      startPictureOrigin(),
      startPictureOrigin(),
    ])
    ;[mirrored, original] = await Promise.all([makeTestPicture(), makeTestPicture(40, 60)])
  })
  after(() => Promise.all([source.close(), mirror.close(), other.close()]))
  beforeEach(() => {
    source.requests.length = 0
    source.show('/a.jpg?r=1', original)
  })

  const mirrorsAt = (url: string) => new PictureMirrors(new Map([[source.url, url]]))
  const fetchWith = (mirrors: PictureMirrors, origins: string[] = [], timeoutMs = 6_000) =>
    fetchPicture(`${source.url}/a.jpg?r=1`, {
      origins: [source.url, ...origins],
      mirrors,
      limits: { maxBytes: 100_000, timeoutMs },
    })

  it('is fetched only from the mirror, under the mirror’s path', async () => {
    mirror.show('/bgm/a.jpg?r=1', mirrored)
    assert.deepEqual(await fetchWith(mirrorsAt(`${mirror.url}/bgm`)), mirrored)
    mirror.at('/moved/a.jpg?r=1', redirectTo('/bgm/a.jpg?r=1'))
    assert.deepEqual(await fetchWith(mirrorsAt(`${mirror.url}/moved`)), mirrored)
    assert.deepEqual(source.requests, [])
  })

  const image = { 'content-type': 'image/jpeg' }
  const faults: [name: string, respond: (response: ServerResponse) => void][] = [
    ['does not have it', (response) => response.writeHead(404).end()],
    ['fails', (response) => response.writeHead(503).end()],
    ['cuts the connection', (response) => response.destroy()],
    ['never responds', () => {}],
    ['lies about the type', (response) => response.writeHead(200, image).end('<!doctype html>')],
    ['sends a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end()],
    [
      'announces something huge',
      (response) => response.writeHead(200, { ...image, 'content-length': 1e9 }).flushHeaders(),
    ],
    ['sends something huge', (response) => response.writeHead(200, image).end(Buffer.alloc(2e6))],
  ]
  for (const [name, respond] of faults)
    it(`is fetched from the source if the mirror ${name}`, async () => {
      mirror.at('/a.jpg?r=1', (_request, response) => respond(response))
      const timeoutMs = name === 'never responds' ? 1_500 : 6_000
      assert.deepEqual(await fetchWith(mirrorsAt(mirror.url), [], timeoutMs), original)
    })

  it('is fetched from the source if the mirror is unreachable, and the mirror is skipped after four failures', async () => {
    const mirrors = mirrorsAt('http://127.0.0.1:9')
    const url = new URL(`${source.url}/a.jpg`)
    for (let time = 0; time < 4; time += 1) {
      assert.ok(mirrors.find(url))
      assert.deepEqual(await fetchWith(mirrors), original)
    }
    assert.equal(mirrors.find(url), undefined)
    mirrors.succeeded(url)
    assert.ok(mirrors.find(url))
  })

  it('is fetched through a redirect from the mirror only if the redirect leads to an allowed origin', async () => {
    other.show('/b.jpg', mirrored)
    mirror.at('/a.jpg?r=1', redirectTo(`${other.url}/b.jpg`))
    assert.deepEqual(await fetchWith(mirrorsAt(mirror.url)), original)
    assert.deepEqual(other.requests, [])
    assert.deepEqual(await fetchWith(mirrorsAt(mirror.url), [other.url]), mirrored)
  })

  it('cannot be fetched if both mirror and source fail, and the error includes both reasons', async () => {
    source.at('/a.jpg?r=1', (_request, response) => response.writeHead(404).end())
    mirror.at('/a.jpg?r=1', (_request, response) => response.writeHead(503).end())
    await assert.rejects(fetchWith(mirrorsAt(mirror.url)), {
      name: 'PictureError',
      message: `The source returned 404 (mirror ${mirror.url}: The source returned 503)`,
      isTransient: true,
    })
  })

  it('is not fetched if its URL is not allowed', async () => {
    const mirrors = new PictureMirrors(new Map([['https://example.org', mirror.url]]))
    await assert.rejects(
      fetchPicture('https://example.org/a.jpg', { origins: [], mirrors }),
      /is not an allowed source of pictures/,
    )
  })
})
