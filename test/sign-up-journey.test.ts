import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { createUser } from '#test/authorization.ts'
import { findFaultsOfBothThemes } from '#test/axe.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { waitForLink } from '#test/mailbox.ts'
import { freePort } from '#test/free-port.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import { SIGN_UP_PASSWORD } from '#test/sign-ups.ts'

const PHONE = { width: 320, height: 700 }

describe('sign-up with approval in a real browser', { skip: chromiumMissing() }, () => {
  let browser: TestBrowser
  let database: TestDatabase
  let approval: TestService
  let invitation: TestService
  let closed: TestService
  before(async () => {
    browser = await shareChromium()
    database = await createDatabase('server', 'empty')
    const start = async (environment: Record<string, string>) => {
      const port = String(await freePort())
      const AUTH_URL = `http://localhost:${port}`
      return startService({ database, environment: { PORT: port, AUTH_URL, ...environment } })
    }
    approval = await start({
      SIGN_UP: 'approval',
      SIGN_UP_MAIL_DOMAINS: 'example.org,.example.net',
    })
    invitation = await start({ SIGN_UP: 'invitation' })
    closed = await start({ SIGN_UP: 'closed' })
  })
  after(async () => {
    await browser?.close()
    for (const service of [approval, invitation, closed]) await service?.close()
    await database?.remove()
  })

  /** Lists what axe-core reports, and whether a phone has to scroll sideways. */
  async function faultsOf(name: string, page: Page): Promise<string[]> {
    const faults = (await findFaultsOfBothThemes(page)).map((fault) => `${name}: ${fault}`)
    await page.setViewportSize(PHONE)
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    return isWide === true ? [...faults, `${name} is too wide for a phone`] : faults
  }
  const signIn = async (
    context: BrowserContext,
    { email, password }: { email: string; password: string },
  ) => {
    const page = await context.newPage()
    await page.goto(`${approval.config.authUrl}/sign-in`)
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/(account|sign-in\/waiting)/)
    return page
  }

  it(
    'works without scripts or a mouse, and its pages are accessible',
    { timeout: 120_000 },
    async () => {
      const plain = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE })
      const form = await plain.newPage()
      const email = 'keyboard@example.org'
      await form.goto(`${approval.config.authUrl}/sign-up`)
      await form.waitForSelector('[name=email]:focus')
      for (const text of [email, 'Key', SIGN_UP_PASSWORD]) {
        await form.keyboard.type(text)
        await form.keyboard.press('Tab')
      }
      const sent = form.waitForEvent('load')
      await form.keyboard.press('Enter')
      await sent
      await form.goto(await waitForLink(approval.config.dataDir, email, '/sign-up/confirm'))
      await form.focus('main form button')
      await form.keyboard.press('Enter')
      await form.waitForURL(/\/sign-in\/waiting/)

      const faults: string[] = []
      const context = await browser.newContext()
      const page = await context.newPage()
      for (const [name, { config }, path] of [
        ['closed', closed, '/sign-up'],
        ['invitation', invitation, '/sign-up'],
        ['refused invitation', invitation, '/sign-up?invitation=gone'],
        ['approval', approval, '/sign-up'],
      ] as const) {
        await page.goto(config.authUrl + path)
        faults.push(...(await faultsOf(name, page)))
      }
      const waiting = await signIn(context, { email, password: SIGN_UP_PASSWORD })
      await waiting.click('summary')
      faults.push(...(await faultsOf('waiting', waiting)))

      const user = await createUser(approval, 'Administrator', 'ADMIN')
      const desk = await signIn(await browser.newContext(), user)
      await desk.goto(`${approval.config.authUrl}/desk/accounts`)
      faults.push(...(await faultsOf('waiting accounts', desk)))
      await desk.getByRole('checkbox', { name: 'Key' }).check()
      await desk.click('text=Approve selected')
      await desk.waitForSelector('.notice.done')
      await desk.goto(`${approval.config.authUrl}/desk/invitations`)
      await desk.click('text=Create invitation')
      await desk.waitForSelector('#link')
      faults.push(...(await faultsOf('new invitation', desk)))
      await desk.click('text=I’ve copied it')
      faults.push(...(await faultsOf('invitations', desk)))
      assert.deepEqual(faults, [])

      const approved = await signIn(context, { email, password: SIGN_UP_PASSWORD })
      assert.match(approved.url(), /\/account/)
    },
  )
})
