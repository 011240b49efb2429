import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PictureUrls } from './picture-urls.ts'

const SOURCE = 'https://t.vndb.org'
const open = (secret = 'secret') =>
  new PictureUrls({
    secret,
    baseUrl: 'https://catalog.example.org',
    origins: [SOURCE, 'http://127.0.0.1:80'],
  })
const picture = (url: string, sexual = 0) => ({ url, width: null, sexual, violence: 0 })
const COVER = `${SOURCE}/cv/1.jpg?r=1`

describe('PictureAddresses', () => {
  const pictureUrls = open()
  const url = pictureUrls.of(COVER)
  const rewrittenJson = (value: unknown): unknown =>
    JSON.parse(pictureUrls.rewriteJson(JSON.stringify(value)))

  it('accepts only URLs with a valid signature', () => {
    const pathOf = (text: string) => text.slice('https://catalog.example.org'.length)
    assert.equal(open().read(pathOf(url)), COVER)
    assert.equal(open('another secret').read(pathOf(url)), undefined)
    assert.equal(pictureUrls.read(pathOf(url).replace('/1.jpg', '/2.jpg')), undefined)
    for (const path of ['/pictures/', '/pictures/a/https/t.vndb.org/cv/1.jpg', `${pathOf(url)}2`])
      assert.equal(pictureUrls.read(path), undefined, path)
  })

  it('replaces the URLs of graded source pictures in JSON with any spacing', () => {
    const other = 'https://t.vndb.org.example.org/cv/1.jpg'
    const body = {
      covers: [picture(COVER), picture(other)],
      media: { id: 1, src: COVER, width: null, nsfw: false, sexual: 0, violence: 0 },
      avatar: { id: 1, src: COVER, width: null, height: null },
      homepage: COVER,
      text: `"url": "${COVER}"`,
      links: [{ url: COVER, name: 'Cover' }],
    }
    const expected = {
      ...body,
      covers: [picture(url), picture(other)],
      media: { ...body.media, src: url },
    }
    assert.deepEqual(rewrittenJson(body), expected)
    const spaced = JSON.stringify(body, null, 1)
    assert.deepEqual(JSON.parse(pictureUrls.rewriteJson(spaced)), expected)
    assert.equal(
      pictureUrls
        .rewriteJson(JSON.stringify(picture('http://127.0.0.1:80/a.jpg')))
        .includes('/http/127.0.0.1:80/'),
      true,
    )
  })

  it('restores the source URLs', () => {
    const body = { image: picture(COVER, 2), covers: [picture(`${SOURCE}/a/b.png`)] }
    const text = pictureUrls.rewriteJson(JSON.stringify(body))
    assert.notDeepEqual(JSON.parse(text), body)
    assert.deepEqual(JSON.parse(pictureUrls.withSources(text)), body)
  })
})
