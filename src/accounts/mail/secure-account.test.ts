import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { after, before, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { signInFrom } from '#test/sign-ins.ts'
import { listEvents } from '../../audit/events.ts'
import { queryText } from '../../db/query.ts'
import { countRecoveryCodes } from '../credentials/recovery-codes.ts'
import { changePassword } from '../credentials/password-queries.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'
import { confirmTotp, renewRecoveryCodes } from '../credentials/second-factor.ts'
import { generateTotpSecret } from '../credentials/totp.ts'
import { deleteAccount } from '../deletion-queries.ts'
import { findAccount, findAccountByEmail } from '../queries.ts'
import { lockSession, SessionEndedError } from '../sign-in/lock-session.ts'
import { finishEmailChange, finishReset } from './finish-links.ts'
import { createLink, findLink, redeemLink } from './link-queries.ts'
import { secureAccount } from './secure-account.ts'
import { enqueueMail, enqueueNotice } from './outbox/outbox.ts'
import { prepareMail, type MailRow } from './prepare-mail.ts'

const SECRET_KEY = 'a key that is at least thirty-two characters long'

describeOnDatabase('the “this was not me” link', (engine) => {
  let database: OpenTestDatabase
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  let accounts = 0
  async function owner() {
    const email = `owner${++accounts}@example.org`
    return {
      id: await addAccount(database.db, { email, name: 'Owner', password: 'correct horse' }),
      email,
    }
  }
  const emailOf = async (id: number) => (await findAccount(database.db, id))?.email
  const mails = (email: string) =>
    queryText<MailRow>(database.db, 'select * from mails where email = $1 order by id', [email])

  /**
   * Prepares the newest email to an address, as the outbox does.
   *
   * @returns the token in its link
   */
  async function receive(email: string): Promise<string> {
    const mail = (await mails(email)).at(-1)
    assert.ok(mail, `a mail to ${email}`)
    const prepared = await prepareMail(database.db, 'https://id.example.org', mail)
    await database.db.deleteFrom('mails').where('id', '=', mail.id).execute()
    return new URL(prepared?.link ?? 'https://none.example').searchParams.get('token') ?? ''
  }
  async function changeAddress(account_id: number, email: string) {
    const token = await createLink(database.db, { purpose: 'change_email', email, account_id })
    const link = await findLink(database.db, token, 'change_email')
    assert.ok(link)
    assert.equal(await finishEmailChange(database.db, link, { language: 'en' }), 'changed')
  }
  const refuse = (token: string) =>
    secureAccount(database.db, {
      token,
      origin: {},
      language: 'en',
      endAccess: async (trx, id) => {
        await queryText(trx, 'delete from sessions where account_id = $1', [id])
        return { allowed: [], registered: [] }
      },
    })
  async function addSession(id: number) {
    const uid = `session-${++accounts}`
    await queryText(
      database.db,
      `insert into sessions (id_hash, uid, account_id, payload, expires_at) values ($1, $1, $2, '{}', now() + interval '1 day')`,
      [uid, id],
    )
    return uid
  }
  const addPasskey = (account_id: number, name: string, created_at = new Date()) =>
    database.db
      .insertInto('passkeys')
      .values({
        credential_id: `${name}-${++accounts}`,
        account_id,
        name,
        public_key: 'x',
        created_at,
      })
      .execute()
  let tokens = 0
  const addToken = (account_id: number, name: string, created_at = new Date()) =>
    database.db
      .insertInto('personal_tokens')
      .values({
        account_id,
        slot: ++tokens,
        token_hash: hashToken(`${name} ${tokens}`),
        name,
        scopes: '["status:read"]',
        created_at,
      })
      .execute()
  const passkeys = async (id: number) =>
    (
      await database.db.selectFrom('passkeys').select('name').where('account_id', '=', id).execute()
    ).map(({ name }) => name)
  const addAuthenticator = (id: number, session?: string) => {
    const { secret } = generateTotpSecret('owner@example.org')
    const code = TOTP.generate({ secret: Secret.fromBase32(secret) })
    return confirmTotp(database.db, id, {
      secret,
      code,
      secretKey: SECRET_KEY,
      language: 'en',
      ...(session !== undefined && { session }),
    })
  }

  it('restores the old address once if the email was sent there, and sends a password reset link to it', async () => {
    const { id, email } = await owner()
    await changeAddress(id, 'thief-one@example.org')
    const token = await receive(email)
    const thiefReset = await createLink(database.db, {
      purpose: 'reset_password',
      email: 'thief-one@example.org',
      account_id: id,
    })
    const results = await Promise.all(Array.from({ length: 5 }, () => refuse(token)))
    assert.deepEqual(results.map(({ outcome }) => outcome).toSorted(), [
      ...Array<string>(4).fill('gone'),
      'put_back',
    ])
    assert.equal(await emailOf(id), email)
    assert.equal(await findLink(database.db, thiefReset, 'reset_password'), undefined)
    assert.deepEqual(
      (await mails(email)).map(({ kind }) => kind),
      ['reset_password'],
    )
    assert.deepEqual(
      (await mails('thief-one@example.org')).map(({ kind }) => kind),
      ['email_put_back'],
    )
    const [notification] = await mails('thief-one@example.org')
    assert.ok(notification)
    const letter = await prepareMail(database.db, 'https://id.example.org', notification)
    assert.match(letter?.text ?? '', /^Account address: o•••@example\.org$/m)
    assert.ok(
      !JSON.stringify([letter, notification]).includes(email),
      'the mailbox may be a thief’s',
    )
    const reset = await redeemLink(database.db, await receive(email), 'reset_password')
    assert.ok(reset)
    assert.equal(
      await finishReset(database.db, reset, await hashPassword('another horse'), {
        language: 'en',
      }),
      id,
    )
    const event = (await listEvents(database.db, id, { limit: 9 })).find(
      ({ kind }) => kind === 'not_me',
    )
    assert.equal(event?.details['address_put_back'], true)
  })

  it('restores the address that the account had longest, however often a thief changes it and uses the link', async () => {
    const { id, email } = await owner()
    await changeAddress(id, 'first@thief.example')
    await changeAddress(id, 'second@thief.example')
    const [ownersToken, thiefToken] = [await receive(email), await receive('first@thief.example')]
    assert.equal((await refuse(thiefToken)).outcome, 'put_back')
    assert.equal(await emailOf(id), 'first@thief.example')
    assert.equal(
      (await refuse(ownersToken)).outcome,
      'put_back',
      'the older link is not the thief’s to end',
    )
    assert.equal(await emailOf(id), email)

    const repeated = await owner()
    await changeAddress(repeated.id, 'third@thief.example')
    await changeAddress(repeated.id, 'fourth@thief.example')
    const [mine, othersMail] = [await receive(repeated.email), await receive('third@thief.example')]
    assert.equal((await refuse(mine)).outcome, 'put_back')
    assert.equal((await refuse(othersMail)).outcome, 'gone', 'the later link ends')
    assert.equal(await emailOf(repeated.id), repeated.email)
  })

  it('invalidates every email that would let a thief return, including those being sent', async () => {
    const { id, email } = await owner()
    await changeAddress(id, 'waits@thief.example')
    const token = await receive(email)
    await enqueueNotice(database.db, id, { kind: 'new_device', language: 'en' })
    await enqueueMail(database.db, {
      kind: 'reset_password',
      email: 'waits@thief.example',
      language: 'en',
      details: { interaction: null },
    })
    await enqueueMail(database.db, {
      kind: 'change_email',
      email: 'next@thief.example',
      language: 'en',
      details: { account_id: id, browser_hash: null },
    })
    const inHand = [...(await mails('waits@thief.example')), ...(await mails('next@thief.example'))]
    assert.equal(inHand.length, 3)
    assert.equal((await refuse(token)).outcome, 'put_back')
    for (const mail of inHand)
      assert.equal(
        await prepareMail(database.db, 'https://id.example.org', mail),
        undefined,
        mail.kind,
      )
    assert.deepEqual(
      (await mails('waits@thief.example')).map(({ kind }) => kind),
      ['email_put_back'],
    )
    const open = await database.db
      .selectFrom('links')
      .select('purpose')
      .where('account_id', '=', id)
      .execute()
    assert.deepEqual(open, [])
  })

  it('is not undone by a change in progress', async () => {
    const { id, email } = await owner()
    await changeAddress(id, 'under-way@thief.example')
    const token = await receive(email)
    const [change, reset, session] = [
      await createLink(database.db, {
        purpose: 'change_email',
        email: 'late@thief.example',
        account_id: id,
      }),
      await createLink(database.db, {
        purpose: 'reset_password',
        email: 'under-way@thief.example',
        account_id: id,
      }),
      await addSession(id),
    ]
    const changing = await findLink(database.db, change, 'change_email')
    const resetting = await redeemLink(database.db, reset, 'reset_password')
    assert.ok(changing && resetting)
    assert.equal((await refuse(token)).outcome, 'put_back')
    assert.equal(await finishEmailChange(database.db, changing, { language: 'en' }), 'gone')
    assert.equal(await finishReset(database.db, resetting, 'x', { language: 'en' }), undefined)
    await assert.rejects(addAuthenticator(id, session), SessionEndedError)
    await assert.rejects(
      renewRecoveryCodes(database.db, id, { session, language: 'en' }),
      SessionEndedError,
    )
    const before = await database.db
      .selectFrom('accounts')
      .select('password_hash')
      .where('id', '=', id)
      .execute()
    await assert.rejects(
      changePassword(database.db, id, 'the thief’s horse', {}, (trx) =>
        lockSession(trx, id, session),
      ),
      SessionEndedError,
    )
    assert.deepEqual(
      await database.db
        .selectFrom('accounts')
        .select('password_hash')
        .where('id', '=', id)
        .execute(),
      before,
    )
    assert.equal(await emailOf(id), email)
    assert.equal((await findAccount(database.db, id))?.has_totp, false)
  })

  it('changes nothing while the address belongs to another account, and works once it is free', async () => {
    const { id, email } = await owner()
    await changeAddress(id, 'taken@thief.example')
    const token = await receive(email)
    const other = await addAccount(database.db, {
      email: email.toUpperCase(),
      name: 'New',
      password: 'x y z',
    })
    const session = await addSession(id)
    assert.deepEqual(await refuse(token), { outcome: 'taken', email })
    assert.equal(await emailOf(id), 'taken@thief.example')
    await database.db.transaction().execute((trx) => lockSession(trx, id, session))
    await deleteAccount(database.db, other)
    assert.equal((await refuse(token)).outcome, 'put_back')
    assert.equal((await findAccountByEmail(database.db, email))?.id, id)
  })

  it('works for a week, but not for a deleted account', async () => {
    const [late, deletedOwner] = [await owner(), await owner()]
    await changeAddress(late.id, 'late-one@example.org')
    await changeAddress(deletedOwner.id, 'gone-one@example.org')
    const tokens = [await receive(late.email), await receive(deletedOwner.email)]
    await queryText(
      database.db,
      `update links set expires_at = expires_at - interval '7 days' where account_id = $1`,
      [late.id],
    )
    await deleteAccount(database.db, deletedOwner.id)
    for (const token of tokens) assert.equal((await refuse(token)).outcome, 'gone')
    assert.equal(await emailOf(late.id), 'late-one@example.org')
  })

  it('removes sign-in methods added since the email, and keeps older ones', async () => {
    const { id, email } = await owner()
    await addPasskey(id, 'Mine', new Date(Date.now() - 60_000))
    await addToken(id, 'Mine', new Date(Date.now() - 60_000))
    await signInFrom(database.db, id)
    await queryText(
      database.db,
      `update known_devices set created_at = now() - interval '1 hour'`,
      [],
    )
    await enqueueNotice(database.db, id, { kind: 'new_device', language: 'en' })
    const token = await receive(email)
    await addPasskey(id, 'Theirs')
    await addToken(id, 'Theirs')
    await signInFrom(database.db, id)
    assert.equal((await addAuthenticator(id))?.length, 10)
    assert.equal((await refuse(token)).outcome, 'shut_out')
    assert.deepEqual(await passkeys(id), ['Mine'])
    assert.equal((await findAccount(database.db, id))?.has_totp, false)
    assert.equal(await countRecoveryCodes(database.db, id), 0)
    const devices = await database.db
      .selectFrom('known_devices')
      .select('account_id')
      .where('account_id', '=', id)
      .execute()
    assert.equal(devices.length, 1)
    const [event] = await listEvents(database.db, id, { limit: 1 })
    assert.deepEqual(event?.details, {
      address_put_back: false,
      authenticator: true,
      passkeys: ['Theirs'],
      providers: [],
      recovery_codes: 10,
      tokens: ['Theirs'],
      apps: [],
      registered_apps: [],
    })
  })

  it('removes the factor that its email reports and the new recovery codes, but keeps an older authenticator app', async () => {
    const { id, email } = await owner()
    await addAuthenticator(id)
    await queryText(
      database.db,
      `update accounts set totp_added_at = now() - interval '1 hour' where id = $1`,
      [id],
    )
    await queryText(
      database.db,
      `update recovery_codes set created_at = null where account_id = $1`,
      [id],
    )
    await database.db.deleteFrom('mails').where('email', '=', email).execute()
    await renewRecoveryCodes(database.db, id, { language: 'en' })
    const token = await receive(email)
    assert.equal(await countRecoveryCodes(database.db, id), 10)
    assert.equal((await refuse(token)).outcome, 'shut_out')
    assert.equal(await countRecoveryCodes(database.db, id), 0)
    assert.equal((await findAccount(database.db, id))?.has_totp, true)
  })
})
