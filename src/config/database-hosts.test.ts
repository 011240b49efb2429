import assert from 'node:assert/strict'
import { it } from 'node:test'
import { databaseHosts } from './database-hosts.ts'

it('databaseHosts returns one URL per host, without target_session_attrs', () => {
  assert.deepEqual(
    databaseHosts('postgres://u:p%2C@a:1,[::1]:2/db?sslmode=require&target_session_attrs=primary'),
    {
      urls: [
        'postgres://u:p%2C@a:1/db?sslmode=require',
        'postgres://u:p%2C@[::1]:2/db?sslmode=require',
      ],
      needsPrimary: true,
    },
  )
  assert.deepEqual(databaseHosts('postgres://a,b/db'), {
    urls: ['postgres://a/db', 'postgres://b/db'],
    needsPrimary: true,
  })
  for (const [url, needsPrimary] of [
    ['postgres://u@a/db?options=-c%20jit%3Doff', false],
    ['postgres://%2Ftmp/db', false],
  ] as const)
    assert.deepEqual(databaseHosts(url), { urls: [url], needsPrimary })
  assert.deepEqual(databaseHosts('postgres://a/db?target_session_attrs=read-write'), {
    urls: ['postgres://a/db'],
    needsPrimary: true,
  })
})
