import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'

/** Account page. The frame adds its heading, so its body has none. */
export type AccountView = View & {
  notice?: string | undefined
  /** Whether this is the start page, which has no link back. */
  isStart?: boolean
  /** Link back, by default to the start page. */
  back?: { href: string; text: string }
}

/** Adds the navigation, the heading, the link back and the confirmation to an account page. */
export function accountFrame(
  messages: Messages,
  { isStart = false, notice, back, body, scripts = [], ...view }: AccountView,
  currentPath: string,
) {
  const { href, text } = back ?? { href: '/account', text: messages.account.back }
  return {
    ...view,
    wide: true,
    scripts: ['/assets/account.js', ...scripts],
    body: html`<div class="account sidebar">
${navigation(messages, currentPath)}
<div class="account-page">
${!isStart && html`<p class="back${back === undefined && ' to-start'}"><a href="${href}">← ${text}</a></p>`}
<h1>${view.title}</h1>
${notice !== undefined && html`<div class="notice success" role="status"><p>${notice}</p></div>`}
${body}
</div>
</div>`,
  }
}

/** Links to all account pages, with the irreversible action last. */
const accountLinks = (messages: Messages): { href: string; text: string; danger?: true }[] => [
  { href: '/account', text: messages.accountOverview.title },
  { href: '/account/profile', text: messages.accountProfile.title },
  { href: '/account/preferences', text: messages.preferences.title },
  { href: '/account/email', text: messages.accountEmail.title },
  { href: '/account/password', text: messages.accountPassword.title },
  { href: '/account/security', text: messages.accountSecurity.title },
  { href: '/account/sessions', text: messages.accountSessions.title },
  { href: '/account/apps', text: messages.accountApps.title },
  { href: '/account/tokens', text: messages.accountTokens.title },
  { href: '/account/feeds', text: messages.accountFeeds.title },
  { href: '/account/history', text: messages.accountHistory.title },
  { href: '/account/delete', text: messages.accountDeletion.title, danger: true },
]

function navigation(messages: Messages, currentPath: string) {
  const links = accountLinks(messages).map(({ href, text, danger }) => {
    const isCurrent = href === currentPath
    const isParent = href !== '/account' && currentPath.startsWith(`${href}/`)
    const mark = (isCurrent || isParent) && html` aria-current="${isCurrent ? 'page' : 'true'}"`
    return html`<li${danger && html` class="danger divided"`}><a href="${href}"${mark}>${text}</a></li>`
  })
  return html`<nav class="account-nav side-nav" aria-label="${messages.account.title}"><ul>${links}</ul></nav>`
}

/** Submit button of a form, with a link to cancel. */
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
