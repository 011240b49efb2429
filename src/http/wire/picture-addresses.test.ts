import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PictureAddresses } from './picture-addresses.ts'

const SOURCE = 'https://t.vndb.org'
const open = (secret = 'secret') =>
  new PictureAddresses({
    secret,
    baseUrl: 'https://catalog.example.org',
    origins: [SOURCE, 'http://127.0.0.1:80'],
  })
const picture = (url: string, sexual = 0) => ({ url, width: null, sexual, violence: 0 })
const COVER = `${SOURCE}/cv/1.jpg?r=1`

describe('PictureAddresses', () => {
  const addresses = open()
  const address = addresses.of(COVER)
  const rewrittenJson = (value: unknown): unknown =>
    JSON.parse(addresses.rewriteJson(JSON.stringify(value)))

  it('accepts only URLs with a valid signature', () => {
    const pathOf = (text: string) => text.slice('https://catalog.example.org'.length)
    assert.equal(open().read(pathOf(address)), COVER)
    assert.equal(open('another secret').read(pathOf(address)), undefined)
    assert.equal(addresses.read(pathOf(address).replace('/1.jpg', '/2.jpg')), undefined)
    for (const path of [
      '/pictures/',
      '/pictures/a/https/t.vndb.org/cv/1.jpg',
      `${pathOf(address)}2`,
    ])
      assert.equal(addresses.read(path), undefined, path)
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
      covers: [picture(address), picture(other)],
      media: { ...body.media, src: address },
    }
    assert.deepEqual(rewrittenJson(body), expected)
    const spaced = JSON.stringify(body, null, 1)
    assert.deepEqual(JSON.parse(addresses.rewriteJson(spaced)), expected)
    assert.equal(
      addresses
        .rewriteJson(JSON.stringify(picture('http://127.0.0.1:80/a.jpg')))
        .includes('/http/127.0.0.1:80/'),
      true,
    )
  })

  it('restores the source URLs', () => {
    const body = { image: picture(COVER, 2), covers: [picture(`${SOURCE}/a/b.png`)] }
    const text = addresses.rewriteJson(JSON.stringify(body))
    assert.notDeepEqual(JSON.parse(text), body)
    assert.deepEqual(JSON.parse(addresses.withSources(text)), body)
  })
})
