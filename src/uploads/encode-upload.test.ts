import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { makeTestPicture } from '#test/picture-origin.ts'
import { encodeUpload, MAX_UPLOAD_BYTES } from './encode-upload.ts'

/** A GIF with distinct frames, because equal ones would be merged. */
const animation = (frames: number) =>
  sharp(
    Uint8Array.from({ length: 3 * frames }, (_, index) => (index * 37) % 256),
    { raw: { width: 1, height: frames, channels: 3, pageHeight: 1 } },
  )
    .gif()
    .toBuffer()

/** A PNG whose header says that it has 20 000 × 20 000 pixels, more than sharp accepts by default. */
async function hugePng() {
  const png = await sharp(await makeTestPicture(8, 8))
    .png()
    .toBuffer()
  png.writeUInt32BE(20_000, 16)
  png.writeUInt32BE(20_000, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

describe('an uploaded picture', () => {
  it('becomes a square of at most 512 pixels', async () => {
    for (const [width, height, side] of [
      [600, 520, 512],
      [300, 900, 300],
      [900, 20, 20],
    ] as const) {
      const encoded = await encodeUpload(await makeTestPicture(width, height))
      assert.ok('bytes' in encoded)
      const metadata = await sharp(encoded.bytes).metadata()
      assert.deepEqual([metadata.width, metadata.height, metadata.format], [side, side, 'webp'])
    }
  })

  it('is rejected with a reason if it is not acceptable', async () => {
    const picture = await makeTestPicture(100, 100)
    const padded = (length: number) =>
      Buffer.concat([picture, Buffer.alloc(length - picture.length)])
    const cases: [source: Buffer, fault: string | undefined][] = [
      [Buffer.alloc(0), 'picture_missing'],
      [padded(MAX_UPLOAD_BYTES), undefined],
      [padded(MAX_UPLOAD_BYTES + 1), 'picture_too_large'],
      [Buffer.from('hello'), 'picture_unreadable'],
      [Buffer.from(`<?xml?>${' '.repeat(4_000)}<SVG >`), 'picture_is_drawing'],
      [Buffer.from(`<?xml?>${' '.repeat(5_000)}<svg>`), 'picture_unreadable'],
      [Buffer.from('<svga>'), 'picture_unreadable'],
      [picture.subarray(0, picture.length / 2), 'picture_unreadable'],
      [await hugePng(), 'picture_too_many_pixels'],
      // The decoder warns of the extra bytes before the end.
      [Buffer.concat([picture.subarray(0, -2), Buffer.alloc(4), picture.subarray(-2)]), undefined],
    ]
    for (const [source, fault] of cases) {
      const encoded = await encodeUpload(source)
      assert.equal(
        'fault' in encoded ? encoded.fault : undefined,
        fault,
        source.toString('latin1', 0, 9),
      )
    }
  })

  it('can have at most two hundred frames', async () => {
    const [max, more] = [await animation(200), await animation(201)]
    assert.ok('bytes' in (await encodeUpload(max)))
    assert.deepEqual(await encodeUpload(more), { fault: 'picture_too_many_frames' })
  })

  it('is rejected if eight other pictures are already waiting', async () => {
    const picture = await makeTestPicture(64, 64)
    const encoded = await Promise.all(Array.from({ length: 12 }, () => encodeUpload(picture)))
    const faults = encoded.map((item) => ('fault' in item ? item.fault : undefined))
    assert.deepEqual(faults, [...Array(9).fill(undefined), ...Array(3).fill('picture_busy')])
    assert.ok('bytes' in (await encodeUpload(picture)))
  })
})
