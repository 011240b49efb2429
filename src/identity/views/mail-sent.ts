import { html } from '../../pages/html.ts'
import type { Messages } from '../../pages/messages/en.ts'
import type { View } from '../../pages/page.ts'

export type MailSentData = {
  messages: Messages
  /** What the mail is for. */
  purpose: 'signUp' | 'reset'
  /** As it was typed. */
  email: string
  /** Where to ask for another. */
  againHref: string
}

/** The same whether there is such an account or not. */
export function mailSentView({ messages, purpose, email, againHref }: MailSentData): View {
  const words = messages.mailSent
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<div class="notice success" role="status"><p>${words[purpose](email)}</p></div>
<p>${words.sameBrowser}</p>
<p class="quiet">${words.nothing} <a href="${againHref}">${words.again}</a></p>`,
  }
}
