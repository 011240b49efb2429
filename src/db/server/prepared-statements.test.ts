import assert from 'node:assert/strict'
import { it } from 'node:test'
import { statementNames } from './prepared-statements.ts'

it('statementNames names at most 500 distinct statements', () => {
  const nameOf = statementNames()
  const names = Array.from({ length: 500 }, (_, number) => nameOf(`select ${number}`))
  assert.equal(new Set(names).size, 500)
  assert.ok(!names.includes(undefined))
  assert.equal(nameOf('select 500'), undefined)
  assert.equal(nameOf('select 0'), names[0])
})
