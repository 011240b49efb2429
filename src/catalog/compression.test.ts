import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describeOnDatabase } from '#test/databases.ts'
import { getBytes } from '#test/get-bytes.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync }
const LARGE = [
  '/v3/galgames?page_size=100',
  '/v3/galgames/1',
  '/v3/galgames?ids=1,2,3',
  '/v3/search?q=a&page_size=100',
]

describeOnDatabase('a large response', (engine) => {
  let service: TestService
  let token: string
  before(async () => {
    service = await shareService(engine)
    token = await service.token('catalog:full')
  })
  after(() => service.close())

  const send = (path: string, headers: Record<string, string>, bearer = token) =>
    getBytes(service.url + path, { authorization: `Bearer ${bearer}`, ...headers })
  // as: the envelope of §2.1
  const dataOf = (body: Buffer) => (JSON.parse(body.toString()) as { data: unknown }).data

  for (const path of LARGE)
    it(`is compressed, with the same data, for clients that accept compression: ${path}`, async () => {
      const plain = await send(path, {})
      assert.equal(plain.headers['content-encoding'], undefined)
      const etags = new Set([plain.headers.etag])
      for (const [encoding, decode] of Object.entries(DECODERS))
        // The second response reuses the compressed body of the first.
        for (let times = 0; times < 2; times += 1) {
          const response = await send(path, { 'accept-encoding': encoding })
          assert.equal(response.headers['content-encoding'], encoding)
          assert.match(response.headers.vary ?? '', /Authorization, Accept-Encoding/)
          assert.equal(Number(response.headers['content-length']), response.body.length)
          assert.ok(
            response.body.length < plain.body.length / 1.5,
            `${response.body.length} of ${plain.body.length}`,
          )
          const whole = decode(response.body)
          assert.deepEqual(dataOf(whole), dataOf(plain.body))
          assert.equal(
            (JSON.parse(whole.toString()) as { request_id: string }).request_id,
            response.headers['x-request-id'],
          )
          etags.add(response.headers.etag)
          assert.match(response.headers.etag ?? '', /^"[\w-]+"$/)
        }
      assert.equal(etags.size, 3, 'each encoding has a separate strong ETag')
    })

  it('becomes a 304 if the client sends the ETag of any encoding', async () => {
    const [path = ''] = LARGE
    const forms = ['identity', 'gzip', 'br']
    for (const had of forms) {
      const { etag = '' } = (await send(path, { 'accept-encoding': had })).headers
      for (const encoding of forms) {
        const repeated = await send(path, { 'accept-encoding': encoding, 'if-none-match': etag })
        assert.deepEqual([repeated.status, repeated.body.length], [304, 0], `${had} ${encoding}`)
      }
    }
    assert.equal((await send(path, { 'if-none-match': '"other-br"' })).status, 200)
  })

  it('is sent uncompressed if the client refuses compression, as small ones always are', async () => {
    const small = await send('/v3/lookup?source=vndb&id=v999999', { 'accept-encoding': 'br, gzip' })
    assert.equal(small.headers['content-encoding'], undefined)
    const refused = await send('/v3/galgames/1', { 'accept-encoding': 'br;q=0, gzip;q=0' })
    assert.equal(refused.headers['content-encoding'], undefined)
  })
})
