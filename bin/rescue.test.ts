import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { accountCommand } from './commands/account/account.ts'
import { appCommand } from './commands/app/app.ts'
import { keysCommand } from './commands/keys.ts'
import { checkTotp, confirmTotp } from '../src/accounts/credentials/second-factor.ts'
import { generateTotpSecret } from '../src/accounts/credentials/totp.ts'
import { verifyCredentials } from '../src/accounts/sign-in/sign-in.ts'
import { listEvents } from '../src/audit/events.ts'
import { findApps } from '../src/apps/queries.ts'
import { ensureCookieKeys } from '../src/identity/provider/storage/cookie-keys.ts'
import { listSigningKeys } from '../src/identity/tokens/keys.ts'
import { createUser } from '#test/authorization.ts'
import { operatorOf } from '#test/operator.ts'
import { startService, type TestService } from '#test/service.ts'

describe('account recovery by the operator', () => {
  let service: TestService
  before(async () => (service = await startService({ content: 'empty' })))
  after(() => service.close())

  const { run, runJson } = operatorOf(() => service.config)
  const succeed = (args: string[], input?: string, environment?: NodeJS.ProcessEnv) =>
    runJson([...args, '--yes'], input, environment)
  const kindsOf = async (id: number) =>
    (await listEvents(service.db, id, { limit: 10 })).map(({ kind }) => kind)

  async function addTotp(id: number, secretKey: string | undefined) {
    const { secret } = generateTotpSecret('reader@example.org')
    const codeAt = (now: number) =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now })
    const now = Date.now()
    await confirmTotp(service.db, id, { secret, code: codeAt(now), secretKey, now, language: 'en' })
    const later = now + 60_000
    return (key: string | undefined) =>
      checkTotp(service.db, id, { code: codeAt(later), secretKey: key, now: later })
  }

  it('sets a new password and ends the account’s sessions', async () => {
    const { id, email } = await createUser(service)
    const { password } = await succeed(['account', 'password', email])
    const credentials = { email, password: String(password), address: '127.0.0.1' }
    assert.equal((await verifyCredentials(service.db, credentials)).outcome, 'ok')
    assert.ok((await kindsOf(id)).includes('password_changed'))
    assert.deepEqual(
      await succeed(['account', 'password', email, '--password-stdin'], 'three quiet endings\n'),
      { id, email },
    )
  })

  it('verifies an email address and removes second factors', async () => {
    const { id, email } = await createUser(service)
    await service.db
      .updateTable('accounts')
      .set({ email_verified_at: null })
      .where('id', '=', id)
      .execute()
    assert.equal((await succeed(['account', 'verify', email]))['changed'], true)
    assert.equal((await succeed(['account', 'verify', String(id)]))['changed'], false)
    const check = await addTotp(id, undefined)
    const { removed } = await succeed(['account', 'reset-factors', email])
    assert.deepEqual(removed, { authenticator: true, passkeys: 0, recovery_codes: 10 })
    assert.equal(await check(undefined), false)
    assert.deepEqual((await kindsOf(id)).slice(0, 1), ['second_factor_removed'])
    assert.ok((await kindsOf(id)).includes('email_verified'))
  })

  it('deletes an account', async () => {
    const { id, email } = await createUser(service)
    assert.deepEqual(await succeed(['account', 'delete', email]), { id, email, deleted: true })
    const { status, errors } = await run(['account', 'delete', email, '--yes'])
    assert.deepEqual([status, errors], [1, `Account ${email} does not exist.\n`])
  })

  it('shows an app, rotates its secret and deletes it', async () => {
    const { id } = await createUser(service)
    const { clientId } = await service.createApp({ accountId: id })
    const shown = await run(['app', 'show', clientId])
    assert.match(shown.output, new RegExp(`client ID +${clientId}\\n +owner +account ${id}\\n`))
    const { client_secret: secret } = await succeed(['app', 'rotate-secret', clientId])
    const granted = await service.requestToken({ clientId, secret: String(secret) })
    assert.equal(granted.status, 200)
    await succeed(['app', 'delete', clientId])
    assert.deepEqual(await findApps(service.db, [clientId]), [])
    assert.deepEqual((await kindsOf(id)).slice(0, 2), ['app_deleted', 'app_changed'])
  })

  it('requires --yes without a terminal', async () => {
    for (const args of [
      ['account', 'delete', (await createUser(service)).email],
      ['app', 'rotate-secret', (await service.createApp()).clientId],
    ]) {
      const { status, output, errors } = await run(args)
      assert.deepEqual([status, output], [2, ''], args.join(' '))
      assert.match(errors, /^Confirmation requires a terminal\. Add --yes to skip it\.$/m)
    }
  })

  it('reseals all secrets with a new SECRET_KEY, or changes nothing', async () => {
    const [first, second] = [
      'the first key of at least thirty-two',
      'the second key of at least thirty-two',
    ]
    const { id } = await createUser(service)
    const check = await addTotp(id, undefined)
    const before = await listSigningKeys(service.db, undefined)
    const cookieKeys = await ensureCookieKeys(service.db, undefined)
    const resealed = await succeed(['keys', 'reseal'], '', { SECRET_KEY: first })
    assert.equal(resealed['signing_keys'], before.length)
    await assert.rejects(listSigningKeys(service.db, undefined), /Set SECRET_KEY/)

    const wrong = await run(
      ['keys', 'reseal', '--old-key-stdin', '--yes'],
      'a wrong key, and no other\n',
      { SECRET_KEY: second },
    )
    assert.equal(wrong.status, 1)
    assert.match(wrong.errors, /encrypted with neither/)
    assert.deepEqual(await listSigningKeys(service.db, first), before)

    await succeed(['keys', 'reseal', '--old-key-stdin'], `${first}\n`, { SECRET_KEY: second })
    assert.deepEqual(await listSigningKeys(service.db, second), before)
    assert.deepEqual(await ensureCookieKeys(service.db, second), cookieKeys)
    assert.equal(await check(second), true)
    const unset = await run(['keys', 'reseal', '--yes'])
    assert.deepEqual(
      [unset.status, unset.errors],
      [2, 'SECRET_KEY must be set to the new value.\n'],
    )
  })

  it('shows an example in the help of each command', () => {
    for (const [parent, names] of [
      [accountCommand(), ['password', 'verify', 'reset-factors', 'delete']],
      [appCommand(), ['show', 'rotate-secret', 'delete']],
      [keysCommand(), ['reseal']],
    ] as const)
      for (const name of names) {
        const command = parent.commands.find((child) => child.name() === name)
        let help = ''
        command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
        assert.match(help, /^Examples?:/m, name)
      }
  })
})
