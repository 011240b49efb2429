import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { accountPages, csrfToken, fillForm, HOSTILE, PASSWORD } from '#test/account-pages.ts'
import { routesOf } from '#test/routes.ts'
import { eventually, formTo, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { updateProfile } from '../../accounts/queries.ts'
import { listSessions } from '../provider/storage/session-queries.ts'

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
  '/account/tokens',
  '/account/feeds',
  '/account/history',
  '/account/data',
  '/account/delete',
]
const ACTIONS = [
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
  '/account/tokens',
  '/account/tokens/revoke',
  '/account/tokens/revoke-all',
  '/account/feeds',
  '/account/feeds/off',
  '/account/delete',
]

describeOnDatabase('account pages', (engine) => {
  let service: TestService
  let pages: ReturnType<typeof accountPages>
  before(async () => {
    service = await shareService(engine)
    pages = accountPages(service)
  })
  after(() => service.close())

  it('redirect guests to the sign-in page on every route', async () => {
    const routes = routesOf(service).filter(({ url }) => `${url}/`.startsWith('/account/'))
    const routesWithMethod = (name: string) =>
      routes.filter(({ method }) => method === name).map(({ url }) => url)
    assert.deepEqual(routesWithMethod('GET').toSorted(), PAGES.toSorted())
    assert.deepEqual(routesWithMethod('POST').toSorted(), ACTIONS.toSorted())
    for (const path of PAGES) {
      const response = await fetch(service.url + path, { redirect: 'manual' })
      assert.deepEqual([response.status, response.headers.get('location')], [303, '/sign-in'], path)
    }
    for (const path of ACTIONS) {
      const response = await fetch(service.url + path, { method: 'POST', redirect: 'manual' })
      assert.deepEqual([response.status, response.headers.get('location')], [303, '/sign-in'], path)
    }
  })

  it('reject forms without a token, and change nothing on GET', async () => {
    const { id, browser } = await pages.createSignedInUser()
    await pages.addPasskey(id)
    await pages.createAppWithConsent(id)
    await pages.signIn((await pages.account(id)).email)
    const before = await pages.account(id)
    const actions = new Set<string>()
    for (const path of [...PAGES, `/account/security/passkeys/change?passkey=credential-of-${id}`])
      for (const { action, fields } of (await browser.get(path)).forms) {
        actions.add(action)
        assert.ok(fields['_csrf'], `${path} has a form without a token`)
        const visit = await browser.post(action, {
          ...fields,
          _csrf: 'forged',
          current_password: PASSWORD,
        })
        assert.equal(visit.status, 403, action)
      }
    for (const action of ACTIONS)
      assert.equal((await browser.post(action, { current_password: PASSWORD })).status, 403, action)
    assert.ok(actions.size >= 9, [...actions].join())
    assert.deepEqual(await pages.account(id), before)
    assert.equal((await listSessions(service.db, id)).length, 2)
  })

  it('change the profile, and keep the input when it is invalid', async () => {
    const { id, browser } = await pages.createSignedInUser()
    const filled = {
      name: 'Ryo Ōe',
      nickname: 'R',
      picture: 'https://a.example/p.png',
      bio: 'One\r\ntwo',
    }
    const saved = await fillForm(browser, '/account/profile', filled)
    assert.match(saved.text, /Changes saved/)
    assert.match(saved.text, /<img class="face large" src="https:\/\/a\.example\/p\.png"/)
    const { name, nickname, picture, bio } = await pages.account(id)
    assert.deepEqual({ name, nickname, picture, bio }, { ...filled, bio: 'One\ntwo' })
    assert.doesNotMatch((await browser.get('/account/profile')).text, /Changes saved/)

    const wrong = {
      name: ' ',
      nickname: 'x'.repeat(65),
      picture: 'http://a.example/',
      bio: 'y'.repeat(1_001),
    }
    const refused = await fillForm(browser, '/account/profile', wrong)
    assert.equal(refused.status, 422)
    for (const field of Object.keys(wrong)) {
      const [tag = ''] =
        new RegExp(`<(?:input|textarea) id="${field}"[^>]*>`).exec(refused.text) ?? []
      assert.match(tag, new RegExp(`aria-describedby="[^"]*${field}-error" aria-invalid="true"`))
      assert.match(refused.text, new RegExp(`id="${field}-error"`))
    }
    assert.equal(formTo(refused, '/account/profile').fields['nickname'], wrong.nickname)
    assert.equal((await pages.account(id)).name, 'Ryo Ōe')
  })

  /** Issues a user token for an app with consent, like the provider. */
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
    // as: this is a response of the token endpoint
    return { app, token: ((await response.json()) as { access_token: string }).access_token }
  }

  it('withdraw an app’s consent, so that its tokens are rejected everywhere', async () => {
    const { id, browser } = await pages.createSignedInUser()
    const { app, token } = await userToken(browser)
    const status = async () => (await service.get('/api/v3/open/galgames/1', token)).status
    assert.notEqual(await status(), 401)
    const otherUser = await pages.createSignedInUser()
    const otherFields = { _csrf: await csrfToken(otherUser.browser), client_id: app.clientId }
    await otherUser.browser.post('/account/apps/withdraw', otherFields)
    const page = await browser.get('/account/apps')
    assert.match(page.text, /Read the catalog</)
    assert.notEqual(await status(), 401)
    const taken = await browser.press(page, '/account/apps/withdraw')
    assert.match(taken.text, /no longer access your account/)
    assert.match(taken.text, /You haven’t allowed any app/)
    await eventually(async () => (await status()) === 401, 'The refusal of the token')
    assert.equal((await pages.eventKinds(id))[0], 'consent_withdrawn')
    assert.ok(!(await pages.eventKinds(otherUser.id)).includes('consent_withdrawn'))
  })

  it('export all data as a download', async () => {
    const { id, email, browser } = await pages.createSignedInUser()
    const file = await browser.get('/account/data')
    assert.match(file.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+"$/)
    assert.equal(file.headers.get('cache-control'), 'no-store')
    // as: the test reads two fields of the export
    const data = JSON.parse(file.text) as { account: { id: number; email: string } }
    assert.deepEqual([data.account.id, data.account.email], [id, email])
    assert.doesNotMatch(file.text, /argon2/)
  })

  it('delete the account, sign the user out and confirm the deletion', async () => {
    const { id, email, browser } = await pages.createSignedInUser()
    const other = await pages.signIn(email)
    const deletedPage = await fillForm(browser, '/account/delete', { current_password: PASSWORD })
    assert.match(deletedPage.text, /Your account will be deleted/)
    assert.ok((await pages.account(id)).deletion_requested_at)
    for (const one of [browser, other]) assert.match((await one.get('/account')).url, /\/sign-in$/)
  })

  it('sign the user out', async () => {
    const { id, browser } = await pages.createSignedInUser()
    assert.match(
      (await fillForm(browser, '/account', {}, '/account/sign-out')).url,
      /\/signed-out$/,
    )
    assert.match((await browser.get('/account')).url, /\/sign-in$/)
    assert.deepEqual(await listSessions(service.db, id), [])
    assert.equal((await pages.eventKinds(id))[0], 'sign_out')
  })

  it('reject sessions of accounts that are banned or scheduled for deletion', async () => {
    for (const column of ['banned_at', 'deletion_requested_at'] as const) {
      const { id, browser } = await pages.createSignedInUser()
      await service.db
        .updateTable('accounts')
        .set({ [column]: new Date() })
        .where('id', '=', id)
        .execute()
      assert.equal((await listSessions(service.db, id)).length, 1)
      assert.match((await browser.get('/account')).url, /\/sign-in$/, column)
    }
  })

  it('escape all text that users choose', async () => {
    const { id, email, browser } = await pages.createSignedInUser(HOSTILE)
    const picture = 'https://a.example/?"><script>'
    await updateProfile(service.db, id, {
      nickname: HOSTILE,
      bio: `</textarea>${HOSTILE}`,
      picture,
    })
    await pages.createAppWithConsent(id, HOSTILE)
    await pages.signIn(email, { 'user-agent': HOSTILE })
    await fillForm(browser, '/account/apps', {}, '/account/apps/withdraw')
    await pages.createAppWithConsent(id, HOSTILE)
    const shown: string[] = []
    for (const path of PAGES.filter((page) => page !== '/account/data')) {
      const { text } = await browser.get(path)
      assert.doesNotMatch(text, /<script>|<script(?! src="\/assets\/)| on\w+=|<\/textarea>"/, path)
      if (text.includes('&lt;script&gt;')) shown.push(path)
    }
    // The header shows the name on every page.
    assert.deepEqual(shown.toSorted(), PAGES.filter((page) => page !== '/account/data').toSorted())
  })

  it('are in the user’s language', async () => {
    const { browser } = await pages.createSignedInUser()
    for (const [language, word] of [
      ['ja', 'プロフィール'],
      ['zh-Hans', '个人资料'],
    ]) {
      browser.headers['accept-language'] = language ?? ''
      assert.match((await browser.get('/account')).text, new RegExp(String(word)))
    }
  })
})
