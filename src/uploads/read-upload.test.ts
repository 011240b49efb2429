import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { takeUploadForms } from './read-upload.ts'

describe('a form with a file', () => {
  async function send(fields: [name: string, value: string][]) {
    const app = Fastify()
    takeUploadForms(app)
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

  it('has the first of several values of a name, as other forms', async () => {
    const { body } = await send([
      ['a', 'first'],
      ['a', 'second'],
      ['b', ''],
    ])
    assert.deepEqual(JSON.parse(body), { a: 'first', b: '' })
  })

  it('has at most twenty fields', async () => {
    const fields = (amount: number) =>
      Array.from({ length: amount }, (_, place): [string, string] => [`field-${place}`, 'x'])
    assert.equal((await send(fields(20))).statusCode, 200)
    assert.equal((await send(fields(21))).statusCode, 413)
  })
})
