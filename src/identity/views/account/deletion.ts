import { html } from '../../../ui/html.ts'
import type { View } from '../../../ui/page/page.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { currentPasswordField } from '../form-parts.ts'
import { formatDay } from '../../../ui/format-time.ts'
import { actions, type AccountView } from './frame.ts'

/** The form submits `current_password`. */
export function deletionView(page: PageContext, { error }: { error?: string }): AccountView {
  const { messages, csrfField } = page
  const { accountDeletion: texts } = messages
  return {
    title: texts.title,
    body: html`<p>${texts.text}</p>
<ul>${texts.removed.map((item) => html`<li>${item}</li>`)}</ul>
<h2>${texts.dataTitle}</h2>
<p>${texts.keep}</p>
<div class="actions inline"><a class="button secondary" href="/account/data">${messages.accountOverview.dataTitle}</a></div>
<h2>${texts.confirmTitle}</h2>
<p>${texts.grace}</p>
<form method="post" action="/account/delete">
${csrfField()}
${currentPasswordField(page, error)}
${actions(messages, texts.submit, '/account', true)}
</form>`,
  }
}

/** Confirms that the deletion is scheduled. The user is signed out by now. */
export const deletedView = (
  { language, messages: { accountDeletion: texts } }: PageContext,
  { until, timeZone }: { until: Date; timeZone: string | undefined },
): View => ({
  title: texts.doneTitle,
  body: html`<h1>${texts.doneTitle}</h1>
<p>${texts.done({ day: formatDay({ language, timeZone }, until) })}</p>`,
})

export type KeepAccountData = { action: string; name: string; until: Date }

/** The form submits `decision`: `keep`, or `leave` to let the deletion proceed. */
export function keepAccountView(page: PageContext, { action, name, until }: KeepAccountData): View {
  const { keepAccount: texts } = page.messages
  return {
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
<p>${texts.text({ name, day: formatDay(page, until) })}</p>
<form method="post" action="${action}">
${page.csrfField()}
<div class="actions">
<button name="decision" value="keep">${texts.keep}</button>
<button class="secondary" name="decision" value="leave">${texts.leave}</button>
</div>
</form>`,
  }
}
