import { html } from '../../../ui/html.ts'
import type { View } from '../../../ui/page/page.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { currentPasswordField } from '../form-parts.ts'
import { formatDay } from '../../../ui/format-time.ts'
import { actions, type AccountView } from './frame.ts'

/** The form submits `current_password`. */
export function deletionView(
  { messages, csrfField }: PageContext,
  { error }: { error?: string },
): AccountView {
  const { accountDeletion: words } = messages
  return {
    title: words.title,
    body: html`<p>${words.text}</p>
<ul>${words.goes.map((what) => html`<li>${what}</li>`)}</ul>
<h2>${words.dataTitle}</h2>
<p>${words.keep}</p>
<div class="actions inline"><a class="button secondary" href="/account/data">${messages.accountOverview.dataTitle}</a></div>
<h2>${words.confirmTitle}</h2>
<p>${words.grace}</p>
<form method="post" action="/account/delete">
${csrfField()}
${currentPasswordField(messages, error)}
${actions(messages, words.submit, '/account', true)}
</form>`,
  }
}

/** Confirms that the deletion is scheduled. The user is signed out by now. */
export const deletedView = (
  { language, messages: { accountDeletion: words } }: PageContext,
  { until, timeZone }: { until: Date; timeZone: string | undefined },
): View => ({
  title: words.doneTitle,
  body: html`<h1>${words.doneTitle}</h1>
<p>${words.done({ day: formatDay({ language, timeZone }, until) })}</p>`,
})

export type KeepAccountData = { action: string; name: string; until: Date }

/** The form submits `decision`: `keep`, or `leave` to let the deletion proceed. */
export function keepAccountView(page: PageContext, { action, name, until }: KeepAccountData): View {
  const { keepAccount: words } = page.messages
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${words.text({ name, day: formatDay(page, until) })}</p>
<form method="post" action="${action}">
${page.csrfField()}
<div class="actions">
<button name="decision" value="keep">${words.keep}</button>
<button class="secondary" name="decision" value="leave">${words.leave}</button>
</div>
</form>`,
  }
}
