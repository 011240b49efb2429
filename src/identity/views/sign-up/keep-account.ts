import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { dayText } from '../../../ui/when.ts'

export type KeepAccountData = { action: string; name: string; until: Date }

/** Sends `decision`: `keep`, or `leave` to let the account go. */
export function keepAccountView(page: PageContext, { action, name, until }: KeepAccountData): View {
  const { keepAccount: words } = page.messages
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${words.text({ name, day: dayText(page, until) })}</p>
<form method="post" action="${action}">
${page.csrfField()}
<div class="actions">
<button name="decision" value="keep">${words.keep}</button>
<button class="secondary" name="decision" value="leave">${words.leave}</button>
</div>
</form>`,
  }
}
