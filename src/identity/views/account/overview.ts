import type { Account } from '../../../accounts/queries.ts'
import { html, type Html } from '../../../pages/html.ts'
import type { PageContext } from '../../../pages/page-context.ts'
import type { AccountView } from './frame.ts'

/** Leads to every page of the account. */
export function overviewView({ messages, csrfField }: PageContext, account: Account): AccountView {
  const { account: common, accountOverview: words } = messages
  const security = html`${words.security}<br>${account.has_totp ? words.secondFactorOn : words.secondFactorOff}`
  const links: [href: string, title: string, text: string | Html][] = [
    ['/account/profile', messages.accountProfile.title, words.profile],
    ['/account/preferences', messages.preferences.title, messages.preferences.summary],
    ['/account/email', messages.accountEmail.title, words.email],
    ['/account/password', messages.accountPassword.title, words.password],
    ['/account/security', messages.accountSecurity.title, security],
    ['/account/sessions', messages.accountSessions.title, words.sessions],
    ['/account/apps', messages.accountApps.title, words.apps],
    ['/account/history', messages.accountHistory.title, words.history],
    ['/account/data', words.dataTitle, words.data],
    ['/account/delete', messages.accountDeletion.title, words.deletion],
  ]
  return {
    title: common.greeting(account.name),
    wide: true,
    isStart: true,
    body: html`<p class="lead">${words.signedInAs(account.email)}</p>
<ul class="menu">${links.map(
      ([href, title, text]) =>
        html`<li><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>`,
    )}</ul>
<form method="post" action="/account/sign-out">
${csrfField()}
<div class="actions"><button class="secondary">${common.signOut}</button></div>
</form>`,
  }
}
