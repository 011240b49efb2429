import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { assertLinear } from '#test/cost.ts'
import { acceptUploadForms } from './read-upload.ts'

describe('a form with a file', () => {
  async function send(fields: [name: string, value: string][]) {
    const app = Fastify()
    acceptUploadForms(app)
    app.post('/', ({ body }) => body)
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    const sent = new Response(form)
    const answer = await app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': sent.headers.get('content-type') ?? '' },
      payload: Buffer.from(await sent.arrayBuffer()),
    })
    await app.close()
    return answer
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
    const fields = (amount: number) =>
      Array.from({ length: amount }, (_, place): [string, string] => [`field-${place}`, 'x'])
    assert.equal((await send(fields(20))).statusCode, 200)
    assert.equal((await send(fields(21))).statusCode, 413)
    const repeated = fields(21).map((): [string, string] => ['a', 'x'])
    assert.equal((await send(repeated)).statusCode, 413)
  })

  it('is rejected in time proportional to its size', async () => {
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
      const answer = await app.inject({ method: 'POST', url: '/', headers, payload })
      assert.equal(answer.statusCode, 413)
    }, 20_000)
    await app.close()
  })
})
