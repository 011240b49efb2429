import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { assertLinear } from '#test/assert-linear.ts'
import { acceptRawUploads, acceptUploadForms, readUpload } from './read-upload.ts'

describe('a form with a file', () => {
  async function send(fields: [name: string, value: string][]) {
    const app = Fastify()
    acceptUploadForms(app)
    app.post('/', ({ body }) => body)
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    const sent = new Response(form)
    const response = await app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': sent.headers.get('content-type') ?? '' },
      payload: Buffer.from(await sent.arrayBuffer()),
    })
    await app.close()
    return response
  }

  it('uses the first of several values of a field, like other forms', async () => {
    const { body } = await send([
      ['a', 'first'],
      ['a', 'second'],
      ['b', ''],
    ])
    assert.deepEqual(JSON.parse(body), { a: 'first', b: '' })
  })

  it('can have at most twenty fields', async () => {
    const fields = (count: number) =>
      Array.from({ length: count }, (_, index): [string, string] => [`field-${index}`, 'x'])
    assert.equal((await send(fields(20))).statusCode, 200)
    assert.equal((await send(fields(21))).statusCode, 413)
    const repeated = fields(21).map((): [string, string] => ['a', 'x'])
    assert.equal((await send(repeated)).statusCode, 413)
  })

  it('with too many fields is rejected in time proportional to its size', async () => {
    const app = Fastify()
    acceptUploadForms(app)
    app.post('/', ({ body }) => body)
    const payloads = new Map(
      [20_000, 40_000].map((size) => {
        const part = '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
        return [size, Buffer.from(`${part.repeat(size)}--B--\r\n`)]
      }),
    )
    const headers = { 'content-type': 'multipart/form-data; boundary=B' }
    await assertLinear(async (size) => {
      const payload = payloads.get(size) ?? ''
      const response = await app.inject({ method: 'POST', url: '/', headers, payload })
      assert.equal(response.statusCode, 413)
    }, 20_000)
    await app.close()
  })
})

describe('an uploaded file', () => {
  /** Number of bytes that the route received, or the error status. */
  async function sizeOf(
    type: string,
    payload: Buffer | Readable,
    { field = 'picture', maxBytes = 1_000 } = {},
  ) {
    const app = Fastify()
    acceptUploadForms(app, {
      maxBytes,
      tooLarge: () => Object.assign(new Error(), { statusCode: 418 }),
    })
    acceptRawUploads(app)
    app.post('/', (request) => ({ size: readUpload(request, field).length }))
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': type },
      payload,
    })
    await app.close()
    // as: the route's response
    return statusCode === 200 ? (JSON.parse(body) as { size: number }).size : statusCode
  }
  const form = (parts: string[], end = '--B--\r\n') => Buffer.from(parts.join('') + end)
  const file = (name: string, fileName: string, text: string) =>
    `--B\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n\r\n${text}\r\n`
  const FORM = 'multipart/form-data; boundary=B'

  it('is read from its form field, and is empty if no file was chosen', async () => {
    assert.equal(await sizeOf(FORM, form([file('picture', 'a.png', 'abc')])), 3)
    assert.equal(await sizeOf(FORM, form([file('list', 'a.xml', 'abcd')]), { field: 'list' }), 4)
    assert.equal(await sizeOf(FORM, form([file('list', 'a.xml', 'abcd')])), 0)
    const twice = [
      file('picture', '', ''),
      file('picture', 'a.png', 'ab'),
      file('picture', 'b', ''),
    ]
    assert.equal(await sizeOf(FORM, form(twice)), 2)
    assert.equal(await sizeOf(FORM, form([file('picture', '', 'abc')])), 3)
    const empty = [file('picture', 'a.png', ''), file('picture', 'b.png', 'ab')]
    assert.equal(await sizeOf(FORM, form(empty)), 0)
    const text = '--B\r\nContent-Disposition: form-data; name="picture"\r\n\r\nabc\r\n'
    assert.equal(await sizeOf(FORM, form([text])), 0)
    assert.equal(await sizeOf(FORM, form([file('x', 'a', 'abc')]), { field: 'constructor' }), 0)
  })

  it('can be a request body with a picture’s media type, up to twice the size limit of pictures', async () => {
    for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif'])
      assert.equal(await sizeOf(`image/${type}`, Buffer.alloc(5)), 5)
    assert.equal(await sizeOf('image/svg+xml', Buffer.alloc(5)), 415)
    assert.equal(await sizeOf('image/png', Buffer.alloc(10 * 2 ** 20)), 10 * 2 ** 20)
    assert.equal(await sizeOf('image/png', Buffer.alloc(10 * 2 ** 20 + 1)), 413)
  })

  it('can be in a form with a boundary, up to a maximum size', async () => {
    const filled = (length: number) => {
      const emptyFormSize = form([file('picture', 'a', '')]).length
      return form([file('picture', 'a', 'x'.repeat(length - emptyFormSize))])
    }
    assert.equal(await sizeOf(FORM, filled(1_000)), 1_000 - form([file('picture', 'a', '')]).length)
    assert.equal(await sizeOf(FORM, filled(1_001)), 418)
    assert.equal(await sizeOf(FORM, filled(20_000)), 418)
    const one = form([file('picture', 'a', 'abc')])
    for (const type of ['boundary="B"', ' Boundary=B ', 'charset=utf-8; boundary=B'])
      assert.equal(await sizeOf(`multipart/form-data;${type}`, one), 3, type)
    for (const type of [
      '',
      '; boundary=',
      '; boundary=B\u00e9',
      '; x_boundary=B',
      `; boundary=${'B'.repeat(71)}`,
    ])
      assert.equal(await sizeOf(`multipart/form-data${type}`, one), 400, type)
    assert.equal(await sizeOf(FORM, Buffer.from('no form')), 400)
  })

  it('is drained up to ten times the maximum size, so that the browser gets to read the response', async () => {
    let sent = 0
    function* endless() {
      for (;;) {
        sent += 1_000
        yield Buffer.alloc(1_000)
      }
    }
    assert.equal(await sizeOf(FORM, Readable.from(endless())), 418)
    assert.ok(sent < 200_000, `${sent} bytes`)
  })
})
