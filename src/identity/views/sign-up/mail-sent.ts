import { html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'

export type MailSentData = {
  messages: Messages
  /** What the mail is for. */
  purpose: 'signUp' | 'reset'
  /** The address as entered. */
  email: string
  /** Folder with the mails, for developers, if no mail server is configured. */
  localOutbox: string | undefined
  /** Address at which to request another mail. */
  againHref: string
}

/** Renders the same page whether the account exists or not. */
export function mailSentView({
  messages,
  purpose,
  email,
  localOutbox,
  againHref,
}: MailSentData): View {
  const words = messages.mailSent
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<div class="notice success" role="status"><p>${localOutbox === undefined ? words[purpose]({ email }) : words.local({ folder: localOutbox })}</p></div>
<p>${words.sameBrowser}</p>
<p class="quiet">${words.nothing} <a href="${againHref}">${words.again}</a></p>`,
  }
}
