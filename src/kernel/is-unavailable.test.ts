import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorCode } from './error-code.ts'
import { endsSession, isReadOnly, isUnavailable } from './is-unavailable.ts'

const withCode = (code: unknown, message = 'x') => Object.assign(new Error(message), { code })

/** Some SQLSTATEs represent their whole class. */
const OUTAGES = `08006 25006 25P03 25P04 40001 40P01 53300 55P03 57P01 58030 ECONNABORTED
  ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOENT EPIPE
  ETIMEDOUT EAI_AGAIN EAI_FAIL ENOTFOUND EADDRNOTAVAIL EMFILE ENFILE ENOBUFS`.split(/\s+/)
const FAULTS = ['23505', '42P01', '22P02', '55006', '58000', '40002', '0800', 'EACCES', '']

describe('an error', () => {
  it('is recognized as an outage by its code', () => {
    for (const code of OUTAGES) assert.ok(isUnavailable(withCode(code)), code)
    for (const code of FAULTS) assert.ok(!isUnavailable(withCode(code)), code)
    // The first two characters are a class only in an SQLSTATE, not in other codes.
    for (const code of ['57P0', '57P011', 'a57P01', '57p01', 57_001, undefined])
      assert.ok(!isUnavailable(withCode(code)), String(code))
  })

  it('is recognized as an outage by its message if the database client sets no code', () => {
    for (const message of [
      'Connection terminated unexpectedly',
      'timeout exceeded when trying to connect',
      'timeout expired',
      'Client has encountered a connection error and is not queryable',
      'the connection has been discarded',
      'driver has already been destroyed',
      'Cannot use a pool after calling end on the pool',
      'PGlite is closed',
    ])
      assert.ok(isUnavailable(new Error(message)), message)
    assert.ok(!isUnavailable(new Error('syntax error')))
    assert.ok(!isUnavailable('Connection terminated'))
    assert.ok(!isUnavailable(undefined))
  })

  it('is recognized as an outage if one of its causes is an outage', () => {
    assert.ok(isUnavailable(new AggregateError([new Error('x'), withCode('ECONNREFUSED')])))
    assert.ok(!isUnavailable(new AggregateError([new Error('x'), withCode('23505')])))
  })

  it('requires a new connection if this one leads to a read-only or failing server', () => {
    for (const code of ['08006', '25006', '40001', '57P01', '57P02', '57P03', '58030'])
      assert.ok(endsSession(withCode(code)), code)
    for (const code of ['57014', '23505', '40P01', '55P03', '0800', 'ECONNRESET'])
      assert.ok(!endsSession(withCode(code)), code)
    assert.ok(!endsSession({ code: '25006' }))
  })

  it('is recognized as a read-only database by its SQLSTATE', () => {
    assert.ok(isReadOnly(withCode('25006')))
    assert.ok(!isReadOnly(withCode('25P03')))
    assert.ok(!isReadOnly({ code: '25006' }))
  })

  it('is treated as having no code unless its `code` is a string', () => {
    assert.equal(errorCode(withCode('ENOENT')), 'ENOENT')
    for (const error of [withCode(5), new Error('x'), { code: 'ENOENT' }, undefined])
      assert.equal(errorCode(error), undefined)
  })
})
