import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser } from '#test/authorization.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { fillSignIn, startSignInPages, type SignInPages } from '#test/sign-in-pages.ts'

describe('sign-in in a real browser', { skip: chromiumMissing() }, () => {
  let pages: SignInPages
  before(async () => {
    pages = await startSignInPages()
  })
  after(() => pages?.close())

  for (const javaScriptEnabled of [true, false])
    it(`leads a user through sign-in and consent ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const user = await createUser(pages.service, 'Ann')
      const context = await pages.browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(pages.request({ scope: 'openid profile status:write' }))
      await fillSignIn(page, { ...user, password: 'not this one' })
      assert.equal(await page.locator('[role=alert]:visible').count(), 1)
      assert.equal(await page.inputValue('[name=email]'), user.email)
      await fillSignIn(page, user)
      assert.match(await page.locator('h1').innerText(), /A library/)
      await page.click('[name=decision][value=allow]')
      const response = await pages.callback.evaluate()
      assert.ok(response.get('code'))
      assert.equal(response.get('iss'), `${pages.service.config.authUrl}/oidc`)
      await context.close()
    })

  it('works with the keyboard alone', async () => {
    const user = await createUser(pages.service, 'Ben')
    const context = await pages.browser.newContext()
    const page = await context.newPage()
    await page.goto(pages.request())
    await page.focus('[name=email]')
    await page.keyboard.type(user.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(user.password)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[name=decision]')
    for (let presses = 0; presses < 20; presses += 1) {
      const focused = await page.evaluate('document.activeElement?.getAttribute("value")')
      if (focused === 'allow') break
      await page.keyboard.press('Tab')
    }
    const ring = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    assert.notEqual(ring, 'none', 'the focused element has an outline')
    await page.keyboard.press('Enter')
    assert.ok((await pages.callback.evaluate()).get('code'))
    await context.close()
  })

  it('lets the user deny consent', async () => {
    const user = await createUser(pages.service)
    const context = await pages.browser.newContext()
    const page = await context.newPage()
    await page.goto(pages.request())
    await fillSignIn(page, user)
    await page.click('[name=decision][value=deny]')
    assert.equal((await pages.callback.evaluate()).get('error'), 'access_denied')
    await context.close()
  })

  it('uses the requested language, and switches to another one', async () => {
    const context = await pages.browser.newContext({ locale: 'zh-CN' })
    const page = await context.newPage()
    const language = () => page.locator('html').getAttribute('lang')
    await page.goto(`${pages.service.config.authUrl}/sign-in`)
    assert.equal(await language(), 'zh-Hans')
    await page.goto(pages.request({ ui_locales: 'ja' }))
    assert.equal(await language(), 'ja')
    await page.click('footer a[lang=en]')
    assert.equal(await language(), 'en')
    await page.goto(`${pages.service.config.authUrl}/forgotten-password`)
    assert.equal(await language(), 'en')
    await context.close()
  })

  it('works with only a passkey once one is added', async () => {
    const user = await createUser(pages.service, 'Cho')
    const context = await pages.browser.newContext()
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    await page.goto(`${pages.service.config.authUrl}/sign-in`)
    await fillSignIn(page, user)
    await page.goto(`${pages.service.config.authUrl}/account/security/passkeys`)
    const adding = page.locator('form[data-passkey-add]')
    await adding.locator('[name=name]').fill('This laptop')
    await adding.locator('[name=current_password]').fill(user.password)
    await adding.locator('button').click()
    await page.getByText('This laptop').first().waitFor()

    await context.clearCookies()
    await page.goto(pages.request())
    await page.click('form[data-passkey] button')
    await page.waitForSelector('[name=decision]')
    await page.click('[name=decision][value=allow]')
    assert.ok((await pages.callback.evaluate()).get('code'))
    await context.close()
  })
})
