import { html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'

export type MailSentData = {
  purpose: 'signUp' | 'reset'
  email: string
  localOutbox: string | undefined
  againHref: string
}

/** Renders the same page whether the account exists or not. */
export function mailSentView(
  { messages: { mailSent: words } }: { messages: Messages },
  { purpose, email, localOutbox, againHref }: MailSentData,
): View {
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<div class="notice success" role="status"><p>${localOutbox === undefined ? words[purpose]({ email }) : words.local({ folder: localOutbox })}</p></div>
<p>${words.sameBrowser}</p>
<p class="quiet">${words.nothing} <a href="${againHref}">${words.again}</a></p>`,
  }
}

/** Page for a mailed link that was used, has expired or is unknown. Offers to send a new one. */
export function linkGoneView(
  { messages: { linkGone: words } }: { messages: Messages },
  purpose: 'signUp' | 'reset',
) {
  const againHref = purpose === 'signUp' ? '/sign-up' : '/forgotten-password'
  return {
    status: 410,
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
<div class="actions">
<a class="button" href="${againHref}">${words[purpose]}</a>
<a class="button secondary" href="/sign-in">${words.signIn}</a>
</div>`,
  }
}
