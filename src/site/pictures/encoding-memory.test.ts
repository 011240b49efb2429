import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { loadSharp } from '../../uploads/load-sharp.ts'

const MIB = 1024 * 1024
/** Maximum bytes of memory per pixel of an AVIF. With 8 bits per channel, decoding takes about half of that. */
const MAX_BYTES_PER_PIXEL = 64
/** Maximum bytes of memory for reading a header and loading code. */
const NOISE_BYTES = 16 * MIB

/**
 * Encodes the picture on standard input and prints by how many KiB peak resident memory has grown. The peak is the
 * kernel's VmHWM, because a child inherits the peak of `getrusage` from its parent.
 */
const scriptOf = (encode: string) => `
  import { readFileSync } from 'node:fs'
  import { loadSharp } from './src/uploads/load-sharp.ts'
  const sharp = await loadSharp()
  const small = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#123' } }).avif().toBuffer()
  const source = Buffer.concat(await process.stdin.toArray())
  ${encode}
  await encode(small)
  const peak = () => Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  const before = peak()
  const result = await encode(source)
  console.log(JSON.stringify({ result, grown: peak() - before }))`

const ENCODERS = {
  'an upload': `
    import { encodeUpload } from './src/uploads/encode-upload.ts'
    const encode = async (bytes) => (await encodeUpload(bytes)).fault ?? 'encoded'`,
  'a picture of a source': `
    import { PictureEncoder } from './src/site/pictures/picture-encoder.ts'
    const variant = { width: 320, format: 'webp', blurred: false }
    const encode = async (bytes) =>
      new PictureEncoder().encode(bytes, variant).then(() => 'encoded', ({ message }) => message)`,
}

/** Every measurement needs a separate process, because a peak never goes down. */
async function measure(encode: string, source: Buffer): Promise<{ result: string; bytes: number }> {
  const child = promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    scriptOf(encode),
  ])
  child.child.stdin?.end(source)
  const { stdout } = await child
  const { result, grown }: { result: string; grown: number } = JSON.parse(stdout)
  return { result, bytes: grown * 1024 }
}

describe('memory for decoding an AVIF', () => {
  const pictures = new Map<number, Buffer>()
  const pictureOf = (side: number) =>
    pictures.get(side) ?? assert.fail(`no picture of side ${side}`)
  before(async () => {
    const sharp = await loadSharp()
    for (const side of [1_000, 1_414, 2_000, 4_000]) {
      const background = { r: 1, g: 2, b: 3, alpha: 0.5 }
      const picture = sharp({ create: { width: side, height: side, channels: 4, background } })
      pictures.set(side, await picture.avif({ effort: 0, chromaSubsampling: '4:4:4' }).toBuffer())
    }
  })

  for (const [name, encode] of Object.entries(ENCODERS)) {
    it(`grows with the number of pixels of ${name}, up to the largest allowed size`, async () => {
      const [first, second, largest] = [
        await measure(encode, pictureOf(1_000)),
        await measure(encode, pictureOf(1_414)),
        await measure(encode, pictureOf(2_000)),
      ]
      assert.deepEqual(
        [first.result, second.result, largest.result],
        ['encoded', 'encoded', 'encoded'],
      )
      assert.ok(
        second.bytes + NOISE_BYTES <= 3 * (first.bytes + NOISE_BYTES),
        `${first.bytes}, ${second.bytes}`,
      )
      assert.ok(largest.bytes <= MAX_BYTES_PER_PIXEL * 4_000_000, `${largest.bytes}`)
      // The measurement must include the decoder, which holds at least two planes of samples.
      assert.ok(largest.bytes >= 2 * 4_000_000, `${largest.bytes}`)
    })

    it(`is not needed for ${name} above the size limit, which is rejected based on its header`, async () => {
      const { result, bytes } = await measure(encode, pictureOf(4_000))
      assert.notEqual(result, 'encoded')
      assert.ok(bytes <= NOISE_BYTES, `${bytes}`)
    })
  }
})
