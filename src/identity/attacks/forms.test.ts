import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import {
  authorizationRequest,
  authorize,
  basicAuthorization,
  createClient,
  createUser,
  completeFlow,
  postToProvider,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { FORM, HTML, send } from '#test/attacks.ts'

describeOnDatabase('a form sent by another site', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, { applicationType: 'native' })
    user = await createUser(service)
  })
  after(() => service.close())

  /** Opens every page with a form that a browser can reach. */
  async function collectForms(
    signsIn: boolean,
  ): Promise<{ browser: PlainBrowser; pages: Visit[] }> {
    const browser = new PlainBrowser(service.url)
    if (signsIn) await authorize(service, { app, user, browser, scope: 'openid' })
    const device = await postToProvider(
      `${service.url}/oidc/device/auth`,
      { scope: 'openid' },
      basicAuthorization(app),
    )
    const code = await browser.get('/oidc/device')
    const pages = [
      await browser.get('/sign-in'),
      await browser.get(authorizationRequest(app, { prompt: 'consent' }).path),
      await browser.get(authorizationRequest(app, { prompt: 'select_account' }).path),
      await browser.get(authorizationRequest(app, { prompt: 'login' }).path),
    ]
    // The provider stores the secret of only its latest form, so each of its forms must at some point be the last one
    // opened.
    pages.push(await browser.submit(code, { user_code: String(device.body['user_code']) }))
    return { browser, pages: pages.filter(({ forms }) => forms.length > 0) }
  }

  const DECISIONS = { decision: 'allow', choice: 'continue', confirm: 'yes', logout: 'yes' }

  async function assertRejected(
    browser: PlainBrowser,
    action: string,
    fields: Record<string, string>,
    headers: Record<string, string>,
    why: string,
  ) {
    const { pathname, search } = new URL(action, service.url)
    const response = await send(service.url, pathname + search, {
      method: 'POST',
      headers: { ...HTML, ...FORM, cookie: browser.cookieHeader(pathname), ...headers },
      body: new URLSearchParams(fields).toString(),
    })
    // Guests are asked to sign in.
    const isGuest = response.headers.location === '/sign-in' && headers['cookie'] === ''
    const refused =
      response.status >= 400 && response.status < 500 && response.headers.location === undefined
    assert.ok(refused || isGuest, `${why}: ${response.status} ${response.headers.location}`)
    const set = [response.headers['set-cookie'] ?? []]
      .flat()
      .map((line) => line.split(';', 1)[0] ?? '')
    const known = browser.cookieHeader().split('; ')
    const unexpected = set.filter(
      (pair) => /^(?:session|device)=./.test(pair) && !known.includes(pair),
    )
    assert.deepEqual(unexpected, [], `${why} is signed in`)
  }

  it('does nothing on any page without this browser’s token', async () => {
    for (const signsIn of [false, true]) {
      const { browser, pages } = await collectForms(signsIn)
      const attackerForms = await collectForms(false)
      const foreign = attackerForms.pages
        .flatMap(({ forms }) => forms)
        .find(({ fields }) => fields['_csrf'])?.fields
      let count = 0
      for (const { forms, url } of pages)
        for (const { action, method, fields } of forms) {
          if (method !== 'post') continue
          const description = `${action} of ${url}`
          const filled = { ...fields, ...DECISIONS, email: user.email, password: user.password }
          const token = '_csrf' in fields ? '_csrf' : 'xsrf'
          assert.ok(fields[token], `${description} has a token`)
          const { [token]: own = '', ...without } = filled as Record<string, string>
          const origin = { origin: service.url }
          await assertRejected(browser, action, without, origin, `${description} without a token`)
          await assertRejected(
            browser,
            action,
            { ...without, [token]: '' },
            origin,
            `${description} with an empty one`,
          )
          const other = token === '_csrf' ? (foreign?.['_csrf'] ?? '') : 'A'.repeat(own.length)
          await assertRejected(
            browser,
            action,
            { ...without, [token]: other },
            origin,
            `${description} with another's`,
          )
          count += 1
          if (token !== '_csrf') continue
          await assertRejected(
            browser,
            action,
            without,
            { ...origin, 'csrf-token': own },
            `${description} with a header`,
          )
          await assertRejected(
            browser,
            action,
            filled,
            { ...origin, cookie: '' },
            `${description} without cookies`,
          )
          for (const foreignOrigin of [
            'https://evil.example',
            'null',
            `${service.url}.evil.example`,
            service.url.replace('http:', 'https:'),
            `${service.url}0`,
          ])
            await assertRejected(
              browser,
              action,
              filled,
              { origin: foreignOrigin },
              `${description} from ${foreignOrigin}`,
            )
          for (const site of ['cross-site', 'same-site'])
            await assertRejected(
              browser,
              action,
              filled,
              { ...origin, 'sec-fetch-site': site },
              `${description} ${site}`,
            )
          for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x'])
            await assertRejected(
              browser,
              action,
              filled,
              { ...origin, 'content-type': type },
              `${description} as ${type}`,
            )
        }
      assert.ok(count >= 5, `only ${count} forms`)
    }
  })

  it('does not sign the user out', async () => {
    const { browser } = await authorize(service, { app, user, scope: 'openid' })
    await browser.get('/oidc/session/end')
    for (const xsrf of ['', 'x', undefined])
      await assertRejected(
        browser,
        '/oidc/session/end/confirm',
        { logout: 'yes', ...(xsrf !== undefined && { xsrf }) },
        { origin: 'https://evil.example' },
        `xsrf ${xsrf}`,
      )
    await browser.get(`/oidc/session/end?client_id=${app.clientId}`)
    await browser.post('/oidc/session/end', { logout: 'yes' })
    const stillSignedIn = await browser.get(
      authorizationRequest(app, { prompt: 'none', scope: 'openid' }).path,
    )
    assert.match(stillSignedIn.location ?? '', /[?&]code=/)
  })

  it('cannot request an authorization, because it carries no session cookie', async () => {
    const { path } = authorizationRequest(app, { prompt: 'none' })
    const form = path.slice(path.indexOf('?') + 1)
    const { status, headers } = await send(service.url, '/oidc/auth', {
      method: 'POST',
      headers: { ...HTML, ...FORM, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: form,
    })
    assert.equal(status, 303)
    assert.deepEqual(headers['set-cookie'], undefined, 'nothing has happened yet')
    assert.equal(headers.location, `/oidc/auth?${form}`)
    // Like a frame on another site, to which SameSite cookies are not sent.
    const framed = await send(service.url, path, {
      headers: { ...HTML, 'sec-fetch-dest': 'iframe' },
    })
    assert.match(String(framed.headers.location), /error=login_required/)
    assert.doesNotMatch(String(framed.headers.location), /code=/)
  })

  it('cannot sign the user in as someone else', async () => {
    const attacker = await createUser(service)
    const own = await new PlainBrowser(service.url).get('/sign-in')
    const victim = new PlainBrowser(service.url)
    await victim.get('/sign-in')
    const [form] = own.forms
    const visit = await victim.post('/sign-in', {
      ...form?.fields,
      email: attacker.email,
      password: attacker.password,
    })
    assert.equal(visit.status, 403)
    assert.equal(victim.cookies()['mokuroku-session'], undefined)
  })
})

describeOnDatabase('a browser prepared by an attacker', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    user = await createUser(service)
  })
  after(() => service.close())

  const cookieEntries = (browser: PlainBrowser) => Object.entries(browser.cookies('/'))
  const isSignedIn = async (browser: PlainBrowser) => {
    const visit = await browser.get(
      authorizationRequest(app, { prompt: 'none', scope: 'openid' }).path,
    )
    return /[?&]code=/.test(visit.location ?? '')
  }

  it('gets a new session id at each sign-in, and old ids are invalid', async () => {
    const attacker = new PlainBrowser(service.url)
    const victim = new PlainBrowser(service.url)
    await attacker.get('/oidc/device')
    const planted = attacker.cookies()['mokuroku-session']
    assert.ok(planted)
    for (const [name, value] of cookieEntries(attacker)) victim.setCookie(name, value)
    const names = [planted]
    const page = await victim.get(authorizationRequest(app, { scope: 'openid' }).path)
    const consent = await victim.submit(page, { email: user.email, password: user.password })
    const signedIn = victim.cookies()['mokuroku-session'] ?? ''
    assert.ok(!names.includes(signedIn), 'another after the sign-in')
    names.push(signedIn)
    const stolen = new PlainBrowser(service.url)
    for (const [name, value] of cookieEntries(victim)) stolen.setCookie(name, value)
    const done = await victim.submit(consent, { decision: 'allow' })
    assert.match(done.location ?? '', /[?&]code=/)
    const repeated = await victim.get(
      authorizationRequest(app, { scope: 'openid', prompt: 'login' }).path,
    )
    await victim.submit(repeated, { email: user.email, password: user.password })
    assert.ok(
      !names.includes(victim.cookies()['mokuroku-session'] ?? ''),
      'another after the next sign-in',
    )
    assert.equal(await isSignedIn(victim), true)
    assert.equal(await isSignedIn(attacker), false, 'what was planted')
    assert.equal(await isSignedIn(stolen), false, 'what was there before the next sign-in')
  })

  it('does not carry its session over to the next account', async () => {
    const other = await createUser(service)
    const { browser } = await authorize(service, { app, user, scope: 'openid' })
    const before = new PlainBrowser(service.url)
    for (const [name, value] of cookieEntries(browser)) before.setCookie(name, value)
    const page = await browser.get(
      authorizationRequest(app, { prompt: 'login', scope: 'openid' }).path,
    )
    await completeFlow(browser, page, other)
    assert.equal(await isSignedIn(before), false)
  })

  it('cannot continue an authorization request that another browser began', async () => {
    const victim = new PlainBrowser(service.url)
    const { browser: attacker } = await authorize(service, {
      app,
      user: await createUser(service),
      scope: 'openid',
    })
    const { path } = authorizationRequest(app, { prompt: 'login' })
    const page = await victim.get(path)
    const uid = new URL(page.url).searchParams.get('interaction') ?? ''
    assert.match(uid, /^[\w-]{21,}$/)
    for (const link of [`/interaction/${uid}`, `/oidc/auth/${uid}`, `/oidc/device/${uid}`]) {
      const visit = await attacker.get(link)
      assert.equal(visit.status, 400, link)
      assert.equal(visit.location, undefined)
    }
    const denied = await attacker.post(`/interaction/${uid}`, { decision: 'deny' })
    assert.equal(denied.status, 403)
    attacker.setCookie('mokuroku-interaction', uid, '/interaction')
    attacker.setCookie('mokuroku-resume', uid, '/oidc')
    assert.equal((await attacker.get(`/interaction/${uid}`)).status, 400, 'cookies are signed')
    assert.equal((await attacker.get(`/oidc/auth/${uid}`)).status, 400)
    const done = await completeFlow(victim, await victim.get(`/interaction/${uid}`), user)
    assert.match(done.location ?? '', /[?&]code=/, 'and its own browser goes on undisturbed')
  })

  it('does not consent for an account that has signed in since the form was shown', async () => {
    const other = await createUser(service)
    const fresh = await createClient(service)
    const { browser } = await authorize(service, { app, user, scope: 'openid' })
    const consent = await browser.get(authorizationRequest(fresh).path)
    assert.match(consent.text, new RegExp(user.email))
    await browser.submit(await browser.get(authorizationRequest(app, { prompt: 'login' }).path), {
      email: other.email,
      password: other.password,
    })
    const visit = await browser.submit(consent, { decision: 'allow' })
    assert.doesNotMatch(visit.location ?? '', /[?&]code=/)
    const consents = await service.db
      .selectFrom('consents')
      .select('account_id')
      .where('client_id', '=', fresh.clientId)
      .execute()
    assert.deepEqual(consents, [], 'nobody who has not seen the question has answered it')
  })
})
