import { html, type Html } from '../../../pages/html.ts'
import type { Messages } from '../../../pages/messages/en.ts'
import type { View } from '../../../pages/page.ts'

/** A page of the account: its body has no heading of its own. */
export type AccountView = View & {
  /** For tables and lists. */
  wide?: boolean
  /** What was just done. */
  notice?: string | undefined
  /** The page all others lead back to. */
  isStart?: boolean
  /** Where it leads back to; missing: to the start. */
  back?: { href: string; text: string }
}

/** Puts the heading, the way back and what was just done around a page of the account. */
export function accountFrame(
  messages: Messages,
  { isStart = false, notice, back, body, ...view }: AccountView,
) {
  const { href, text } = back ?? { href: '/account', text: messages.account.back }
  return {
    ...view,
    body: html`${!isStart && html`<p class="back"><a href="${href}">← ${text}</a></p>`}
<h1>${view.title}</h1>
${notice !== undefined && html`<div class="notice success" role="status"><p>${notice}</p></div>`}
${body}`,
  }
}

/** The buttons below a form, with a way out beside them. */
export const actions = ({ account }: Messages, submit: string, cancelHref: string, danger = false): Html =>
  html`<div class="actions side-by-side">
<button${danger && html` class="danger"`}>${submit}</button>
<a class="button secondary" href="${cancelHref}">${account.cancel}</a>
</div>`
