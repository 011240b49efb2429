import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { addAccount } from '#test/accounts.ts'
import { eventually, PlainBrowser, type Visit } from '#test/browser.ts'
import { onOneDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { makeLink } from '../../accounts/mail/link-queries.ts'
import { findAccount, updateProfile } from '../../accounts/queries.ts'
import { listEvents } from '../../audit/events.ts'
import { saveConsent } from '../provider/queries.ts'
import { listSessions } from '../provider/session-queries.ts'

const PASSWORD = 'a long enough one'
const HOSTILE = `"><script>alert(1)</script>'`

const PAGES = [
  '/account',
  '/account/preferences',
  '/account/profile',
  '/account/welcome',
  '/account/profile/picture',
  '/account/email',
  '/account/email/confirm',
  '/account/password',
  '/account/security',
  '/account/security/authenticator',
  '/account/security/authenticator/off',
  '/account/security/recovery-codes',
  '/account/security/passkeys',
  '/account/security/passkeys/change',
  '/account/sessions',
  '/account/apps',
  '/account/history',
  '/account/data',
  '/account/delete',
]
const DEEDS = [
  '/account/sign-out',
  '/account/preferences',
  '/account/profile',
  '/account/profile/picture',
  '/account/profile/picture/remove',
  '/account/email',
  '/account/email/confirm',
  '/account/password',
  '/account/security/authenticator',
  '/account/security/authenticator/off',
  '/account/security/recovery-codes',
  '/account/security/passkeys',
  '/account/security/passkeys/options',
  '/account/security/passkeys/rename',
  '/account/security/passkeys/remove',
  '/account/sessions/distrust',
  '/account/sessions/end',
  '/account/sessions/end-others',
  '/account/apps/withdraw',
  '/account/delete',
]

onOneDatabase('the account pages', (engine) => {
  let service: TestService
  let people = 0
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  async function someone(name = 'Ryo') {
    people += 1
    const email = `person-${people}@example.com`
    const id = await addAccount(service.db, { email, name, password: PASSWORD })
    assert.ok(id)
    return { id, email, browser: await signIn(email) }
  }

  async function signIn(email: string, headers: Record<string, string> = {}) {
    const browser = new PlainBrowser(service.url)
    Object.assign(browser.headers, headers)
    const visit = await browser.submit(await browser.get('/sign-in'), { email, password: PASSWORD })
    assert.equal(new URL(visit.url).pathname, '/account')
    return browser
  }

  const account = async (id: number) => {
    const found = await findAccount(service.db, id)
    assert.ok(found)
    return found
  }
  const kinds = async (id: number) =>
    (await listEvents(service.db, id, { limit: 50 })).map(({ kind }) => kind)
  const formTo = (visit: Visit, action: string) => {
    const form = visit.forms.find((one) => one.action === action)
    assert.ok(form, `no form to ${action} in:\n${visit.text}`)
    return form
  }
  const fill = async (browser: PlainBrowser, path: string, filled: Record<string, string>, action = path) => {
    const visit = await browser.get(path)
    return browser.submit(visit, filled, formTo(visit, action))
  }
  const csrf = async (browser: PlainBrowser) =>
    formTo(await browser.get('/account'), '/account/sign-out').fields['_csrf'] ?? ''
  const passkeyOf = async (id: number, name = 'Phone') => {
    const credential_id = `credential-of-${id}`
    await service.db
      .insertInto('passkeys')
      .values({ credential_id, account_id: id, name, public_key: 'AAAA', transports: '[]' })
      .execute()
    return credential_id
  }

  it('send whoever is not signed in to sign in, whatever the route', async () => {
    const routes = routesBelow(service.server.app.printRoutes({ commonPrefix: false }), '/account')
    const ofMethod = (name: string) =>
      routes.filter(({ methods }) => methods.includes(name)).map(({ path }) => path)
    assert.deepEqual(ofMethod('GET').toSorted(), PAGES.toSorted())
    assert.deepEqual(ofMethod('POST').toSorted(), DEEDS.toSorted())
    for (const path of PAGES) {
      const response = await fetch(service.url + path, { redirect: 'manual' })
      assert.deepEqual([response.status, response.headers.get('location')], [303, '/sign-in'], path)
    }
    for (const path of DEEDS) {
      const response = await fetch(service.url + path, { method: 'POST', redirect: 'manual' })
      assert.deepEqual([response.status, response.headers.get('location')], [303, '/sign-in'], path)
    }
  })

  it('take no form without its token, and no page does anything when it is only looked at', async () => {
    const { id, browser } = await someone()
    await passkeyOf(id)
    await createAppWithConsent(id)
    await signIn((await account(id)).email)
    const before = await account(id)
    const actions = new Set<string>()
    for (const path of [...PAGES, `/account/security/passkeys/change?passkey=credential-of-${id}`])
      for (const { action, fields } of (await browser.get(path)).forms) {
        actions.add(action)
        assert.ok(fields['_csrf'], `${path} has a form without a token`)
        const visit = await browser.post(action, { ...fields, _csrf: 'forged', current_password: PASSWORD })
        assert.equal(visit.status, 403, action)
      }
    for (const action of DEEDS)
      assert.equal((await browser.post(action, { current_password: PASSWORD })).status, 403, action)
    assert.ok(actions.size >= 9, [...actions].join())
    assert.deepEqual(await account(id), before)
    assert.equal((await listSessions(service.db, id)).length, 2)
  })

  it('change the profile, and keep what was entered where it is wrong', async () => {
    const { id, browser } = await someone()
    const filled = { name: 'Ryo Ōe', nickname: 'R', picture: 'https://a.example/p.png', bio: 'One\r\ntwo' }
    const saved = await fill(browser, '/account/profile', filled)
    assert.match(saved.text, /Your changes are saved/)
    assert.match(saved.text, /<img class="face large" src="https:\/\/a\.example\/p\.png"/)
    const { name, nickname, picture, bio } = await account(id)
    assert.deepEqual({ name, nickname, picture, bio }, { ...filled, bio: 'One\ntwo' })
    assert.doesNotMatch((await browser.get('/account/profile')).text, /Your changes are saved/)

    const wrong = {
      name: ' ',
      nickname: 'x'.repeat(65),
      picture: 'http://a.example/',
      bio: 'y'.repeat(1_001),
    }
    const refused = await fill(browser, '/account/profile', wrong)
    assert.equal(refused.status, 422)
    for (const field of Object.keys(wrong)) {
      const [tag = ''] = new RegExp(`<(?:input|textarea) id="${field}"[^>]*>`).exec(refused.text) ?? []
      assert.match(tag, new RegExp(`aria-describedby="[^"]*${field}-error" aria-invalid="true"`))
      assert.match(refused.text, new RegExp(`id="${field}-error"`))
    }
    assert.equal(formTo(refused, '/account/profile').fields['nickname'], wrong.nickname)
    assert.equal((await account(id)).name, 'Ryo Ōe')
  })

  it('ask for the current password before whatever matters, and slow down who guesses', async () => {
    const { id, browser } = await someone()
    await passkeyOf(id)
    const _csrf = await csrf(browser)
    const before = await account(id)
    const asking: [string, Record<string, string>][] = [
      ['/account/email', { email: 'new@example.com' }],
      ['/account/password', { password: 'another long one' }],
      ['/account/security/authenticator', { secret: 'A'.repeat(32), code: '000000' }],
      ['/account/security/authenticator/off', {}],
      ['/account/security/passkeys', { name: 'Key', response: '{}' }],
      ['/account/security/passkeys/options', { name: 'Key' }],
      ['/account/security/passkeys/remove', { passkey: `credential-of-${id}` }],
      ['/account/delete', {}],
    ]
    const statuses: number[] = []
    for (const [path, fields] of asking) {
      const visit = await browser.post(path, { _csrf, ...fields, current_password: 'wrong' })
      statuses.push(visit.status)
      assert.ok(visit.status === 422 || visit.status === 429, `${path} answered ${visit.status}`)
      if (visit.status === 429) assert.match(visit.headers.get('retry-after') ?? '', /^\d+$/)
      if (visit.headers.get('content-type')?.startsWith('text/html')) {
        assert.match(visit.text, /id="current_password"[^>]*aria-invalid="true"/, path)
        assert.doesNotMatch(visit.text, /value="wrong"/)
      }
    }
    assert.ok(statuses.includes(422) && statuses.includes(429), statuses.join())
    assert.deepEqual(await account(id), before)
  })

  it('change the address only when the link that was mailed there is confirmed', async () => {
    const { id, email, browser } = await someone()
    const next = `next-${email}`
    const asked = await fill(browser, '/account/email', { email: next, current_password: PASSWORD })
    assert.match(asked.text, /We have sent a link/)
    assert.equal((await account(id)).email, email)

    const token = await makeLink(service.db, { purpose: 'change_email', email: next, account_id: id })
    const page = await browser.get(`/account/email/confirm?token=${token}`)
    assert.match(page.text, new RegExp(next))
    assert.equal((await account(id)).email, email)
    const stranger = await someone()
    assert.equal((await stranger.browser.get(`/account/email/confirm?token=${token}`)).status, 410)
    const theirs = { _csrf: await csrf(stranger.browser), token }
    assert.equal((await stranger.browser.post('/account/email/confirm', theirs)).status, 410)
    const form = formTo(page, '/account/email/confirm')
    assert.match((await browser.submit(page, {}, form)).text, /Your email address is changed/)
    assert.equal((await account(id)).email, next)
    assert.equal((await browser.submit(page, {}, form)).status, 410)
    assert.ok((await kinds(id)).includes('email_changed'))
  })

  it('refuse an address that is none, is the same, or is taken meanwhile', async () => {
    const { id, email, browser } = await someone()
    const other = await someone()
    for (const entered of ['nonsense', email.toUpperCase()]) {
      const visit = await fill(browser, '/account/email', { email: entered, current_password: PASSWORD })
      assert.equal(visit.status, 422)
      assert.match(visit.text, /id="email"[^>]*aria-invalid="true"/)
      assert.equal(formTo(visit, '/account/email').fields['email'], entered)
    }
    const token = await makeLink(service.db, { purpose: 'change_email', email: other.email, account_id: id })
    const page = await browser.get(`/account/email/confirm?token=${token}`)
    assert.equal((await browser.submit(page, {}, formTo(page, '/account/email/confirm'))).status, 409)
    assert.equal((await account(id)).email, email)
  })

  it('change the password, and end every other session', async () => {
    const { id, email, browser } = await someone()
    const other = await signIn(email)
    const short = await fill(browser, '/account/password', { current_password: PASSWORD, password: 'short' })
    assert.equal(short.status, 422)
    assert.doesNotMatch(short.text, /value="short"/)
    const password = 'quite another one'
    const changed = await fill(browser, '/account/password', { current_password: PASSWORD, password })
    assert.match(changed.text, /Your password is changed/)
    assert.match((await other.get('/account')).url, /\/sign-in$/)
    assert.match((await browser.get('/account')).url, /\/account$/)
    const again = new PlainBrowser(service.url)
    const old = await again.submit(await again.get('/sign-in'), { email, password: PASSWORD })
    assert.equal(old.status, 422)
    assert.match((await again.submit(await again.get('/sign-in'), { email, password })).url, /\/account$/)
    assert.ok((await kinds(id)).includes('password_changed'))
  })

  it('list sessions in plain words, and end one or all others, never another account’s', async () => {
    const { id, email, browser } = await someone()
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
    const one = await signIn(email, { 'user-agent': firefox })
    await signIn(email, { 'user-agent': HOSTILE })
    const page = await browser.get('/account/sessions')
    assert.match(page.text, /Firefox on Windows/)
    assert.equal(page.text.match(/this device/g)?.length, 1)
    assert.doesNotMatch(page.text, /<script>/)
    const session = (await listSessions(service.db, id)).find(({ user_agent }) => user_agent === firefox)
    assert.ok(session)

    const stranger = await someone()
    const _csrf = await csrf(stranger.browser)
    await stranger.browser.post('/account/sessions/end', { _csrf, session: session.uid })
    await stranger.browser.post('/account/sessions/end-others', { _csrf })
    assert.equal((await listSessions(service.db, id)).length, 3)

    const form = page.forms.find(({ fields }) => fields['session'] === session.uid)
    assert.match((await browser.submit(page, {}, form)).text, /The session has ended/)
    assert.match((await one.get('/account')).url, /\/sign-in$/)
    await fill(browser, '/account/sessions', {}, '/account/sessions/end-others')
    assert.equal((await listSessions(service.db, id)).length, 1)
    assert.match((await browser.get('/account')).url, /\/account$/)
    assert.deepEqual((await kinds(id)).slice(0, 2), ['session_ended', 'session_ended'])
  })

  async function createAppWithConsent(id: number, clientName = 'Shelf') {
    const app = await service.createApp({ clientName, scopes: ['catalog:read', 'user:read'] })
    await saveConsent(service.db, id, app.clientId, ['openid', 'user:read', 'catalog:read'])
    return app
  }

  /** A user's token as the provider makes it, for an app that was allowed before. */
  async function userToken(browser: PlainBrowser) {
    const redirectUri = 'https://shelf.example/callback'
    const app = await service.createApp({ scopes: ['catalog:read'], redirectUris: [redirectUri] })
    const verifier = 'v'.repeat(43)
    const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier)))
    const query = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid catalog:read',
      state: 'state',
      code_challenge: challenge.toString('base64url'),
      code_challenge_method: 'S256',
    })
    const consent = await browser.get(`/oidc/auth?${query.toString()}`)
    const { location } = await browser.submit(consent, { decision: 'allow' })
    const response = await fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${app.clientId}:${app.secret}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: new URL(location ?? '').searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    })
    // as: the answer of the token endpoint
    return { app, token: ((await response.json()) as { access_token: string }).access_token }
  }

  it('take back what an app was allowed, so that its tokens are refused everywhere', async () => {
    const { id, browser } = await someone()
    const { app, token } = await userToken(browser)
    const status = async () => (await service.get('/api/v3/open/galgames/1', token)).status
    assert.notEqual(await status(), 401)
    const stranger = await someone()
    const theirs = { _csrf: await csrf(stranger.browser), client_id: app.clientId }
    await stranger.browser.post('/account/apps/withdraw', theirs)
    const page = await browser.get('/account/apps')
    assert.match(page.text, /Read the catalog</)
    assert.notEqual(await status(), 401)
    const taken = await browser.submit(page, {}, formTo(page, '/account/apps/withdraw'))
    assert.match(taken.text, /no longer do anything/)
    assert.match(taken.text, /You have not allowed any app/)
    await eventually(async () => (await status()) === 401, 'The refusal of the token')
    assert.equal((await kinds(id))[0], 'consent_withdrawn')
    assert.ok(!(await kinds(stranger.id)).includes('consent_withdrawn'))
  })

  it('turn the authenticator app on and off, and show recovery codes once', async () => {
    const { id, browser } = await someone()
    const path = '/account/security/authenticator'
    const page = await browser.get(path)
    assert.match(page.text, /<svg /)
    assert.doesNotMatch(page.text, / style=/)
    const secret = formTo(page, path).fields['secret'] ?? ''
    const wrong = await browser.submit(page, { code: 'no', current_password: PASSWORD }, formTo(page, path))
    assert.equal(wrong.status, 422)
    assert.equal(formTo(wrong, path).fields['secret'], secret)
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    const on = await browser.submit(wrong, { code, current_password: PASSWORD }, formTo(wrong, path))
    const codesIn = ({ text }: Visit) => text.match(/(?<=<code>)[0-9a-z-]{19}(?=<\/code>)/g) ?? []
    assert.equal(codesIn(on).length, 10)
    assert.ok((await account(id)).has_totp)
    assert.equal((await browser.get(path)).status, 409)
    assert.equal(codesIn(await browser.get('/account/security')).length, 0)

    const codes = '/account/security/recovery-codes'
    const again = await fill(browser, codes, { current_password: PASSWORD })
    assert.equal(codesIn(again).length, 10)
    assert.notDeepEqual(codesIn(again), codesIn(on))
    const off = await fill(browser, `${path}/off`, { current_password: PASSWORD })
    assert.match(off.text, /The authenticator app is off/)
    assert.ok(!(await account(id)).has_totp)
    assert.equal((await browser.get(codes)).status, 409)
  })

  it('rename and remove passkeys, never another account’s', async () => {
    const { id, browser } = await someone()
    const passkey = await passkeyOf(id)
    const list = '/account/security/passkeys'
    const change = `${list}/change?passkey=${passkey}`
    const stranger = await someone()
    const theirs = { _csrf: await csrf(stranger.browser), passkey, current_password: PASSWORD }
    assert.equal((await stranger.browser.get(change)).status, 404)
    assert.equal((await stranger.browser.post(`${list}/rename`, { ...theirs, name: 'x' })).status, 404)
    assert.equal((await stranger.browser.post(`${list}/remove`, theirs)).status, 404)

    assert.equal((await fill(browser, change, { name: ' ' }, `${list}/rename`)).status, 422)
    const renamed = await fill(browser, change, { name: HOSTILE }, `${list}/rename`)
    assert.match(renamed.text, /&lt;script&gt;/)
    assert.doesNotMatch(renamed.text, /<script>/)
    const removed = await fill(browser, change, { current_password: PASSWORD }, `${list}/remove`)
    assert.match(removed.text, /The passkey is removed/)
    assert.equal((await kinds(id))[0], 'passkey_removed')
  })

  it('offer options for a new passkey, and take no answer that no passkey signed', async () => {
    const { browser } = await someone()
    const _csrf = await csrf(browser)
    const entered = { _csrf, name: 'Phone', current_password: PASSWORD }
    const options = await browser.post('/account/security/passkeys/options', entered)
    assert.equal(options.status, 200)
    // as: the answer is JSON with a challenge, or the test fails
    assert.match((JSON.parse(options.text) as { challenge: string }).challenge, /^[\w-]{43}$/)
    for (const response of ['', 'nonsense', '{}', 'null', '{"response":{"clientDataJSON":"e30"}}']) {
      const visit = await browser.post('/account/security/passkeys', { ...entered, response })
      assert.equal(visit.status, 422)
      assert.match(visit.text, /No passkey was made/)
    }
  })

  it('give everything away as a file that is not shown', async () => {
    const { id, email, browser } = await someone()
    const file = await browser.get('/account/data')
    assert.match(file.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+"$/)
    assert.equal(file.headers.get('cache-control'), 'no-store')
    // as: the shape is the export's, of which two fields are looked at
    const data = JSON.parse(file.text) as { account: { id: number; email: string } }
    assert.deepEqual([data.account.id, data.account.email], [id, email])
    assert.doesNotMatch(file.text, /argon2/)
  })

  it('delete the account, sign out and say so', async () => {
    const { id, email, browser } = await someone()
    const other = await signIn(email)
    const gone = await fill(browser, '/account/delete', { current_password: PASSWORD })
    assert.match(gone.text, /Your account will be deleted/)
    assert.ok((await account(id)).deletion_requested_at)
    for (const one of [browser, other]) assert.match((await one.get('/account')).url, /\/sign-in$/)
  })

  it('sign out', async () => {
    const { id, browser } = await someone()
    assert.match((await fill(browser, '/account', {}, '/account/sign-out')).url, /\/signed-out$/)
    assert.match((await browser.get('/account')).url, /\/sign-in$/)
    assert.deepEqual(await listSessions(service.db, id), [])
    assert.equal((await kinds(id))[0], 'sign_out')
  })

  it('show whatever anybody chose as text', async () => {
    const { id, email, browser } = await someone(HOSTILE)
    const picture = 'https://a.example/?"><script>'
    await updateProfile(service.db, id, { nickname: HOSTILE, bio: `</textarea>${HOSTILE}`, picture })
    await createAppWithConsent(id, HOSTILE)
    await signIn(email, { 'user-agent': HOSTILE })
    await fill(browser, '/account/apps', {}, '/account/apps/withdraw')
    await createAppWithConsent(id, HOSTILE)
    const shown: string[] = []
    for (const path of PAGES.filter((page) => page !== '/account/data')) {
      const { text } = await browser.get(path)
      assert.doesNotMatch(text, /<script>|<script(?! src="\/assets\/)| on\w+=|<\/textarea>"/, path)
      if (text.includes('&lt;script&gt;')) shown.push(path)
    }
    // The header has the name on all of them.
    assert.deepEqual(shown.toSorted(), PAGES.filter((page) => page !== '/account/data').toSorted())
  })

  it('speak the reader’s language', async () => {
    const { browser } = await someone()
    for (const [language, word] of [
      ['ja', 'プロフィール'],
      ['zh-Hans', '个人资料'],
    ]) {
      browser.headers['accept-language'] = language ?? ''
      assert.match((await browser.get('/account')).text, new RegExp(String(word)))
    }
  })
})

/** Paths and methods below a prefix, from the tree Fastify prints: four characters for each level. */
function routesBelow(tree: string, prefix: string) {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] =
      /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
    const depth = indent.length / 4
    const path = (above[depth - 1] ?? '') + part
    above[depth] = path
    return methods !== '' && `${path}/`.startsWith(`${prefix}/`)
      ? [{ path, methods: methods.split(', ') }]
      : []
  })
}
