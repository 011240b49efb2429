import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../wire/errors/errors.ts'
import { insufficientScope, invalidToken, unauthenticated } from '../wire/errors/refusals.ts'
import { failedAuthentications } from './failed-authentications.ts'

// as: the code reads only these fields of a request
const from = (ip: string) => ({ ip, throttleWindow: null }) as FastifyRequest

const statusOf = (error: unknown) => (error instanceof ApiError ? error.status : undefined)

describe('an IP address that fails to authenticate', () => {
  it('gets 429 once it has received the allowed number of 401 responses, whatever was wrong with the tokens', () => {
    const count = failedAuthentications(2)
    assert.equal(statusOf(count(from('192.0.2.1'), invalidToken())), 401)
    assert.equal(statusOf(count(from('192.0.2.1'), unauthenticated())), 401)
    const request = from('192.0.2.1')
    assert.equal(statusOf(count(request, invalidToken())), 429)
    assert.deepEqual([request.throttleWindow?.limit, request.throttleWindow?.remaining], [2, 0])
    assert.equal(statusOf(count(from('192.0.2.2'), invalidToken())), 401)
  })

  it('is counted per /64 if it is an IPv6 address', () => {
    const count = failedAuthentications(1)
    assert.equal(statusOf(count(from('2001:db8:1:2::1'), invalidToken())), 401)
    assert.equal(statusOf(count(from('2001:db8:1:2:ffff::9'), invalidToken())), 429)
    assert.equal(statusOf(count(from('2001:db8:1:3::1'), invalidToken())), 401)
  })

  it('is counted only for 401 errors', () => {
    const count = failedAuthentications(0)
    const fault = new Error('ours')
    assert.equal(count(from('192.0.2.1'), fault), fault)
    assert.equal(statusOf(count(from('192.0.2.1'), insufficientScope('catalog:read'))), 403)
  })
})
