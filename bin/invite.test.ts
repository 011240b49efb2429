import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setUpOperator } from '#test/operator.ts'

describe('mokuroku invite', () => {
  const { run, runJson, query } = setUpOperator()

  it('creates, lists and revokes an invitation', async () => {
    const created = await run(['invite', 'create', '--uses', '3', '--note', 'book club'])
    assert.equal(created.status, 0, created.errors)
    assert.match(created.output, /^Created invitation 1 for 3 accounts, valid until \d{4}-/)
    const [, code = ''] = /\/sign-up\?invitation=([\w-]{43})\n$/.exec(created.output) ?? []
    assert.notEqual(code, '')
    const rows = await query('select * from invitations')
    assert.equal(rows.length, 1)
    assert.ok(!JSON.stringify(rows).includes(code))

    const listed = await run(['invite', 'list'])
    assert.match(listed.output, /^id +state +used +expires +accounts +note\n1 +usable +0\/3 /)
    assert.ok(!listed.output.includes(code))
    assert.deepEqual(await runJson(['invite', 'revoke', '1']), { id: 1, revoked: 'done' })
    assert.deepEqual(await runJson(['invite', 'revoke', '1']), { id: 1, revoked: 'already' })
    assert.match((await run(['invite', 'list'])).output, /\n1 +revoked /)
    assert.deepEqual(
      (await query<{ kind: string }>('select kind from audit_events order by id')).map(
        ({ kind }) => kind,
      ),
      ['invitation_created', 'invitation_revoked'],
    )
  })

  it('rejects impossible values and unknown invitations', async () => {
    for (const args of [
      ['create', '--uses', '0'],
      ['create', '--uses', '10001'],
      ['create', '--days', '1.5'],
      ['create', '--note', 'x'.repeat(201)],
      ['create', '--note', 'a\nb'],
      ['revoke', 'first'],
    ])
      assert.equal((await run(['invite', ...args])).status, 2, args.join(' '))
    const missing = await run(['invite', 'revoke', '99'])
    assert.deepEqual([missing.status, missing.errors], [1, 'Invitation 99 does not exist.\n'])
  })
})
