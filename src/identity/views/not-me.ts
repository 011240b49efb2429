import { html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'
import type { View } from '../../pages/page.ts'

/** Sends nothing but itself. */
export function notMeView({ messages: { notMe: words }, csrfField }: PageContext, action: string): View {
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
<form method="post" action="${action}">
${csrfField()}
<div class="actions"><button class="danger">${words.submit}</button></div>
</form>
<p class="quiet">${words.wasMe}</p>`,
  }
}
