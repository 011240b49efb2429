import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { detectPictureType, loadSharp } from './load-sharp.ts'
import { hasTooManyPixels } from './picture-limits.ts'
import { absolutePictureUrl, uploadPath, hashOfUploadFile } from './upload-path.ts'

describe('the header of a picture', () => {
  const limits: [width: number, height: number, format: string, depth: string, tooMany: boolean][] =
    [
      [6_000, 4_000, 'jpeg', 'uchar', false],
      [6_000, 4_001, 'jpeg', 'uchar', true],
      [6_000, 2_000, 'png', 'ushort', false],
      [6_000, 2_001, 'png', 'ushort', true],
      [2_000, 2_000, 'heif', 'uchar', false],
      [2_000, 2_001, 'heif', 'uchar', true],
      [2_000, 1_000, 'heif', 'ushort', false],
      [2_000, 1_001, 'heif', 'ushort', true],
      [16_384, 1, 'png', 'uchar', false],
      [16_385, 1, 'png', 'uchar', true],
      [1, 16_384, 'png', 'uchar', false],
      [1, 16_385, 'png', 'uchar', true],
    ]
  for (const [width, height, format, depth, tooMany] of limits)
    it(`${tooMany ? 'has too many pixels' : 'is accepted'}: ${width} × ${height}, ${format}, ${depth}`, () =>
      assert.equal(hasTooManyPixels({ width, height, format, depth }, 24_000_000), tooMany))

  it('has too many pixels above the general limit if it is an AVIF, even if the limit for AVIF is higher', () => {
    const header = { width: 100, height: 100, format: 'heif', depth: 'uchar' }
    assert.ok(hasTooManyPixels(header, 9_999))
    assert.ok(!hasTooManyPixels(header, 10_000))
  })

  it('identifies one of five formats', () => {
    const types: [bytes: string, type: string | undefined][] = [
      ['\xff\xd8\xff\xe0........', 'image/jpeg'],
      ['\x89PNG\r\n\x1a\n....', 'image/png'],
      ['GIF87a......', 'image/gif'],
      ['GIF89a......', 'image/gif'],
      ['RIFF....WEBP', 'image/webp'],
      ['....ftypavif', 'image/avif'],
      ['....ftypavis', 'image/avif'],
      ['\xff\xd8........', undefined],
      ['.\xff\xd8\xff.......', undefined],
      ['\x89PNG\r\n\x1a.....', undefined],
      ['.\x89PNG\r\n\x1a\n...', undefined],
      ['GIF88a......', undefined],
      ['.GIF89a.....', undefined],
      ['RIFF....WAVE', undefined],
      ['.RIFF...WEBP', undefined],
      ['....ftypheic', undefined],
      ['...ftypavif.', undefined],
      ['', undefined],
    ]
    for (const [bytes, type] of types)
      assert.equal(detectPictureType(Buffer.from(bytes, 'latin1')), type, bytes)
  })
})

describe('sharp', () => {
  it('reads only five formats, on one core and without a cache', async () => {
    const create = { width: 8, height: 8, channels: 3, background: '#204080' } as const
    const loaded = await loadSharp()
    assert.equal(loaded.concurrency(), 1)
    assert.equal(loaded.cache().items.max, 0)
    for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const) {
      const read = loaded(await sharp({ create }).toFormat(format).toBuffer()).metadata()
      if (format === 'tiff') await assert.rejects(read)
      else assert.equal((await read).width, 8)
    }
  })
})

describe('the URL of an uploaded picture', () => {
  const hash = 'aB_-'.padEnd(43, '0')

  it('contains the hash of the picture', () => {
    assert.equal(uploadPath(hash), `/uploads/${hash}.webp`)
    assert.equal(hashOfUploadFile(`${hash}.webp`), hash)
    for (const file of [
      hash,
      `${hash}0.webp`,
      `a/${hash}.webp`,
      `${hash}.webp?`,
      `${hash.slice(1)}.webp`,
    ])
      assert.equal(hashOfUploadFile(file), undefined, file)
  })

  it('is resolved against the service’s own origin unless it is absolute', () => {
    assert.equal(
      absolutePictureUrl('/uploads/a.webp', 'https://a.example'),
      'https://a.example/uploads/a.webp',
    )
    assert.equal(
      absolutePictureUrl('https://b.example/a', 'https://a.example'),
      'https://b.example/a',
    )
  })
})
