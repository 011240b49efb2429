import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, it } from 'node:test'
import { createUser, signedInAs, type UserWithBrowser } from '#test/authorization.ts'
import type { Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { findAccount } from '../accounts/queries.ts'
import { ensureCookieKeys } from '../identity/provider/storage/cookie-keys.ts'

const COOKIE = 'mokuroku-desk'

describeOnDatabase('a notice cookie of the desk', (engine) => {
  let service: TestService
  let admin: UserWithBrowser
  let attacker: UserWithBrowser
  before(async () => {
    service = await shareService(engine)
    admin = await signedInAs(service, 'ADMIN')
    attacker = await signedInAs(service, 'ADMIN')
  })
  after(() => service.close())

  const offersUndo = ({ forms }: Visit) => forms.some(({ fields }) => fields['undo'] === 'yes')
  async function roleForm({ browser }: UserWithBrowser, id: number, role: string) {
    const { forms } = await browser.get(`/desk/accounts/${id}`)
    const form = forms.find(({ action }) => action.endsWith('/role'))
    assert.ok(form)
    return {
      address: `/desk/accounts/${id}/role`,
      fields: { ...form.fields, role, note: 'A reason.' },
    }
  }
  /** Returns the cookie that an action sets, as the browser would send it to the next page. */
  async function noticeCookie(actor: UserWithBrowser, id: number) {
    const { address: path, fields } = await roleForm(actor, id, 'MODERATOR')
    const { headers } = await fetch(service.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: actor.browser.cookieHeader('/desk'), origin: service.url },
      body: new URLSearchParams(fields),
    })
    const set = headers.getSetCookie().find((cookie) => cookie.startsWith(`${COOKIE}=`))
    return /=([^;]+)/.exec(set ?? '')?.[1] ?? ''
  }

  it('is not shown and offers no undo form', async () => {
    const { id } = await createUser(service)
    const old = {
      done: 'dismissed',
      undo: { action: `/desk/accounts/${id}/role`, fields: { role: 'ADMIN' } },
    }
    const later = Date.now() + 60_000
    for (const value of [
      encodeURIComponent(JSON.stringify(old)),
      `dismissed role ${id}`,
      `${COOKIE}.${admin.id}.${later}.dismissed role ${id}`,
      `${COOKIE}.${admin.id}.${later}.dismissed role ${id}.${'A'.repeat(43)}`,
    ]) {
      admin.browser.setCookie(COOKIE, encodeURIComponent(value))
      const page = await admin.browser.get('/desk')
      assert.equal(page.status, 200)
      assert.ok(!page.text.includes('class="notice done ') && !offersUndo(page), value)
    }
    assert.equal((await findAccount(service.db, id))?.role, null)
  })

  it('is shown only to the account it was signed for', async () => {
    const { id } = await createUser(service)
    const signed = await noticeCookie(attacker, id)
    for (const [browser, isShown] of [
      [admin.browser, false],
      [attacker.browser, true],
    ] as const) {
      browser.setCookie(COOKIE, signed)
      assert.equal(offersUndo(await browser.get('/desk')), isShown)
    }
  })

  it('offers only actions of a fixed list, with well-formed IDs', async () => {
    const [key = ''] = await ensureCookieKeys(service.db, service.config.secretKey)
    /** Returns the action of the undo form, with a notice that the service itself signed. */
    const actionOf = async (action: string, id: string) => {
      const text = `${COOKIE}.${admin.id}.${Date.now() + 60_000}.dismissed ${action} ${id}`
      const signature = createHmac('sha256', key).update(text).digest('base64').replaceAll('=', '')
      admin.browser.setCookie(COOKIE, encodeURIComponent(`${text}.${signature}`))
      const { status, text: page, forms } = await admin.browser.get('/desk')
      assert.equal(status, 200, `${action} ${id}`)
      assert.ok(page.includes('class="notice done '), `${action} ${id}`)
      const form = forms.find(({ fields }) => fields['undo'] === 'yes')
      return form && [form.action, form.fields['kind'], form.fields['id'], form.fields['from']]
    }
    for (const [action, id, form] of [
      ['restore', '7', ['/desk/hidden/7/restore', undefined, undefined, undefined]],
      ['enableApp', 'an-app_1', ['/desk/apps/an-app_1/enable', undefined, undefined, undefined]],
      ['unsetField', 'galgame/7/name', ['/desk/entries/unset', 'galgame', '7', undefined]],
      ['unmergeEntries', 'galgame/7/8', ['/desk/merges/undo', 'galgame', undefined, '7']],
    ] as const)
      assert.deepEqual(await actionOf(action, id), form)
    for (const action of ['ban', 'delete', 'constructor', 'toString', '__proto__'])
      assert.equal(await actionOf(action, '7'), undefined, action)
    for (const action of [
      'unban',
      'restore',
      'reopenReport',
      'reopenMatch',
      'enableApp',
      'disableApp',
    ])
      for (const id of ['7/role', '../accounts/7', '7?role=ADMIN', '7#', '%2e%2e', ''])
        assert.equal(await actionOf(action, id), undefined, `${action} ${id}`)
    for (const action of ['unban', 'restore', 'reopenReport', 'reopenMatch'])
      for (const id of ['an-app', '-7', '7e1', '1'.repeat(17)])
        assert.equal(await actionOf(action, id), undefined, `${action} ${id}`)
    for (const action of ['unsetField', 'putBackField', 'mergeEntries', 'unmergeEntries'])
      for (const id of ['7', 'galgame/7', 'galgame/x/7', 'galgame/7/', 'galgame/7/8/9', '../7/8'])
        assert.equal(await actionOf(action, id), undefined, `${action} ${id}`)
  })

  it('cannot choose the role that an undo restores, which comes from the log', async () => {
    const { id } = await createUser(service, 'Moderator', 'MODERATOR')
    const { address: path, fields } = await roleForm(admin, id, '')
    const page = await admin.browser.post(path, fields)
    const form = page.forms.find(({ fields }) => fields['undo'] === 'yes')
    assert.deepEqual([form?.fields['role'], form?.fields['note']], ['MODERATOR', ''])
    assert.equal((await admin.browser.submit(page, {}, form)).status, 200)
    assert.equal((await findAccount(service.db, id))?.role, 'MODERATOR')
  })
})
