import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInAs } from '#test/authorization.ts'
import { PlainBrowser, type Form, type Visit } from '#test/browser.ts'
import { worksOfEachKind } from '#test/library-user.ts'
import { startService, type TestService } from '#test/service.ts'
import { saveProfileSettings } from '../src/profiles/queries.ts'

/** Values that nearly every form rejects in some field: an empty one, and one that is too long. */
const VALUES = ['', 'x'.repeat(3_000)]

/** Statuses of a form that is shown again with an error. */
const REFUSED = new Set([400, 403, 409, 422])

describe('refused forms', () => {
  let service: TestService
  before(async () => {
    service = await startService({ environment: { IMAGES: 'off' } })
  })
  after(() => service?.close())

  it('focus the error, and begin the page title with it', async () => {
    const { novel, game } = await worksOfEachKind(service)
    const shown = await createUser(service, 'Shows a profile')
    const settings = { is_shown: true, name: 'shown' }
    await saveProfileSettings(service.db, shown.id, (stored) => ({ ...stored, ...settings }))
    const guest = new PlainBrowser(service.url)
    const { browser: user } = await signedInAs(service, 'ADMIN')
    const pages: [PlainBrowser, string[]][] = [
      [guest, ['/sign-in', '/sign-up', '/forgotten-password']],
      [
        user,
        [
          '/account/profile',
          '/account/email',
          '/account/password',
          '/account/preferences',
          '/account/delete',
          '/account/security',
          '/console/new',
          '/desk/announcement',
          '/desk/invitations',
          `/library/light-novels/${novel}`,
          `/library/collections/of/galgames/${game}`,
          '/library/collections',
          '/library/profile',
          '/library',
          `/report?profile=${shown.id}`,
        ],
      ],
    ]
    const refused = new Set<string>()
    for (const [browser, paths] of pages)
      for (const path of paths) {
        const page = await browser.get(path)
        assert.equal(page.status, 200, path)
        const forms = page.forms.filter(
          ({ method, action }) => method === 'post' && !action.endsWith('/sign-out'),
        )
        for (const form of forms)
          for (const value of VALUES) {
            const visit = await browser.post(form.action, filled(form, value))
            if (!REFUSED.has(visit.status)) continue
            refused.add(form.action)
            assertFocused(visit, `${form.action} with ${value.length} characters`)
          }
      }
    assert.ok(refused.size >= 15, [...refused].join(', '))
  })
})

/** Fills all visible fields with a value. */
const filled = ({ fields, buttons }: Form, value: string): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(fields).map(([name, given]) => [
      name,
      name.startsWith('_') || name === 'back' ? given : value,
    ]),
  ),
  ...(buttons[0] && { [buttons[0].name]: buttons[0].value }),
})

function assertFocused({ text }: Visit, name: string): void {
  assert.match(text, /<title>Error: /, name)
  assert.equal(text.split(' autofocus=""').length, 2, name)
  assert.match(text, /<[^>]*(?:notice error|fault|aria-invalid)[^>]* autofocus=""/, name)
}
