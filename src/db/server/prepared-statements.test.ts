import assert from 'node:assert/strict'
import { it } from 'node:test'
import { statementOf } from '../statement.ts'
import { statementNames } from './prepared-statements.ts'

it('statementNames names all declared statements and at most 300 others', () => {
  const nameOf = statementNames()
  const names = Array.from({ length: 300 }, (_, number) => nameOf(`select ${number}`))
  assert.equal(new Set(names).size, 300)
  assert.ok(!names.includes(undefined))
  assert.equal(nameOf('select 300'), undefined)
  assert.equal(nameOf('select 0'), names[0])
  const { text } = statementOf('test.declared', 'select 301')
  assert.ok(nameOf(text) !== undefined)
})
