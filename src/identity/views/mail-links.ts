import { html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'

export type MailSentData = {
  purpose: 'signUp' | 'reset'
  email: string
  localOutbox: string | undefined
  retryHref: string
}

/** Renders the same page whether the account exists or not. */
export function mailSentView(
  { messages: { mailSent: texts } }: { messages: Messages },
  { purpose, email, localOutbox, retryHref }: MailSentData,
): View {
  return {
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
<div class="notice success" role="status"><p>${localOutbox === undefined ? texts[purpose]({ email }) : texts.local({ folder: localOutbox })}</p></div>
<p>${texts.sameBrowser}</p>
<p class="quiet">${texts.nothing} <a href="${retryHref}">${texts.again}</a></p>`,
  }
}

/** Page for an emailed link that has been used, has expired or is unknown. Offers to send a new one. */
export function linkGoneView(
  { messages: { linkGone: texts } }: { messages: Messages },
  purpose: 'signUp' | 'reset',
) {
  const retryHref = purpose === 'signUp' ? '/sign-up' : '/forgotten-password'
  return {
    status: 410,
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
<p>${texts.text}</p>
<div class="actions">
<a class="button" href="${retryHref}">${texts[purpose]}</a>
<a class="button secondary" href="/sign-in">${texts.signIn}</a>
</div>`,
  }
}
