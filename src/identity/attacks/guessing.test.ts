import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import {
  basicAuthorization,
  createClient,
  createUser,
  postToProvider,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { PlainBrowser } from '#test/browser.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { FORM, HTML, send, type RawResponse } from '#test/attacks.ts'
import { createAccount } from '../../accounts/queries.ts'

let addresses = 0
/** Returns a client address from which no attempts have been made. */
const newAddress = () => {
  addresses += 1
  return `127.77.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

type Try = {
  email: string
  password: string
  from?: string
  /** Value of the device cookie. */
  device?: string
  headers?: Record<string, string>
}

/** Signs in with a new browser. */
async function attemptSignIn(
  service: TestService,
  { email, password, from = newAddress(), device, headers = {} }: Try,
) {
  const browser = new PlainBrowser(service.url)
  const page = await browser.get('/sign-in')
  if (device) browser.setCookie('mokuroku-device', device)
  const started = performance.now()
  const response = await send(service.url, '/sign-in', {
    method: 'POST',
    from,
    headers: {
      ...HTML,
      ...FORM,
      origin: service.url,
      ...headers,
      cookie: browser.cookieHeader('/sign-in'),
    },
    body: new URLSearchParams({ ...page.forms[0]?.fields, email, password }).toString(),
  })
  return { ...response, ms: performance.now() - started }
}

/** Removes the parts of a response that differ each time. */
const bare = ({ status, headers, text }: RawResponse, email: string) => {
  const { date: _date, 'x-request-id': _id, 'set-cookie': cookies = [], ...rest } = headers
  return {
    status,
    rest,
    cookies: [cookies].flat().map((line) => line.replace(/=[^;]*/, '')),
    text: text.replaceAll(/name="_csrf" value="[^"]*"/g, '').replaceAll(email, 'EMAIL'),
  }
}

describeOnDatabase('an attacker who guesses passwords', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  it('waits longer after each attempt, whether or not the account exists', async () => {
    const user = await createUser(service)
    for (const email of [user.email, `nobody-${user.email}`]) {
      const waits: number[] = []
      for (let index = 0; index < 40 && waits.length < 5; index += 1) {
        const response = await attemptSignIn(service, { email, password: 'wrong' })
        if (response.status === 429) {
          waits.push(Number(response.headers['retry-after']))
          await service.db
            .updateTable('attempts')
            .set({ blocked_until: new Date(0) })
            .execute()
        } else assert.equal(response.status, 422)
      }
      assert.deepEqual(
        waits,
        waits.toSorted((a, b) => a - b),
      )
      assert.ok((waits.at(-1) ?? 0) >= 4 * (waits[0] ?? 1), waits.join())
    }
  })

  it('gains nothing from concurrent requests or from changing the case of the email address', async () => {
    const user = await createUser(service)
    const emails = [
      user.email,
      user.email.toUpperCase(),
      ` ${user.email} `,
      user.email.replace('r', 'R'),
    ]
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        attemptSignIn(service, { email: emails[index % 4] ?? '', password: 'wrong' }),
      ),
    )
    assert.ok(
      responses.filter(({ status }) => status === 422).length <= 6,
      'no more are looked at than one after another',
    )
    assert.ok(responses.every(({ status }) => status === 422 || status === 429))
  })

  it('cannot lock the owner out of a known browser', async () => {
    const user = await createUser(service)
    const first = await attemptSignIn(service, { email: user.email, password: user.password })
    assert.equal(first.status, 303)
    const device =
      /device=([^;]+)/.exec([first.headers['set-cookie'] ?? []].flat().join('\n'))?.[1] ?? ''
    for (let index = 0; index < 30; index += 1)
      await attemptSignIn(service, { email: user.email, password: 'wrong' })
    // On a slow machine, the account's delay may have just ended.
    await service.db
      .updateTable('attempts')
      .set({ blocked_until: new Date(Date.now() + 60_000) })
      .where('blocked_until', 'is not', null)
      .execute()
    assert.equal(
      (await attemptSignIn(service, { email: user.email, password: 'wrong' })).status,
      429,
    )
    const fromNewBrowser = await attemptSignIn(service, {
      email: user.email,
      password: user.password,
      device: 'A'.repeat(43),
    })
    assert.equal(fromNewBrowser.status, 429, 'a made-up device is a stranger')
    const owner = await attemptSignIn(service, {
      email: user.email,
      password: user.password,
      device,
    })
    assert.equal(owner.status, 303)
  })
})

describeOnDatabase('an attacker who guesses email addresses', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  it('cannot distinguish registered email addresses by response or response time', async () => {
    // Uses real password hashes. Other tests use hashes that are checked instantly.
    const users = Array.from({ length: 4 }, (_, index) => ({
      email: `reader-of-cost-${index}@example.org`,
    }))
    for (const { email } of users)
      await createAccount(service.db, { email, name: 'Reader', password: 'correct horse battery' })
    const known: number[] = []
    const unknown: number[] = []
    for (let index = 0; index < 15; index += 1) {
      const user = users[index % users.length]
      assert.ok(user)
      const stranger = user.email.replace('reader', 'nobody')
      const registered = await attemptSignIn(service, {
        email: user.email,
        password: `wrong ${index}`,
      })
      const unregistered = await attemptSignIn(service, {
        email: stranger,
        password: `wrong ${index}`,
      })
      assert.deepEqual(bare(registered, user.email), bare(unregistered, stranger))
      known.push(registered.ms)
      unknown.push(unregistered.ms)
    }
    // Compares the fastest runs, because an attacker would ignore runs on a busy machine.
    const ratio = Math.min(...known) / Math.min(...unknown)
    assert.ok(ratio > 0.5 && ratio < 2, `known takes ${ratio} times as long`)
  })

  it('is counted by the IP address of the connection, whatever the headers claim', async () => {
    const from = newAddress()
    const statuses: number[] = []
    for (let index = 0; index < 34; index += 1) {
      const claimedAddress = `10.0.0.${index + 1}`
      const { status } = await attemptSignIn(service, {
        email: `nobody-${index}@example.org`,
        password: 'wrong',
        from,
        headers: {
          'x-forwarded-for': claimedAddress,
          'x-real-ip': claimedAddress,
          forwarded: `for=${claimedAddress}`,
          'true-client-ip': claimedAddress,
        },
      })
      statuses.push(status)
    }
    assert.equal(statuses.at(-1), 429, statuses.join())
    assert.equal(
      (await attemptSignIn(service, { email: 'somebody@example.org', password: 'wrong' })).status,
      422,
    )
  })
})

describeOnDatabase('an attacker who guesses codes and secrets', (engine) => {
  let service: TestService
  let app: TestApp
  let posting: TestApp
  before(async () => {
    service = await startService({ engine, environment: { TOKEN_REQUESTS_PER_MINUTE: '60' } })
    app = await createClient(service)
    posting = await createClient(service, { tokenEndpointAuthMethod: 'client_secret_post' })
  })
  after(() => service.close())

  it('is limited by IP address when guessing device user codes', async () => {
    const browser = new PlainBrowser(service.url)
    const page = await browser.get('/oidc/device')
    const cookie = browser.cookieHeader('/oidc/device')
    const from = newAddress()
    let refused = 0
    for (let index = 0; index < 70; index += 1) {
      const { status } = await send(service.url, '/oidc/device', {
        method: 'POST',
        from,
        headers: { ...HTML, ...FORM, cookie, 'x-forwarded-for': `10.0.0.${index}` },
        body: new URLSearchParams({
          ...page.forms[0]?.fields,
          user_code: `BBBB-BBB${'BCDFGHJKLM'[index % 10]}`,
        }).toString(),
      })
      if (status === 429) refused += 1
    }
    assert.ok(refused >= 9, `${refused} refused`)
  })

  it('is limited by IP address when creating anonymous sessions, which expire soon', async () => {
    for (const path of ['/oidc/device', '/oidc/device/none', '/oidc/session/end']) {
      const from = newAddress()
      let refused = 0
      for (let index = 0; index < 64; index += 1)
        if ((await send(service.url, path, { from, headers: HTML })).status === 429) refused += 1
      assert.equal(refused, 4, path)
    }
    const { long } = await service.db
      .selectFrom('sessions')
      .select(({ fn }) => fn.countAll<number>().as('long'))
      .where('account_id', 'is', null)
      .where('expires_at', '>', sql<Date>`now() + interval '1 hour'`)
      .executeTakeFirstOrThrow()
    assert.equal(long, 0)
  })

  it('is not admitted by any combination of client authentication methods', async () => {
    const grant = { grant_type: 'client_credentials', scope: 'catalog:full' }
    const { clientId: client_id, secret: client_secret } = app
    type Attempt = [form: Record<string, string>, headers: Record<string, string>]
    const withSecret = (secret: string, clientId = client_id): Attempt => [
      {},
      basicAuthorization({ clientId, secret }),
    ]
    const invalidClient: Attempt[] = [
      [{ client_id, client_secret }, {}],
      [{ client_id }, {}],
      [{ client_id: posting.clientId, client_secret: 'x'.repeat(10_000) }, {}],
      withSecret(posting.secret, posting.clientId),
      withSecret(client_secret, 'mk_unknown'),
      ...[
        'x',
        client_secret.slice(0, -1),
        `${client_secret}x`,
        client_secret.toLowerCase(),
        posting.secret,
      ].map((secret) => withSecret(secret)),
    ]
    const invalidRequest: Attempt[] = [
      [{ client_id, client_secret }, basicAuthorization(app)],
      [{ client_id, client_secret: 'x' }, basicAuthorization(app)],
      [{ client_id: posting.clientId }, basicAuthorization(app)],
      [{ client_id: posting.clientId, client_secret: posting.secret }, basicAuthorization(app)],
      [{ client_id: '' }, {}],
      withSecret('', ''),
      ...['', `${client_secret}\0`, 'é'].map((secret) => withSecret(secret)),
      [{}, { authorization: `Bearer ${client_secret}` }],
      [{}, { authorization: 'Basic' }],
      [{}, { authorization: 'Basic !!!' }],
      [{}, { authorization: `Basic ${Buffer.from(client_id).toString('base64')}` }],
    ]
    for (const attempt of [...invalidClient, ...invalidRequest]) {
      const [form, headers] = attempt
      const { status, body } = await postToProvider(
        `${service.url}/oidc/token`,
        { ...grant, ...form },
        headers,
      )
      assert.deepEqual(
        [status, body['error'], body['access_token']],
        invalidClient.includes(attempt)
          ? [401, 'invalid_client', undefined]
          : [400, 'invalid_request', undefined],
        JSON.stringify(attempt).slice(0, 200),
      )
    }
    assert.equal(
      (
        await postToProvider(
          `${service.url}/oidc/token`,
          { ...grant, client_id },
          basicAuthorization(app),
        )
      ).status,
      200,
    )
    const posted = { ...grant, client_id: posting.clientId, client_secret: posting.secret }
    assert.equal((await postToProvider(`${service.url}/oidc/token`, posted)).status, 200)
  })
})
