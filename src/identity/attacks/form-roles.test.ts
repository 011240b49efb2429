import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ageSignIns } from '#test/accounts.ts'
import { routesOf } from '#test/routes.ts'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import { csrfTokenOf, PlainBrowser } from '#test/browser.ts'
import { startService, type TestService } from '#test/service.ts'
import { setRole } from '../../accounts/role-queries.ts'

/**
 * Users who may send a form. `ANYBODY` includes guests, and `OWNER` is any signed-in user, for their own data.
 * `MODERATOR` and `ADMIN` require a sign-in within the last half hour; everyone else gets a 404.
 */
type Audience = 'ANYBODY' | 'OWNER' | 'MODERATOR' | 'ADMIN'

/** Paths of all forms. A new form must be added here. */
const FORMS: Record<Audience, string[]> = {
  ANYBODY: [
    '/forgotten-password',
    '/interaction/:uid',
    '/not-me',
    '/reset-password',
    '/sign-in',
    '/sign-in/keep',
    '/sign-in/passkey',
    '/sign-in/passkey/options',
    '/sign-in/second-factor',
    '/sign-in/waiting',
    '/sign-up',
    '/sign-up/confirm',
  ],
  OWNER: [
    '/account/apps/withdraw',
    '/account/delete',
    '/account/email',
    '/account/email/confirm',
    '/account/feeds',
    '/account/feeds/off',
    '/account/password',
    '/account/preferences',
    '/account/profile',
    '/account/profile/picture',
    '/account/profile/picture/remove',
    '/account/security/authenticator',
    '/account/security/authenticator/off',
    '/account/security/passkeys',
    '/account/security/passkeys/options',
    '/account/security/passkeys/remove',
    '/account/security/passkeys/rename',
    '/account/security/recovery-codes',
    '/account/sessions/distrust',
    '/account/sessions/end',
    '/account/sessions/end-others',
    '/account/sign-out',
    '/account/tokens',
    '/account/tokens/revoke',
    '/account/tokens/revoke-all',
    '/console/apps/:client_id/secrets',
    '/console/apps/:client_id/secrets/previous',
    '/console/apps/:client_id/settings',
    '/console/apps/:client_id/settings/delete',
    '/console/apps/:client_id/settings/enabled',
    '/console/apps/:client_id/settings/logo',
    '/console/apps/:client_id/settings/logo/remove',
    '/console/apps/:client_id/try/application',
    '/console/apps/:client_id/try/begin',
    '/console/apps/:client_id/try/device',
    '/console/apps/:client_id/try/device/poll',
    '/console/apps/:client_id/try/exchange',
    '/console/apps/:client_id/try/register',
    '/console/apps/:client_id/try/unregister',
    '/console/apps/:client_id/webhooks',
    '/console/apps/:client_id/webhooks/:endpoint',
    '/console/apps/:client_id/webhooks/:endpoint/delete',
    '/console/apps/:client_id/webhooks/:endpoint/enabled',
    '/console/apps/:client_id/webhooks/:endpoint/redeliver',
    '/console/apps/:client_id/webhooks/:endpoint/secret',
    '/console/apps/:client_id/webhooks/:endpoint/test',
    '/console/new',
    '/library/:works/:id',
    '/library/:works/:id/delete',
    '/library/:works/:id/mark',
    '/library/:works/:id/undo',
    '/library/:works/:id/volume',
    '/library/collections',
    '/library/collections/:id',
    '/library/collections/:id/:works/:work',
    '/library/collections/:id/:works/:work/restore',
    '/library/collections/:id/delete',
    '/library/collections/:id/restore',
    '/library/collections/of/:works/:work',
    '/library/following',
    '/library/import',
    '/library/import/:id/forget',
    '/library/import/:id/take-over',
    '/library/import/:id/undo',
    '/library/import/:id/works',
    '/library/notifications',
    '/library/profile',
    '/library/profile/favorites',
    '/library/several',
    '/report',
    '/reports/:id/appeal',
    '/reviews/:id/vote',
  ],
  MODERATOR: [
    '/desk/hidden/:id/reject',
    '/desk/hidden/:id/restore',
    '/desk/reports/:id/correct',
    '/desk/reports/:id/dismiss',
    '/desk/reports/:id/hide',
    '/desk/reports/:id/reopen',
  ],
  ADMIN: [
    '/desk/accounts/:id/ban',
    '/desk/accounts/:id/factors',
    '/desk/accounts/:id/feeds',
    '/desk/accounts/:id/role',
    '/desk/accounts/:id/sessions',
    '/desk/accounts/:id/tokens',
    '/desk/accounts/:id/unban',
    '/desk/accounts/waiting',
    '/desk/apps/:id/deny-host',
    '/desk/apps/:id/disable',
    '/desk/apps/:id/enable',
    '/desk/apps/:id/limit',
    '/desk/denied-hosts/allow',
    '/desk/entries/put-back',
    '/desk/entries/set',
    '/desk/announcement',
    '/desk/announcement/end',
    '/desk/entries/unset',
    '/desk/mails/:id/retry',
    '/desk/invitations',
    '/desk/invitations/:id/revoke',
    '/desk/matches/decide',
    '/desk/matches/:id/reopen',
    '/desk/matches/:id/unaccept',
    '/desk/merges',
    '/desk/merges/undo',
    '/desk/webhooks/:id/disable',
    '/desk/webhooks/:id/enable',
  ],
}

/** Forms that sign out the user who sends them. */
const SIGNING_OUT = new Set(['/account/sessions/end-others', '/account/sign-out'])

const ROLES = ['guest', 'reader', 'moderator', 'administrator'] as const
type Role = (typeof ROLES)[number]

const ALLOWED: Record<Audience, Role[]> = {
  ANYBODY: [...ROLES],
  OWNER: ['reader', 'moderator', 'administrator'],
  MODERATOR: ['moderator', 'administrator'],
  ADMIN: ['administrator'],
}

type FormResponse = { status: number; leadsTo: string; text: string }

describe('every form', () => {
  let service: TestService
  const users = {} as Record<Role, { browser: PlainBrowser; csrf: string; id: number }>
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
    for (const role of ROLES) {
      const account = await createUser(service, role)
      if (role === 'moderator') await setRole(service.db, account.id, 'MODERATOR')
      if (role === 'administrator') await setRole(service.db, account.id, 'ADMIN')
      const browser =
        role === 'guest' ? new PlainBrowser(service.url) : await signedInBrowser(service, account)
      const page = await browser.get(role === 'guest' ? '/sign-in' : '/library/galgames/1')
      const csrf = csrfTokenOf(page)
      assert.notEqual(csrf, '')
      users[role] = { browser, csrf, id: account.id }
    }
  })
  after(() => service.close())

  const pathOf = (url: string) => url.replaceAll(/:(\w+)/g, '1')

  async function send(role: Role, url: string, withToken: boolean): Promise<FormResponse> {
    const { browser, csrf } = users[role]
    const path = pathOf(url)
    const response = await fetch(service.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', origin: service.url, cookie: browser.cookieHeader(path) },
      body: new URLSearchParams(withToken ? { _csrf: csrf } : {}),
    })
    const location = response.headers.get('location')
    return {
      status: response.status,
      leadsTo: location === null ? '' : new URL(location, service.url).pathname,
      text: await response.text(),
    }
  }

  it('is listed in this test, and every listed form exists', () => {
    const sent = routesOf(service)
      .filter(
        ({ method, url }) =>
          method === 'POST' && !/^\/(?:v3|api|oidc|docs|mcp|health|\.well-known|\*)/.test(url),
      )
      .map(({ url }) => url)
    assert.deepEqual(sent.toSorted(), Object.values(FORMS).flat().toSorted())
  })

  for (const [audience, urls] of Object.entries(FORMS) as [Audience, string[]][])
    it(`is denied to everyone else if it is for ${audience}`, async () => {
      for (const url of urls) {
        for (const role of ROLES.filter((item) => !ALLOWED[audience].includes(item))) {
          const { status, leadsTo, text } = await send(role, url, true)
          const description = `${role} at ${url}: ${status} ${leadsTo}`
          if (audience === 'OWNER')
            assert.deepEqual([status, leadsTo], [303, '/sign-in'], description)
          else {
            const notFound = await send(role, '/no/such/form', true)
            assert.equal(text, notFound.text, description)
            // The form's subject may not exist, because the token is checked before the subject is looked up.
            assert.equal(
              (await send(role, url, false)).text,
              notFound.text,
              `${description} without its token`,
            )
          }
        }
        for (const role of ALLOWED[audience]) {
          const without = await send(role, url, false)
          assert.equal(
            without.status,
            403,
            `${role} at ${url} without its token: ${without.status}`,
          )
          if (SIGNING_OUT.has(url)) continue
          const { status, leadsTo } = await send(role, url, true)
          const description = `${role} at ${url}: ${status} ${leadsTo}`
          assert.ok(status < 500 && status !== 403, description)
          if (audience !== 'ANYBODY') assert.notEqual(leadsTo, '/sign-in', description)
        }
      }
    })

  it('requires a recent sign-in if it belongs to the desk', async () => {
    await ageSignIns(service.db)
    for (const audience of ['MODERATOR', 'ADMIN'] as const)
      for (const url of FORMS[audience])
        for (const role of ALLOWED[audience]) {
          const { status, leadsTo } = await send(role, url, true)
          assert.deepEqual([status, leadsTo], [303, '/sign-in'], `${role} at ${url}`)
        }
  })
})
