import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../ui/html.ts'
import { LANGUAGES } from '../../i18n/languages.ts'
import { messagesIn } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'
import { SCOPES } from '../../apps/rules/scopes.ts'
import { chooseAccountView } from './choose-account.ts'
import { consentPage, type ConsentData } from './consent.ts'
import { continueView } from './continue.ts'
import { deviceCodeView, deviceConfirmView, deviceDoneView } from './device.ts'
import { passwordView } from './account/security/password.ts'
import { authorizationErrorView } from './error.ts'
import { resetPasswordView } from './password-reset.ts'
import { signInView, type SignInData } from './sign-in.ts'
import { signedOutView, signOutView } from './sign-out.ts'
import { signUpView } from './sign-up/sign-up.ts'

const messages = messagesIn('en')
const csrf = html`<input type="hidden" name="_csrf" value="token">`
const EVIL = `"><script>alert('1')</script>`
const form = { action: EVIL, fields: { xsrf: EVIL } }
const account = { name: EVIL, email: EVIL, picture: EVIL }

const consent: ConsentData = {
  action: '/consent',
  app: {
    name: 'Shelf',
    logo: '/uploads/x.webp',
    homepage: 'https://shelf.example',
    privacy: 'https://shelf.example/privacy',
    terms: null,
    developer: { name: 'Mei', since: new Date('2025-03-01') },
    documentHost: null,
    createdAt: new Date('2026-01-05'),
    readers: 12,
    redirectHost: 'shelf.example',
    leadsTo: 'elsewhere',
    isPublic: false,
  },
  account: { id: 7, name: 'Ryo', email: 'ryo@example.com' },
  requested: ['openid', 'status:write'],
  already: ['openid'],
  withheld: [],
  notAllowed: ['email'],
  offline: undefined,
}
const context = { messages, language: 'en', csrfField: () => csrf } as const
const consentView = (data: ConsentData) => consentPage(data, context)
const device = {
  messages,
  clock: { language: 'en' },
  request: { address: EVIL, at: new Date(0) },
} as const
const signInPage = (data: Partial<SignInData> = {}) =>
  signInView(context, { interaction: undefined, canSignUp: true, ...data })

const text = ({ body }: View) => body.toString()
/** Lists the names and values that the fields and buttons of a form would send, in order. */
const sent = (view: View) =>
  [...text(view).matchAll(/<(?:input|button)([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const name = /\bname="([^"]*)"/.exec(attributes)?.[1]
    return name === undefined ? [] : [`${name}=${/\bvalue="([^"]*)"/.exec(attributes)?.[1] ?? ''}`]
  })

describe('views', () => {
  it('show the URL of an app’s home page in ASCII form', () => {
    const homepage = 'https://\u0435xample.org/\u202e'
    const page = text(consentView({ ...consent, app: { ...consent.app, homepage } }))
    assert.ok(page.includes('>https://xn--xample-2of.org/%E2%80%AE</a>'))
  })

  it('escape all input', () => {
    const views = [
      signInPage({
        interaction: EVIL,
        email: EVIL,
        appName: EVIL,
        reason: EVIL,
        error: EVIL,
        notice: EVIL,
      }),
      chooseAccountView(context, { interaction: EVIL, account, appName: EVIL }),
      consentView({
        ...consent,
        action: EVIL,
        app: {
          ...consent.app,
          name: EVIL,
          logo: `/${EVIL}`,
          homepage: `https://${EVIL}`,
          privacy: EVIL,
          terms: EVIL,
          developer: { name: EVIL, since: new Date(0) },
          redirectHost: EVIL,
          isPublic: true,
        },
        account: { id: 7, ...account },
        requested: [EVIL],
        notAllowed: [EVIL],
        device: device.request,
      }),
      deviceCodeView({ messages, form, userCode: EVIL, error: EVIL }),
      deviceConfirmView({ ...device, form, userCode: EVIL, appName: EVIL }),
      signOutView({ messages, form, appName: EVIL }),
      authorizationErrorView({
        messages,
        title: EVIL,
        text: EVIL,
        received: { name: EVIL, value: EVIL },
        requestId: EVIL,
      }),
      continueView({ messages, form }),
    ]
    for (const view of views) {
      assert.doesNotMatch(text(view), /<script/)
      assert.match(text(view), /&quot;&gt;&lt;script&gt;/)
    }
  })

  it('have exactly one heading, which is the page title', () => {
    const views = [
      signInPage(),
      chooseAccountView(context, { interaction: 'x', account, appName: 'Shelf' }),
      consentView(consent),
      deviceCodeView({ messages, form }),
      deviceConfirmView({ ...device, form, userCode: 'AB-CD', appName: 'TV' }),
      deviceDoneView({ messages }),
      signOutView({ messages, form }),
      signedOutView({ messages }),
      authorizationErrorView({ messages, text: 'No' }),
      continueView({ messages, form }),
    ]
    for (const view of views)
      assert.deepEqual(
        [...text(view).matchAll(/<h1>(.*)<\/h1>/g)].map(([, heading]) => heading),
        [view.title],
      )
  })
})

describe('the field for a new password', () => {
  it('has the same hint on every page', () => {
    for (const language of LANGUAGES) {
      const page = { messages: messagesIn(language), csrfField: () => csrf }
      const hints = [
        signUpView(page, { interaction: undefined, mailDomains: [], mode: 'open' }),
        resetPasswordView(page, { token: 'token' }),
        passwordView(page, { email: 'ryo@example.com', errors: {} }),
      ].map((view) => /<p class="hint" id="password[^>]*>([^<]*)</.exec(text(view))?.[1])
      assert.ok(hints[0])
      assert.equal(new Set(hints).size, 1, hints.join(' | '))
    }
  })
})

describe('the sign-in page', () => {
  it('has a form that sends the email address and the password', () => {
    assert.deepEqual(sent(signInPage({ email: 'ryo@example.com' })), [
      '_csrf=token',
      'email=ryo@example.com',
      'password=',
      '_csrf=token',
      'response=',
    ])
    assert.match(text(signInPage()), /autocomplete="username webauthn"/)
    assert.match(text(signInPage()), /autocomplete="current-password"/)
  })

  it('focuses the first empty field', () => {
    assert.match(text(signInPage()), /<input id="email"[^>]* autofocus="">/)
    assert.match(
      text(signInPage({ email: 'a@b.example' })),
      /<input id="password"[^>]* autofocus="">/,
    )
  })

  it('hides passkeys until a script can use them', () => {
    const view = signInPage()
    assert.match(text(view), /<form method="post" action="\/sign-in\/passkey" hidden data-passkey>/)
    assert.ok(view.scripts?.includes('/assets/passkey.js'))
  })

  it('offers a button that leads back to the app that requested the sign-in', () => {
    const view = signInPage({ interaction: 'x', appName: 'Shelf' })
    assert.match(text(view), /action="\/interaction\/x"[^]*value="deny">Back to Shelf</)
    assert.doesNotMatch(text(signInPage()), /decision/)
  })
})

describe('the consent page', () => {
  it('shows the app, its website, the redirect host and the account', () => {
    const page = text(consentView(consent))
    assert.match(page, /<h1>Allow Shelf\?<\/h1>/)
    assert.match(page, /<a href="https:\/\/shelf.example" rel="noopener nofollow noreferrer">/)
    assert.match(page, /<code>shelf.example<\/code>/)
    assert.match(page, /Ryo<br>ryo@example.com/)
    assert.deepEqual(sent(consentView(consent)), [
      '_csrf=token',
      'account=7',
      'scopes_shown=yes',
      'allow.status:write=yes',
      'decision=allow',
      'decision=deny',
    ])
  })

  it('turns only http and https URLs into links', () => {
    for (const uri of ['javascript:alert(1)', ' https://a.example', 'data:text/html,x', null, ''])
      assert.doesNotMatch(
        text(consentView({ ...consent, app: { ...consent.app, homepage: uri, privacy: uri } })),
        /<a /,
      )
  })

  it('describes each scope, and marks those that were allowed before', () => {
    const items = [...text(consentView(consent)).matchAll(/<li class="granted">(.*?)<\/li>/gs)].map(
      ([item]) => item,
    )
    assert.equal(items.length, 2)
    assert.match(items[0] ?? '', /Recognize you.*already allowed/s)
    assert.match(items[1] ?? '', /change your ratings/)
    assert.doesNotMatch(items[1] ?? '', /already allowed/)
  })

  it('has text for every scope, in every language', () => {
    for (const language of LANGUAGES)
      assert.deepEqual(Object.keys(messagesIn(language).scopes).toSorted(), SCOPES.toSorted())
  })

  it('lists what the app will not be able to do, beginning with seeing the password', () => {
    const denied = [
      ...text(consentView(consent)).matchAll(/<li class="denied">.*?<span>([^<]*)<\/span><\/li>/gs),
    ]
    assert.deepEqual(
      denied.map(([, item]) => item),
      ['See your password', 'See your email address'],
    )
  })

  it('lists the withheld part of a scope next to the granted part', () => {
    const page = text(
      consentView({ ...consent, requested: ['status:read'], notAllowed: ['status:write'] }),
    )
    assert.match(page, /checked><span>See your ratings/)
    assert.match(page, /✗<\/span><span>Change your ratings/)
    const named = text(
      consentView({ ...consent, requested: ['profile'], notAllowed: ['user:read'] }),
    )
    assert.match(named, /checked><span>See your name and picture/)
    assert.match(named, /✗<\/span><span>See your bio/)
  })

  it('shows each permission once, grouped, and marks write access', () => {
    const requested = [
      'openid',
      'profile',
      'user:read',
      'status:read',
      'status:write',
      'collection:read',
    ]
    const page = text(consentView({ ...consent, requested }))
    assert.deepEqual(
      [...page.matchAll(/<legend>([^<]*)</g)].map(([, name]) => name),
      ['Profile', 'Ratings', 'Collections'],
    )
    assert.equal(page.match(/<li class="granted">/g)?.length, 4)
    assert.doesNotMatch(page, /name="allow.(status:read|profile)"/)
    assert.equal(page.match(/can change/g)?.length, 1)
  })

  it('states that the redirect leads to a program on the user’s device', () => {
    const app = { ...consent.app, redirectHost: '127.0.0.1:14791', leadsTo: 'device' as const }
    assert.match(
      text(consentView({ ...consent, app })),
      /program on this device<br><code>127\.0\.0\.1:14791/,
    )
  })

  it('states that the redirect leads to this site', () => {
    const app = { ...consent.app, redirectHost: 'id.example', leadsTo: 'us' as const }
    assert.match(text(consentView({ ...consent, app })), /This site<br><code>id\.example/)
  })

  it('omits the redirect host for devices', () => {
    const page = text(
      consentView({
        ...consent,
        app: { ...consent.app, homepage: null, developer: null, redirectHost: '' },
      }),
    )
    assert.equal(page.match(/<dt>/g)?.length, 2)
  })

  it('shows how long offline access lasts, and says so if no new scope is requested', () => {
    assert.doesNotMatch(text(consentView(consent)), /Access lasts|nothing beyond/)
    const requested = ['openid', 'offline_access']
    const offline = { until: new Date('2027-05-20'), maxIdleDays: 30 }
    assert.match(
      text(consentView({ ...consent, requested, offline })),
      /until 20 May 2027\. It ends earlier if the app doesn’t use it for 30 days/,
    )
    const nothingNew = text(consentView({ ...consent, requested: ['openid'] }))
    assert.match(nothingNew, /nothing beyond/)
    assert.doesNotMatch(nothingNew, /already allowed<\/span>/, 'of all it is said once')
  })
})

describe('views of the OpenID provider’s forms', () => {
  const carried = { action: '/oidc/device', fields: { xsrf: 'x', user_code: 'ABCD' } }

  it('contain all hidden fields', () => {
    assert.deepEqual(
      sent(deviceCodeView({ messages, form: { ...carried, fields: { xsrf: 'x' } } })),
      ['xsrf=x', 'user_code='],
    )
    assert.deepEqual(
      sent(deviceConfirmView({ ...device, form: carried, userCode: 'AB-CD', appName: 'TV' })),
      ['xsrf=x', 'user_code=ABCD', 'confirm=yes', 'abort=yes'],
    )
    assert.deepEqual(sent(signOutView({ messages, form: carried })), [
      'xsrf=x',
      'user_code=ABCD',
      'logout=yes',
    ])
  })

  it('submit themselves with JavaScript, and show a button without it', () => {
    const view = continueView({ messages, form: carried })
    assert.match(text(view), /<form method="post" action="\/oidc\/device" data-submit>/)
    assert.match(text(view), /<button>Continue<\/button>/)
    assert.deepEqual(view.scripts, ['/assets/submit.js'])
  })
})
