import type { Account } from '../../../accounts/queries.ts'
import { deviceName } from '../../../ui/device-name.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { ownPortrait } from '../../../ui/portrait.ts'
import { timeElement } from '../../../ui/format-time.ts'
import type { AccountView } from './frame.ts'
import { placeText, shortAddress } from './place-text.ts'

type SignIn = { at: Date; address: string | null; user_agent: string | null }

export type OverviewData = {
  account: Account
  sessions: number
  apps: number
  passkeys: number
  codesLeft: number
  /** Most recent sign-ins, newest first: usually that of this session and the previous one. */
  signIns: SignIn[]
  address: string
}

/** Shows the account's state, and links to every account page. */
export function overviewView(page: PageContext, data: OverviewData): AccountView {
  const { messages, csrfField } = page
  const { account: common, accountOverview: texts } = messages
  const { account } = data
  const factors = [
    account.has_totp ? texts.secondFactorOn : texts.secondFactorOff,
    texts.passkeys({ amount: data.passkeys }),
    account.has_totp && messages.accountSecurity.codesLeft({ left: data.codesLeft }),
  ]
  const tiles: [href: string, title: string, lines: (string | Html | false)[]][] = [
    ['/account/profile', messages.accountProfile.title, [texts.profile]],
    ['/account/security', messages.accountSecurity.title, factors],
    [
      '/account/sessions',
      messages.accountSessions.title,
      [texts.sessionCount({ amount: data.sessions })],
    ],
    ['/account/apps', messages.accountApps.title, [texts.appCount({ amount: data.apps })]],
    ['/account/tokens', messages.accountTokens.title, [messages.accountTokens.summary]],
    ['/account/feeds', messages.accountFeeds.title, [messages.accountFeeds.summary]],
    ['/account/preferences', messages.preferences.title, [messages.preferences.summary]],
    ['/account/email', messages.accountEmail.title, [account.email]],
    ['/account/password', messages.accountPassword.title, [texts.password]],
    ['/account/history', messages.accountHistory.title, [texts.history]],
    ['/account/data', texts.dataTitle, [texts.data]],
    ['/reports', messages.reports.mine, [texts.reports]],
    ['/console', messages.console.apps, [messages.console.lead]],
  ]
  return {
    title: common.greeting({ name: account.name }),
    isStart: true,
    body: html`<div class="portrait-row">${ownPortrait(account)}
<div><p class="lead">${texts.signedInAs({ email: account.email })}</p>
${data.signIns.length > 0 && html`<dl class="facts">${data.signIns.map((signIn, index) => signInFact(page, signIn, data.address, index === 0))}</dl>`}</div></div>
<ul class="menu tiles">${tiles.map(
      ([href, title, lines]) =>
        html`<li><a href="${href}"><strong>${title}</strong>${lines.filter(Boolean).map((line) => html`<span>${line}</span> `)}</a></li>`,
    )}</ul>
<form method="post" action="/account/sign-out">
${csrfField()}
<div class="actions inline"><button class="secondary">${common.signOut}</button></div>
</form>
<section class="where-no-nav divided">
<p class="quiet">${texts.deletion} <a href="/account/delete">${messages.accountDeletion.title}</a></p>
</section>`,
  }
}

function signInFact(
  page: PageContext,
  { at, address, user_agent }: SignIn,
  here: string,
  isLast: boolean,
) {
  const { messages } = page
  const texts = messages.accountOverview
  const from = [
    user_agent === null ? undefined : deviceName(messages, user_agent),
    address === null ? undefined : (placeText(messages, address, here) ?? shortAddress(address)),
  ].filter((text) => text !== undefined)
  return html`<div><dt>${isLast ? texts.lastSignIn : texts.signInBefore}</dt><dd>${timeElement(page, at)}${
    from.length > 0 && html`<br><span class="quiet">${from.join(' · ')}</span>`
  }</dd></div>`
}

/**
 * Welcomes a new user.
 *
 * @param next local path of the link that skips the suggestions
 */
export function welcomeView({ messages }: PageContext, name: string, next: string): AccountView {
  const { accountWelcome: texts } = messages
  return {
    title: texts.title({ name }),
    isStart: true,
    body: html`<p class="lead">${texts.text}</p>
<section class="card">
<h2>${texts.importTitle}</h2>
<p>${texts.importText}</p>
<div class="actions inline"><a class="button" href="/library/import">${texts.importTitle}</a></div>
</section>
<section class="card">
<h2>${texts.findTitle}</h2>
<p>${texts.findText}</p>
<div class="actions inline"><a class="button" href="/search">${texts.find}</a></div>
</section>
<section class="card">
<h2>${texts.passkeyTitle}</h2>
<p>${messages.accountPasskeys.text}</p>
<div class="actions inline"><a class="button secondary" href="/account/security/passkeys">${messages.accountPasskeys.add}</a></div>
</section>
<ul class="menu tiles">
<li><a href="/account/profile/picture"><strong>${messages.accountPicture.title}</strong><span>${messages.accountPicture.text}</span></a></li>
<li><a href="/account/preferences"><strong>${messages.preferences.title}</strong><span>${messages.preferences.summary}</span></a></li>
</ul>
<div class="actions inline"><a class="button secondary" href="${next}">${texts.later}</a></div>`,
  }
}
