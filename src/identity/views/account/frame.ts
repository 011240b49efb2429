import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'

/** A page of the account: its body has no heading of its own. */
export type AccountView = View & {
  /** What was just done. */
  notice?: string | undefined
  /** The page all others lead back to. */
  isStart?: boolean
  /** Where it leads back to; missing: to the start. */
  back?: { href: string; text: string }
}

/** Puts the navigation, the heading, the way back and what was just done around a page of the account. */
export function accountFrame(
  messages: Messages,
  { isStart = false, notice, back, body, scripts = [], ...view }: AccountView,
  place: string,
) {
  const { href, text } = back ?? { href: '/account', text: messages.account.back }
  return {
    ...view,
    wide: true,
    scripts: ['/assets/account.js', ...scripts],
    body: html`<div class="account sidebar">
${navigation(messages, place)}
<div class="account-page">
${!isStart && html`<p class="back${back === undefined && ' to-start'}"><a href="${href}">← ${text}</a></p>`}
<h1>${view.title}</h1>
${notice !== undefined && html`<div class="notice success" role="status"><p>${notice}</p></div>`}
${body}
</div>
</div>`,
  }
}

/** Every page of the account, grouped, what cannot be undone last and apart. */
const accountLinks = (messages: Messages): { href: string; text: string; danger?: true }[] => [
  { href: '/account', text: messages.accountOverview.title },
  { href: '/account/profile', text: messages.accountProfile.title },
  { href: '/account/preferences', text: messages.preferences.title },
  { href: '/account/email', text: messages.accountEmail.title },
  { href: '/account/password', text: messages.accountPassword.title },
  { href: '/account/security', text: messages.accountSecurity.title },
  { href: '/account/sessions', text: messages.accountSessions.title },
  { href: '/account/apps', text: messages.accountApps.title },
  { href: '/account/history', text: messages.accountHistory.title },
  { href: '/account/delete', text: messages.accountDeletion.title, danger: true },
]

function navigation(messages: Messages, place: string) {
  const links = accountLinks(messages).map(({ href, text, danger }) => {
    const isHere = href === place
    const isAbove = href !== '/account' && place.startsWith(`${href}/`)
    const mark = (isHere || isAbove) && html` aria-current="${isHere ? 'page' : 'true'}"`
    return html`<li${danger && html` class="danger divided"`}><a href="${href}"${mark}>${text}</a></li>`
  })
  return html`<nav class="account-nav side-nav" aria-label="${messages.account.title}"><ul>${links}</ul></nav>`
}

/** The buttons below a form, with a way out beside them. */
export const actions = (
  { account }: Messages,
  submit: string,
  cancelHref: string,
  danger = false,
): Html =>
  html`<div class="actions side-by-side">
<button${danger && html` class="danger"`}>${submit}</button>
<a class="button secondary" href="${cancelHref}">${account.cancel}</a>
</div>`
