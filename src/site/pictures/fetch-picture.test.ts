import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ServerResponse } from 'node:http'
import { redirectTo } from '#test/dump-server.ts'
import { makeTestPicture, startPictureOrigin, type PictureOrigin } from '#test/picture-origin.ts'
import { PictureEncoder } from './picture-encoder.ts'
import { fetchPicture } from './fetch-picture.ts'
import { PictureError } from './picture-errors.ts'
import { isPublicAddress } from '../../kernel/networks.ts'
import { publicLookup } from '../../outbound/public-lookup.ts'

const LIMITS = { maxBytes: 100_000, timeoutMs: 30_000 }
const SHORT_TIMEOUT_MS = 400

describe('fetchPicture', () => {
  let origin: PictureOrigin
  let picture: Buffer
  before(async () => {
    origin = await startPictureOrigin()
    picture = await makeTestPicture()
  })
  after(() => origin.close())

  const fetchFrom = (url: string, milliseconds = LIMITS.timeoutMs) =>
    fetchPicture(url, { origins: [origin.url], limits: { ...LIMITS, timeoutMs: milliseconds } })
  const refuses = (url: string, message: RegExp, milliseconds?: number) =>
    assert.rejects(
      fetchFrom(url, milliseconds),
      (error) => error instanceof PictureError && message.test(error.message),
    )

  it('fetches a picture from an allowed origin and follows a redirect within it', async () => {
    assert.deepEqual(await fetchFrom(origin.show('/a.jpg', picture)), picture)
    origin.at('/moved', redirectTo('/a.jpg'))
    assert.deepEqual(await fetchFrom(`${origin.url}/moved`), picture)
  })

  it('contacts only hosts of the sources, and only over https', async () => {
    for (const url of [
      'https://example.org/a.jpg',
      'http://t.vndb.org/cv/1.jpg',
      'https://t.vndb.org:8443/cv/1.jpg',
      'https://user:password@t.vndb.org/cv/1.jpg',
      'https://t.vndb.org.example.org/a.jpg',
      'https://127.0.0.1/a.jpg',
      'https://[::1]/a.jpg',
      'https://0x7f.1/a.jpg',
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
      'gopher://lain.bgm.tv/',
      'no address',
      '',
    ])
      await refuses(url, /is not an allowed source of pictures/)
  })

  it('does not follow redirects to another host or in a loop', async () => {
    for (const location of [
      'http://127.0.0.1:1/a.jpg',
      'http://169.254.169.254/latest/meta-data',
      'https://t.vndb.org/cv/1.jpg',
      '//example.org/a.jpg',
    ]) {
      origin.at('/away', redirectTo(location))
      await refuses(`${origin.url}/away`, /redirects to another host/)
    }
    origin.at('/round', redirectTo('/round'))
    await refuses(`${origin.url}/round`, /too often/)
  })

  for (const url of [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:db8::1',
    'ff02::1',
  ])
    it(`does not connect if the name of a source resolves to ${url}`, async () => {
      const family = url.includes(':') ? 6 : 4
      await assert.rejects(
        fetchPicture('https://t.vndb.org/cv/1.jpg', {
          origins: [],
          limits: LIMITS,
          // A single private address is enough, even if another one is public.
          resolve: async () => [
            { address: '8.8.8.8', family: 4 },
            { address: url, family },
          ],
        }),
        /resolves to a non-public address/,
      )
    })

  it('connects to the IP address it has checked, and resolves the host name again for each connection', async () => {
    // The name resolves to a public address first, and to this machine on the second lookup.
    const lookups = ['8.8.8.8', '127.0.0.1']
    const lookup = publicLookup(async () => [{ address: lookups.shift() ?? '', family: 4 }])
    const connect = () =>
      new Promise((resolve) =>
        lookup('lain.bgm.tv', { all: true }, (error, addresses) =>
          resolve(error?.message ?? addresses),
        ),
      )
    assert.deepEqual(await connect(), [{ address: '8.8.8.8', family: 4 }])
    assert.equal(await connect(), 'lain.bgm.tv resolves to a non-public address')
  })

  it('distinguishes public addresses from private ones', () => {
    for (const address of ['8.8.8.8', '2606:4700::1111'])
      assert.ok(isPublicAddress(address), address)
    for (const address of ['fe80::1%eth0', 'localhost', '', '1.2.3'])
      assert.ok(!isPublicAddress(address), address)
  })

  const cases: [
    what: string,
    answer: (response: ServerResponse) => void,
    message: RegExp,
    milliseconds?: number,
  ][] = [
    [
      'a response that declares too many bytes',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'image/png', 'content-length': 1e9 })
          .flushHeaders(),
      /larger than/,
    ],
    ['an endless response', endless, /larger than/],
    ['a response that arrives a byte at a time', slowly, /takes too long/, SHORT_TIMEOUT_MS],
    ['a response that never arrives', () => {}, /takes too long/, SHORT_TIMEOUT_MS],
    [
      'a response that is cut off',
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'image/png', 'content-length': 5_000 })
          .write('a', () => response.destroy()),
      /does not respond|cut off/,
    ],
    [
      'an SVG',
      (response) => response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>'),
      /did not return a picture/,
    ],
    [
      'a page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      /did not return a picture/,
    ],
    [
      'a response without a type',
      (response) => response.writeHead(200).end('a'),
      /did not return a picture/,
    ],
    [
      'a compressed response',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' })
          .end('a'),
      /compressed response/,
    ],
    [
      'a 404 response',
      (response) => response.writeHead(404, { 'content-type': 'image/png' }).end('a'),
      /returned 404/,
    ],
    [
      'a partial response',
      (response) => response.writeHead(206, { 'content-type': 'image/png' }).end('a'),
      /returned 206/,
    ],
  ]
  for (const [name, respond, message, milliseconds] of cases)
    it(`rejects ${name}`, async () => {
      origin.at('/bad', (_request, response) => respond(response))
      await refuses(`${origin.url}/bad`, message, milliseconds)
    })
})

function endless(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'image/png' })
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(16_384)));
  }
  response.on('drain', more)
  more()
}

function slowly(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'image/png' })
  const timer = setInterval(() => response.write('a'), 20)
  response.on('close', () => clearInterval(timer))
}

describe('PictureEncoder', async () => {
  const { default: sharp } = await import('sharp')
  const encoder = new PictureEncoder()
  const variant = { width: 160, format: 'webp', blurred: false } as const
  const png = (width: number, height: number) => {
    const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000802000000', 'hex')
    header.writeUInt32BE(width, 16)
    header.writeUInt32BE(height, 20)
    return header
  }
  const picture = await makeTestPicture()
  const refused: [what: string, bytes: Buffer][] = [
    ['65,535 by 65,535 by its header', png(65_535, 65_535)],
    [
      'a bomb of one color',
      await sharp({ create: { width: 8_000, height: 8_000, channels: 3, background: '#fff' } })
        .png({ compressionLevel: 9 })
        .toBuffer(),
    ],
    ['cut off', picture.subarray(0, picture.length / 2)],
    [
      'SVG',
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
      ),
    ],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
    ['TIFF', await sharp(picture).tiff().toBuffer()],
    ['nothing', Buffer.alloc(0)],
    ['the start of a GIF before a page', Buffer.from('GIF89a/*<script>alert(1)</script>')],
  ]
  for (const [name, bytes] of refused)
    it(`rejects a picture that is ${name}`, () =>
      assert.rejects(encoder.encode(bytes, variant), PictureError))

  it('encodes the first frame of an animation, without hidden or surrounding data', async () => {
    const frame = { width: 40, height: 40, channels: 3 as const }
    const frames = Buffer.concat([Buffer.alloc(4_800, 10), Buffer.alloc(4_800, 200)])
    for (const format of ['gif', 'webp'] as const) {
      const animated = await sharp(frames, { raw: { ...frame, height: 80, pageHeight: 40 } })
        .toFormat(format)
        .toBuffer()
      assert.equal((await sharp(animated).metadata()).pages, 2, format)
      const polyglot = Buffer.concat([animated, Buffer.from('<script>alert(1)</script>')])
      const created = await encoder.encode(polyglot, variant)
      const { pages = 1, width, height } = await sharp(created).metadata()
      assert.deepEqual([pages, width, height], [1, 40, 40], format)
      assert.ok(!created.includes('script'))
    }
    const described = await sharp(picture)
      .withExif({ IFD0: { Copyright: 'SECRET' } })
      .toBuffer()
    assert.ok(described.includes('SECRET'))
    assert.ok(!(await encoder.encode(described, { ...variant, format: 'jpg' })).includes('SECRET'))
  })

  it('encodes each format in the requested width, never larger than the source', async () => {
    for (const [format, name] of [
      ['avif', 'heif'],
      ['webp', 'webp'],
      ['jpg', 'jpeg'],
    ] as const) {
      const created = await sharp(await encoder.encode(picture, { ...variant, format })).metadata()
      assert.deepEqual([created.format, created.width, created.height], [name, 160, 240])
    }
    const { width } = await sharp(
      await encoder.encode(picture, { ...variant, width: 1_280 }),
    ).metadata()
    assert.equal(width, 400)
    const strip = await sharp(await makeTestPicture(30, 6_000))
      .jpeg()
      .toBuffer()
    const { height } = await sharp(
      await encoder.encode(strip, { ...variant, width: 320 }),
    ).metadata()
    assert.ok(height <= 1_280, String(height))
  })

  it('blurs a picture until no edge is recognizable', async () => {
    const contrast = async (blurred: boolean) => {
      const created = await encoder.encode(picture, { ...variant, blurred })
      const { data, info } = await sharp(created)
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      const row = Math.floor(info.height / 2) * info.width
      const reds = Array.from(
        { length: info.width },
        (_, x) => data[(row + x) * info.channels] ?? 0,
      )
      return Math.max(...reds.slice(1).map((red, x) => Math.abs(red - (reds[x] ?? 0))))
    }
    assert.ok((await contrast(false)) > 60)
    assert.ok((await contrast(true)) < 15)
  })
})
