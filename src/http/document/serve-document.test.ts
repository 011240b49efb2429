import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { serveDocument } from './serve-document.ts'

describe('the OpenAPI document', () => {
  it('is generated and compressed once for concurrent requests', async () => {
    let builds = 0
    const app = Fastify()
    app.decorate('swagger', () => {
      builds += 1
      return { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }
    })
    serveDocument(app)
    const send = () => app.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip' } })
    const responses = await Promise.all([send(), send(), send()])
    assert.equal(new Set(responses.map(({ headers }) => headers.etag)).size, 1)
    await send()
    assert.equal(builds, 1)
  })
})
