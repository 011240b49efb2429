import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import {
  createClient,
  createUser,
  obtainTokens,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, formWith, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { pino } from 'pino'
import { fetchForApps } from '../../outbound/fetch-for-apps.ts'
import { LogoutDeliveries } from './backchannel-logout.ts'
import { listenLocally } from '#test/free-port.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

type Received = { path: string; type: string | undefined; token: string; isOpen: boolean }

/**
 * Server of an app: accepts logout tokens at every path, rejects the first at `/restarting`, and never responds at
 * `/slow`.
 */
async function startReceiver() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const token = new URLSearchParams(body).get('logout_token') ?? ''
      const isStarting = path === '/restarting' && !received.some((each) => each.path === path)
      const entry = { path, type: request.headers['content-type'], token, isOpen: true }
      received.push(entry)
      response.once('close', () => (entry.isOpen = false))
      if (path !== '/slow') response.writeHead(path === '/failing' || isStarting ? 500 : 200).end()
    })
  })
  const port = await listenLocally(server)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { received, url: `http://127.0.0.1:${port}`, close }
}

describeOnDatabase('back-channel logout', (engine) => {
  let service: TestService
  let user: TestUser
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  before(async () => {
    service = await shareService(engine)
    receiver = await startReceiver()
    user = await createUser(service)
  })
  after(async () => {
    receiver.close()
    await service.close()
  })
  beforeEach(() => receiver.received.splice(0))

  async function notified(path: string, sessionRequired = true): Promise<TestApp> {
    const app = await createClient(service)
    await service.db
      .updateTable('apps')
      .set({
        backchannel_logout_uri: receiver.url + path,
        backchannel_logout_session_required: sessionRequired,
      })
      .where('client_id', '=', app.clientId)
      .execute()
    return app
  }
  const signInAt = async (app: TestApp, browser: PlainBrowser) =>
    (await obtainTokens(service, { app, user, browser, scope: 'openid' })).id_token ?? ''
  async function signOut(browser: PlainBrowser) {
    const page = await browser.get('/oidc/session/end')
    return browser.submit(page, { logout: 'yes' }, formWith(page, ['logout']))
  }
  const tokensSentTo = (path: string) => receiver.received.filter((each) => each.path === path)
  /** Verifies a logout token as in OpenID Connect Back-Channel Logout 1.0 §2.6, and returns its claims. */
  async function verified(app: TestApp, token: string) {
    const keys = createRemoteJWKSet(new URL(`${service.url}/oidc/jwks`))
    const { payload } = await jwtVerify(token, keys, {
      issuer: `${service.url}/oidc`,
      audience: app.clientId,
      typ: 'logout+jwt',
      algorithms: ['RS256'],
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
    })
    assert.deepEqual(payload['events'], {
      'http://schemas.openid.net/event/backchannel-logout': {},
    })
    assert.ok(!('nonce' in payload))
    return payload
  }

  it('sends a separate token to every app of the session, and none to any other app', async () => {
    const [first, second] = [await notified('/one'), await notified('/other', false)]
    const otherNotified = await notified('/elsewhere')
    await signInAt(otherNotified, await signedInBrowser(service, user))
    const browser = await signedInBrowser(service, user)
    const idToken = await signInAt(first, browser)
    assert.ok(!('sid' in decodeJwt(await signInAt(second, browser))))
    await signOut(browser)
    await eventually(async () => receiver.received.length === 2)
    const [logoutToken] = tokensSentTo('/one')
    assert.equal(logoutToken?.type, 'application/x-www-form-urlencoded')
    const { sub, sid } = await verified(first, logoutToken?.token ?? '')
    assert.deepEqual([sub, sid], [String(user.id), decodeJwt(idToken)['sid']])
    const withoutSession = await verified(second, tokensSentTo('/other')[0]?.token ?? '')
    assert.deepEqual([withoutSession.sub, 'sid' in withoutSession], [String(user.id), false])
  })

  it('retries with a new token if an app rejects one', async () => {
    const app = await notified('/restarting')
    const browser = await signedInBrowser(service, user)
    const idToken = await signInAt(app, browser)
    await signOut(browser)
    await eventually(async () => tokensSentTo('/restarting').length === 2, 'the second attempt')
    const [first, second] = tokensSentTo('/restarting').map(({ token }) => token)
    assert.notEqual(first, second)
    assert.equal((await verified(app, second ?? '')).sid, decodeJwt(idToken)['sid'])
  })

  it('notifies apps when a session is ended on the account pages', async () => {
    const app = await notified('/page')
    const browser = await signedInBrowser(service, user)
    const idToken = await signInAt(app, browser)
    const here = await signedInBrowser(service, user)
    const page = await here.get('/account/sessions')
    await here.press(page, '/account/sessions/end-others')
    await eventually(async () => tokensSentTo('/page').length === 1)
    const { sid } = await verified(app, tokensSentTo('/page')[0]?.token ?? '')
    assert.equal(sid, decodeJwt(idToken)['sid'])
  })

  it('never delays or prevents the sign-out, whatever the app responds', async () => {
    const browser = await signedInBrowser(service, user)
    for (const path of ['/slow', '/failing']) await signInAt(await notified(path), browser)
    const earlier = service.logged.length
    const refused = () =>
      service.logged
        .slice(earlier)
        .filter(({ msg }) => msg === 'An app rejected a logout token; retrying')
    const { status } = await signOut(browser)
    assert.equal(status, 200)
    await eventually(async () => receiver.received.length === 2)
    assert.ok(tokensSentTo('/slow')[0]?.isOpen, 'the answer waits for no app')
    assert.equal((await browser.get('/account')).url, `${service.url}/sign-in`)
    await eventually(async () => refused().length === 2, 'both requests end')
  })

  it('contacts no private addresses from a public service', async () => {
    const send = fetchForApps('https://id.example/oidc', async () => [
      { address: '127.0.0.1', family: 4 },
    ])
    for (const url of [
      receiver.url,
      receiver.url.replace('127.0.0.1', 'localhost'),
      receiver.url.replace('http:', 'https:'),
      'http://app.example/logout',
    ])
      await assert.rejects(send(url, { method: 'POST' }), /not a public https host/, url)
    const { port } = new URL(receiver.url)
    await assert.rejects(
      send(`https://app.example:${port}/logout`, { method: 'POST' }),
      /app\.example resolves to a non-public address/,
    )
    assert.deepEqual(receiver.received, [])
  })
})

describe('LogoutDeliveries with an app that rejects logout tokens', () => {
  /** Returns deliveries whose requests all fail, and the pauses between their attempts. */
  function failing(wait: (stopping: AbortSignal) => Promise<void>) {
    const pauses: number[] = []
    const logged: string[] = []
    let requests = 0
    const write = (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg)
    const deliveries = new LogoutDeliveries(pino({}, { write }), async (milliseconds, stopping) => {
      pauses.push(milliseconds)
      await wait(stopping)
    })
    class Client {
      clientId = 'mk_failing'
      async backchannelLogout(_accountId: string, _sessionId: string) {
        requests += 1
        throw new Error('refused')
      }
    }
    // as: only this part of the library is used
    deliveries.runInBackground({ Client } as unknown as Parameters<
      LogoutDeliveries['runInBackground']
    >[0])
    const send = () => new Client().backchannelLogout('1', 'sid')
    return { deliveries, send, pauses, logged, requests: () => requests }
  }

  it('sends three tokens within a minute, and then gives up with a warning', async () => {
    const { send, pauses, logged, requests } = failing(async () => {})
    await send()
    await eventually(async () => logged.length === 3)
    assert.deepEqual([requests(), pauses], [3, [5_000, 50_000]])
    assert.equal(logged.at(-1), 'An app rejected a logout token')
  })

  it('sends pending tokens once more when the process stops, without waiting for the retry delay', async () => {
    const { deliveries, send, pauses, requests } = failing(
      (stopping) => new Promise((resolve) => stopping.addEventListener('abort', () => resolve())),
    )
    await send()
    await eventually(async () => pauses.length === 1)
    await deliveries.stop()
    assert.deepEqual([requests(), pauses], [2, [5_000]])
  })
})
