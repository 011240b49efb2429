import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setUpOperator } from '#test/operator.ts'

describe('mokuroku account', () => {
  const operator = setUpOperator('empty')
  const run = (args: string[], input?: string) => operator.run(['account', ...args], input)
  const runJson = (args: string[]) => operator.runJson(['account', ...args])

  it('lists no accounts at first, then every account without secrets', async () => {
    assert.deepEqual(await runJson(['list']), [])
    assert.match((await run(['list'])).output, /^There are no accounts yet\.$/m)
    await runJson(['create', 'reader@example.org', '--name', 'Reader'])
    const [account] = await operator.runJson<Record<string, unknown>[]>(['account', 'list'])
    assert.equal(account?.['email'], 'reader@example.org')
    assert.ok(account['email_verified_at'], 'the operator vouches for the address')
    assert.ok(!('password_hash' in account) && !('totp_secret' in account))
    assert.match(
      (await run(['list'])).output,
      /^id .*\n1 +reader@example\.org +Reader +active +\d{4}-/,
    )
  })

  it('bans by email address or ID with a reason, and lifts the ban', async () => {
    const { id } = await runJson(['create', 'banned@example.org'])
    const banned = await runJson(['ban', 'BANNED@example.org', '--reason', ' advertising '])
    assert.deepEqual([banned['id'], banned['ban_reason']], [id, 'advertising'])
    assert.match((await run(['list'])).output, /banned@example\.org +banned +banned/)
    const { status, output } = await run(['unban', String(id)])
    assert.deepEqual(
      { status, output },
      { status: 0, output: `Account ${String(id)}, banned@example.org, can sign in again.\n` },
    )
    const repeated = await run(['unban', String(id)])
    assert.deepEqual([repeated.status, repeated.output], [1, ''])
    assert.match(repeated.errors, /is not banned/)
    assert.equal((await runJson(['ban', String(id), '--reason', 'x']))['ban_reason'], 'x')
  })

  it('approves and declines an account that waits for it', async () => {
    const { id } = await runJson(['create', 'waiting@example.org'])
    await operator.query(
      `update accounts set approval_requested_at = now(), approval_language = 'en' where id = ${String(id)}`,
    )
    assert.match((await run(['list'])).output, /waiting@example\.org +waiting +waiting/)
    const role = await run(['role', 'waiting@example.org', 'ADMIN'])
    assert.match(role.errors, /waits for approval\. Approve the account first\./)
    assert.equal((await run(['decline', 'waiting@example.org'])).status, 2, 'without a reason')
    const declined = await runJson(['decline', 'waiting@example.org', '--reason', 'spam'])
    assert.deepEqual(declined, { id, email: 'waiting@example.org', decision: 'declined' })
    assert.match((await run(['list'])).output, /waiting@example\.org +waiting +declined/)
    const approved = await run(['approve', String(id)])
    assert.equal(approved.output, `Account ${String(id)}, waiting@example.org, is approved.\n`)
    assert.match((await run(['approve', String(id)])).errors, /does not wait for approval/)
    assert.match((await run(['approve', '999'])).errors, /Account 999 does not exist/)
  })

  it('sets and removes a role, but keeps the last administrator', async () => {
    await runJson(['create', 'keeper@example.org'])
    assert.equal((await runJson(['role', 'keeper@example.org', 'MODERATOR']))['role'], 'MODERATOR')
    assert.equal((await runJson(['role', 'keeper@example.org', 'ADMIN']))['role'], 'ADMIN')
    const refused = await run(['role', 'keeper@example.org', 'none'])
    assert.deepEqual([refused.status, refused.output], [1, ''])
    assert.match(refused.errors, /last administrator/)
    assert.equal((await run(['role', 'keeper@example.org', 'SUPER'])).status, 2)
  })

  it('exits with status 1 for a nonexistent account', async () => {
    for (const args of [
      ['ban', 'nobody@example.org', '--reason', 'x'],
      ['ban', '999999', '--reason', 'x', '--json'],
      ['unban', 'nobody@example.org'],
    ]) {
      const { status, output, errors } = await run(args)
      assert.deepEqual([status, output], [1, ''])
      assert.match(errors, /^Account (nobody@example\.org|999999) does not exist\.$/m)
    }
  })

  it('exits with status 2 on wrong usage', async () => {
    for (const [args, message, input] of [
      [['ban', '1'], /Required option '--reason <text>' not specified/],
      [['ban', '1', '--reason', ' '], /^The reason must have 1 to 1000 characters\./],
      [['ban', 'unknown', '--reason', 'x'], /^unknown is neither an email address nor an ID\./],
      [['unban', '1e3'], /^1e3 is neither/],
      [['create', 'a@b,c@d'], /^a@b,c@d is not an email address\./],
      [['create', 'a@b', '--password-stdin'], /too common\. Choose another one/, 'password123\n'],
      [
        ['create', 'me@example.org', '--password-stdin'],
        /must differ from the email address/,
        'ME@example.org\n',
      ],
    ] as [string[], RegExp, string?][]) {
      const { status, output, errors } = await run(args, input)
      assert.deepEqual([status, output], [2, ''], args.join(' '))
      assert.match(errors, message)
    }
  })

  it('documents its usage in --help', async () => {
    const { output } = await run(['ban', '--help'])
    for (const word of [
      '<email-or-id>',
      '--reason <text>',
      '--json',
      'within a second',
      'Example:',
    ])
      assert.ok(output.includes(word), word)
  })
})
