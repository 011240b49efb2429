import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify, { type RouteOptions } from 'fastify'
import { onBothFamilies } from './path-families.ts'

describe('routes of both path families', () => {
  it('respond identically under both prefixes and are documented under the first only', async () => {
    const app = Fastify()
    const routes: RouteOptions[] = []
    app.addHook('onRoute', (route) => void routes.push(route))
    const firsts: [string, boolean][] = []
    await onBothFamilies(app, ['/one', '/two'], async (scope, { prefix, isFirst }) => {
      firsts.push([prefix, isFirst])
      scope.get(
        '/works',
        { schema: { operationId: 'listWorks', summary: 'Works' } },
        () => scope.prefix,
      )
      await scope.register(async (inner) => void inner.get('/inner', () => 'inner'))
    })
    assert.deepEqual(firsts, [
      ['/one', true],
      ['/two', false],
    ])
    const schemas = new Map(
      routes.filter(({ method }) => method === 'GET').map(({ url, schema }) => [url, schema]),
    )
    assert.deepEqual(schemas.get('/one/works'), { operationId: 'listWorks', summary: 'Works' })
    assert.deepEqual(schemas.get('/two/works'), { summary: 'Works', hide: true })
    assert.equal(schemas.get('/one/inner'), undefined)
    assert.deepEqual(schemas.get('/two/inner'), { hide: true })
    assert.equal((await app.inject('/two/works')).body, '/two')
  })
})
