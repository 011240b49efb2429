import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { PageQuery } from '../wire/requests/paging.ts'
import { notOneOf } from '../wire/errors/refusals.ts'
import { documentedRoute, type Operation } from './operation.ts'

const DECLARED: Operation = {
  tag: 'Works',
  operationId: 'getWork',
  summary: 'A work',
  access: 'user',
  scope: 'status:read',
  success: { 200: Type.Object({}) },
}
const params = Type.Object({ id: Type.Integer() })
const ALWAYS = [200, 401, 403, 405, 429, 500, 503]

const statusesOf = (more: Partial<Operation>) =>
  Object.keys(documentedRoute({ ...DECLARED, ...more }).schema.response ?? {}).map(Number)
const withStatuses = (...statuses: number[]) => [...ALWAYS, ...statuses].toSorted((a, b) => a - b)

describe('documentedRoute', () => {
  it('derives the refusals from what the route declares', () => {
    const faults = { badStatus: notOneOf('status', ['GOING']) }
    for (const [more, expected] of [
      [{}, withStatuses()],
      [{ params }, withStatuses(400, 404)],
      [{ body: Type.Object({}), faults }, withStatuses(400, 413, 415, 422)],
      [{ ignoresBody: true }, withStatuses(400, 413, 415)],
      [{ querystring: PageQuery }, withStatuses(422)],
      [{ querystring: Type.Object({}), faults }, withStatuses(422)],
      [{ cacheable: true }, withStatuses(304)],
      [{ conflicts: faults }, withStatuses(409)],
    ] satisfies [Partial<Operation>, number[]][])
      assert.deepEqual(statusesOf(more), expected, JSON.stringify(more))
  })

  it('derives the same refusals for any operation ID', () => {
    for (const operationId of ['createWork', 'deleteWork', 'listWorks'])
      assert.deepEqual(statusesOf({ operationId }), ALWAYS)
  })

  it('requires a route to declare its refusals if and only if it validates something', () => {
    assert.throws(() => statusesOf({ body: Type.Object({}) }), /getWork must declare/)
    assert.throws(
      () => statusesOf({ faults: { badId: notOneOf('id', []) } }),
      /getWork must declare/,
    )
  })

  it('derives the security schemes from the access of the route', () => {
    const security = (access: Operation['access']) =>
      documentedRoute({ ...DECLARED, access }).schema.security
    assert.deepEqual(security('anonymous'), [])
    assert.deepEqual(security('user'), [{ user: ['status:read'] }])
    assert.deepEqual(security('developer'), [{ developer: ['status:read'] }])
    assert.deepEqual(security('catalog'), [
      { application: ['status:read'] },
      { user: ['status:read'] },
    ])
  })
})
