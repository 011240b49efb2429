import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationResponse,
  authorizationRequest,
  CALLBACK,
  createClient,
  createUser,
  completeFlow,
  redeem,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describeOnDatabase('the authorization endpoint', (engine) => {
  let service: TestService
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
  })
  after(() => service.close())

  const send = (app: TestApp, parameters: Record<string, string> = {}, from = browser) =>
    from.get(authorizationRequest(app, parameters).path)
  const promptOf = ({ forms, location }: Visit) => {
    const names = new Set(
      forms.flatMap(({ fields, buttons }) => [
        ...Object.keys(fields),
        ...buttons.map(({ name }) => name),
      ]),
    )
    if (location !== undefined) return 'nothing'
    if (names.has('password')) return 'password'
    return names.has('choice') ? 'account' : names.has('decision') ? 'consent' : 'unknown'
  }
  const signIn = (visit: Visit, from = browser) =>
    from.submit(visit, { email: user.email, password: user.password })
  const allow = (visit: Visit, from = browser) => from.submit(visit, { decision: 'allow' })
  /** Creates an app for which the user has allowed the default scopes. */
  async function allowedApp(app: Partial<Parameters<TestService['createApp']>[0]> = {}) {
    const client = await createClient(service, app)
    assert.equal(promptOf(await send(client)), 'consent')
    authorizationResponse(await completeFlow(browser, await send(client), user))
    return client
  }
  const errorOf = (visit: Visit) => authorizationResponse(visit).get('error')

  it('asks for sign-in and consent the first time, and for neither the second time', async () => {
    const app = await createClient(service)
    const fresh = new PlainBrowser(service.url)
    const first = await send(app, {}, fresh)
    assert.equal(promptOf(first), 'password')
    const second = await signIn(first, fresh)
    assert.equal(promptOf(second), 'consent')
    assert.ok(authorizationResponse(await allow(second, fresh)).get('code'))
    assert.ok(authorizationResponse(await send(app, {}, fresh)).get('code'))
  })

  it('asks for consent again only if the app requests more', async () => {
    const app = await createClient(service)
    await completeFlow(browser, await send(app, { scope: 'openid status:read' }), user)
    assert.equal(promptOf(await send(app, { scope: 'openid status:read' })), 'nothing')
    assert.equal(promptOf(await send(app, { scope: 'openid' })), 'nothing')
    const more = await send(app, { scope: 'openid status:read collection:read' })
    assert.equal(promptOf(more), 'consent')
    assert.ok(authorizationResponse(await allow(more)).get('code'))
    assert.equal(
      promptOf(await send(app, { scope: 'openid status:read collection:read' })),
      'nothing',
    )
  })

  it('does not ask again in another browser for what the user has already allowed', async () => {
    const app = await allowedApp()
    const other = await signedInBrowser(service, user)
    assert.equal(promptOf(await send(app, {}, other)), 'nothing')
  })

  it('asks for consent in another browser if the app requests more than before', async () => {
    const app = await createClient(service)
    await completeFlow(browser, await send(app, { scope: 'openid status:read' }), user)
    const other = await signedInBrowser(service, user)
    const more = { scope: 'openid status:read status:write' }
    assert.equal(promptOf(await send(app, more, other)), 'consent')
    assert.equal(errorOf(await send(app, { ...more, prompt: 'none' }, other)), 'consent_required')
    assert.equal(promptOf(await send(app, { scope: 'openid status:read' }, other)), 'nothing')
  })

  it('asks for consent separately for each account', async () => {
    const app = await allowedApp()
    const otherUser = await createUser(service)
    assert.equal(
      promptOf(await send(app, {}, await signedInBrowser(service, otherUser))),
      'consent',
    )
  })

  it('asks for consent every time if a public app runs on the user’s machine and cannot prove its identity', async () => {
    for (const redirect_uri of ['my-app://cb', 'com.example.app:/cb', CALLBACK]) {
      const app = await createClient(service, {
        clientType: 'public',
        applicationType: 'native',
        redirectUris: [redirect_uri],
      })
      for (let time = 0; time < 2; time += 1) {
        const visit = await send(app, { redirect_uri })
        assert.equal(promptOf(visit), 'consent', redirect_uri)
        assert.ok(authorizationResponse(await allow(visit)).get('code'))
      }
      assert.equal(
        errorOf(await send(app, { redirect_uri, prompt: 'none' })),
        'interaction_required',
      )
    }
  })

  it('asks for consent only once if the app is a public web app, because its redirect URI proves its identity', async () => {
    const redirect_uri = 'https://spa.example/callback'
    const app = await createClient(service, { clientType: 'public', redirectUris: [redirect_uri] })
    assert.ok(authorizationResponse(await allow(await send(app, { redirect_uri }))).get('code'))
    assert.equal(promptOf(await send(app, { redirect_uri })), 'nothing')
  })

  it('asks for consent with prompt=consent, even without new scopes', async () => {
    const app = await allowedApp()
    const visit = await send(app, { prompt: 'consent' })
    assert.equal(promptOf(visit), 'consent')
    assert.ok(authorizationResponse(await allow(visit)).get('code'))
  })

  it('asks for the password with prompt=login, even right after a sign-in', async () => {
    const app = await allowedApp()
    const own = await signedInBrowser(service, user)
    for (let time = 0; time < 2; time += 1) {
      const visit = await send(app, { prompt: 'login' }, own)
      assert.equal(promptOf(visit), 'password')
      assert.ok(authorizationResponse(await signIn(visit, own)).get('code'))
    }
  })

  it('does not accept a sign-in made for a different request if prompt=login is set', async () => {
    const app = await allowedApp()
    const own = await signedInBrowser(service, user)
    const waiting = await send(app, { prompt: 'login' }, own)
    assert.equal(promptOf(waiting), 'password')
    await own.submit(
      await own.get('/sign-in?again'),
      {},
      { action: '/sign-in', method: 'get', fields: {}, buttons: [] },
    )
    const [, interaction = ''] = /interaction=([\w-]+)/.exec(waiting.url) ?? []
    assert.equal(promptOf(await own.get(`/interaction/${interaction}`)), 'password')
    const ownSend = await send(app, { prompt: 'login' }, own)
    assert.ok(authorizationResponse(await signIn(ownSend, own)).get('code'))
    const back = await own.get(`/interaction/${interaction}`)
    assert.ok(back.status === 400 || promptOf(back) === 'password', 'the first is still unanswered')
  })

  it('offers the signed-in account with prompt=select_account', async () => {
    const app = await allowedApp()
    const visit = await send(app, { prompt: 'select_account' })
    assert.equal(promptOf(visit), 'account')
    assert.match(visit.text, new RegExp(user.email))
    assert.ok(
      authorizationResponse(await browser.submit(visit, { choice: 'continue' })).get('code'),
    )
  })

  it('allows another account to sign in with prompt=select_account', async () => {
    const app = await createClient(service)
    const other = await createUser(service, 'Other')
    const own = await signedInBrowser(service, user)
    const visit = await send(app, { prompt: 'select_account' }, own)
    const page = await own.submit(visit, { choice: 'other' })
    assert.equal(promptOf(page), 'password')
    const consent = await own.submit(page, { email: other.email, password: other.password })
    assert.equal(promptOf(consent), 'consent')
    assert.match(consent.text, new RegExp(other.email))
    assert.ok(authorizationResponse(await allow(consent, own)).get('code'))
  })

  it('shows the pages for several prompts one after the other', async () => {
    const app = await allowedApp()
    const combinations: [string, string[]][] = [
      ['consent select_account', ['account', 'consent']],
      ['select_account consent', ['account', 'consent']],
      ['login consent', ['password', 'consent']],
      ['consent login', ['password', 'consent']],
      ['consent login select_account', ['account', 'password', 'consent']],
      ['select_account login', ['account', 'password']],
    ]
    for (const [prompt, expected] of combinations) {
      const own = await signedInBrowser(service, user)
      let visit = await send(app, { prompt }, own)
      const prompts: string[] = []
      while (visit.location === undefined && prompts.length < 5) {
        const shown = promptOf(visit)
        prompts.push(shown)
        visit =
          shown === 'account'
            ? await own.submit(visit, { choice: 'continue' })
            : shown === 'password'
              ? await signIn(visit, own)
              : await allow(visit, own)
      }
      assert.ok(authorizationResponse(visit).get('code'), prompt)
      assert.deepEqual(prompts, expected, prompt)
    }
  })

  it('asks guests for the password only once, whatever the prompt', async () => {
    const app = await allowedApp()
    for (const prompt of ['login', 'select_account', 'login select_account']) {
      const fresh = new PlainBrowser(service.url)
      const visit = await send(app, { prompt }, fresh)
      assert.equal(promptOf(visit), 'password', prompt)
      assert.ok(authorizationResponse(await signIn(visit, fresh)).get('code'), prompt)
    }
  })

  it('never shows a page with prompt=none, and returns an error if a page is required', async () => {
    const app = await createClient(service)
    const unknown = new PlainBrowser(service.url)
    const none = { prompt: 'none' }
    assert.equal(errorOf(await send(app, none, unknown)), 'login_required')
    assert.equal(errorOf(await send(app, none)), 'consent_required')
    await completeFlow(browser, await send(app, { scope: 'openid status:read' }), user)
    assert.ok(
      authorizationResponse(await send(app, { ...none, scope: 'openid status:read' })).get('code'),
    )
    const more = authorizationResponse(await send(app, { ...none, scope: 'openid status:write' }))
    assert.equal(more.get('error'), 'consent_required')
    assert.equal(more.get('state'), 'a state')
    assert.equal(more.get('iss'), `${service.url}/oidc`)
  })

  it('asks for the password if the last sign-in is older than max_age', async () => {
    const app = await allowedApp()
    const own = await signedInBrowser(service, user)
    assert.equal(promptOf(await send(app, { max_age: '600' }, own)), 'nothing')
    await service.db
      .updateTable('sessions')
      .set(({ fn, val, ref }) => ({
        payload: fn<string>('regexp_replace', [
          ref('payload'),
          val('"loginTs":\\d+'),
          val('"loginTs":1600000000'),
        ]),
      }))
      .where('account_id', '=', user.id)
      .execute()
    const visit = await send(app, { max_age: '600' }, own)
    assert.equal(promptOf(visit), 'password')
    const chosen = await send(app, { max_age: '600', prompt: 'select_account' }, own)
    assert.equal(promptOf(await own.submit(chosen, { choice: 'continue' })), 'password')
    assert.ok(authorizationResponse(await signIn(visit, own)).get('code'))
    browser = await signedInBrowser(service, user)
  })

  it('grants no offline access without prompt=consent, but otherwise succeeds', async () => {
    const app = await createClient(service)
    const { path, verifier } = authorizationRequest(app, {
      scope: 'openid offline_access status:read',
    })
    const visit = await browser.get(path)
    const code = authorizationResponse(await allow(visit)).get('code') ?? ''
    const { status, body } = await redeem(service, app, code, verifier)
    assert.equal(status, 200)
    assert.ok(!('refresh_token' in body))
    assert.equal(body['scope'], 'openid status:read')
    assert.ok(!visit.text.includes('offline'), 'the page speaks of it')
  })

  it('ignores a decision that lacks the form token of this browser', async () => {
    const app = await createClient(service)
    const visit = await send(app)
    assert.equal(promptOf(visit), 'consent')
    const { pathname } = new URL(visit.url)
    const forged = await browser.post(pathname, { decision: 'allow' })
    assert.equal(forged.location, undefined)
    assert.ok(forged.status >= 400)
    const attacker = await signedInBrowser(service, await createUser(service))
    assert.equal((await attacker.get(pathname)).status, 400)
    assert.ok(authorizationResponse(await allow(visit)).get('code'))
  })

  it('ignores a decision if another account has signed in since the page was shown', async () => {
    const app = await createClient(service)
    const other = await createUser(service, 'Other')
    const own = await signedInBrowser(service, user)
    const visit = await send(app, {}, own)
    assert.equal(promptOf(visit), 'consent')
    const pages = await send(await createClient(service), { prompt: 'login' }, own)
    assert.equal(
      promptOf(await own.submit(pages, { email: other.email, password: other.password })),
      'consent',
    )
    const late = await allow(visit, own)
    assert.equal(late.location, undefined)
    assert.equal(late.status, 400)
    const consents = await service.db
      .selectFrom('consents')
      .select('account_id')
      .where('client_id', '=', app.clientId)
      .execute()
    assert.deepEqual(consents, [])
  })
})
