import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { chooseEncoding, serveDocument } from './serve-document.ts'

describe('the encoding of the document', () => {
  it('is the best one the client takes', () => {
    for (const [header, expected] of [
      [undefined, 'identity'],
      ['', 'identity'],
      ['identity', 'identity'],
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['GZIP;q=1.0, br;q=0.1', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['*', 'br'],
      ['*;q=0', 'identity'],
      ['br;q=0, *', 'gzip'],
      ['deflate, zstd', 'identity'],
      ['gzip; q=0', 'identity'],
      [['gzip', 'br'], 'br'],
    ] as const)
      assert.equal(chooseEncoding(header && [header].flat()), expected, String(header))
  })
})

describe('the document', () => {
  it('is compressed once, however many ask for it', async () => {
    let made = 0
    const app = Fastify()
    app.decorate('swagger', () => {
      made += 1
      return { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }
    })
    serveDocument(app)
    const ask = () => app.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip' } })
    const answers = await Promise.all([ask(), ask(), ask()])
    assert.equal(new Set(answers.map(({ headers }) => headers.etag)).size, 1)
    await ask()
    assert.equal(made, 1)
  })
})
