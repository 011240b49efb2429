import { html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'

/** A link of a mail that was used, is too old, or never was one; offers to start anew. */
export function linkGoneView({
  messages: { linkGone: words },
  purpose,
}: {
  messages: Messages
  purpose: 'signUp' | 'reset'
}): View {
  const againHref = purpose === 'signUp' ? '/sign-up' : '/forgotten-password'
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
<div class="actions">
<a class="button" href="${againHref}">${words[purpose]}</a>
<a class="button secondary" href="/sign-in">${words.signIn}</a>
</div>`,
  }
}
