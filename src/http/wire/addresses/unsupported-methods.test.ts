import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { pino } from 'pino'
import { handleErrors } from '../errors/handle-errors.ts'
import { handleUnsupportedMethods, MAX_PARAM_LENGTH } from './unsupported-methods.ts'
import { overlappingPaths } from './overlapping-paths.ts'

const ANONYMOUS = { config: { access: 'anonymous' } } as const
const PUBLIC = { config: { access: 'public' } } as const

async function startApp() {
  const app = Fastify({ routerOptions: { maxParamLength: MAX_PARAM_LENGTH } })
  handleErrors(
    app,
    pino({ level: 'silent' }),
    () => {},
    (request, reply) => otherMethods.respond(request, reply),
  )
  const otherMethods = handleUnsupportedMethods(app)
  app.get('/works/:id', ANONYMOUS, () => 'a work')
  app.post('/works/batch', ANONYMOUS, () => 'some works')
  app.get('/people/:id/works', ANONYMOUS, () => 'works')
  app.post('/people/:id/works', ANONYMOUS, () => 'a new work')
  app.get('/health', PUBLIC, () => 'well')
  otherMethods.ready()
  await app.ready()
  return app
}

describe('a method that a path does not support', () => {
  const send = async (method: string, url: string, payload?: string) => {
    const app = await startApp()
    // as: the type lacks some HTTP methods
    const { statusCode, headers } = await app.inject({
      method: method as 'GET',
      url,
      ...(payload !== undefined && {
        payload,
        headers: { 'content-type': 'application/nonsense' },
      }),
    })
    await app.close()
    return [statusCode, headers.allow]
  }

  it('results in 405 with the supported methods, whatever the body and query are', async () => {
    const allow = 'GET, HEAD, POST, OPTIONS'
    assert.deepEqual(await send('DELETE', '/people/7/works'), [405, allow])
    assert.deepEqual(await send('PUT', '/people/7/works?page=2', '{'), [405, allow])
    assert.deepEqual(await send('TRACE', '/%70eople/7/works'), [405, allow])
    assert.deepEqual(await send('POST', '/works/7'), [405, 'GET, HEAD, OPTIONS'])
  })

  it('results in 405 if a literal path also matches a parameterized one', async () => {
    assert.deepEqual(await send('GET', '/works/batch'), [405, 'POST, OPTIONS'])
    assert.deepEqual(await send('GET', '/works/7'), [200, undefined])
    assert.deepEqual(await send('OPTIONS', '/works/batch'), [204, 'POST, OPTIONS'])
  })

  it('is not listed in the Allow header of OPTIONS', async () => {
    assert.deepEqual(await send('OPTIONS', '/people/7/works'), [204, 'GET, HEAD, POST, OPTIONS'])
  })

  it('results in 404 for an unknown path, a public route or an unknown method', async () => {
    assert.deepEqual(await send('DELETE', '/people/7'), [404, undefined])
    assert.deepEqual(await send('DELETE', '/health'), [404, undefined])
    assert.deepEqual(await send('PROPFIND', '/people/7/works'), [404, undefined])
    assert.deepEqual(await send('DELETE', `/people/${'7'.repeat(MAX_PARAM_LENGTH + 1)}/works`), [
      404,
      undefined,
    ])
  })
})

describe('overlappingPaths', () => {
  it('finds paths where a parameter or wildcard meets another segment', () => {
    const found = (...paths: string[]) => [...overlappingPaths(paths)]
    assert.deepEqual(found('/a/:id', '/a/b', '/c/:id'), ['/a/:id', '/a/b'])
    assert.deepEqual(found('/a/:id/b', '/a/x/:y'), ['/a/:id/b', '/a/x/:y'])
    assert.deepEqual(found('/a/*', '/a/b/c', '/b'), ['/a/*', '/a/b/c'])
    assert.deepEqual(found('/a/:id', '/a/:id/b', '/a', '/b'), [])
  })
})
