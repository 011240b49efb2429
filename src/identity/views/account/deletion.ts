import { html } from '../../../pages/html.ts'
import type { View } from '../../../pages/page.ts'
import type { PageContext } from '../../../pages/page-context.ts'
import { currentPasswordField } from './current-password-field.ts'
import { actions, type AccountView } from './frame.ts'

/** Sends `current_password`. */
export function deletionView(
  { messages, csrfField }: PageContext,
  { error }: { error?: string },
): AccountView {
  const { accountDeletion: words } = messages
  return {
    title: words.title,
    body: html`<p>${words.text}</p>
<ul>${words.goes.map((what) => html`<li>${what}</li>`)}</ul>
<p>${words.keep} <a href="/account/data">${messages.accountOverview.dataTitle}</a></p>
<form method="post" action="/account/delete">
${csrfField()}
${currentPasswordField(messages, error)}
${actions(messages, words.submit, '/account', true)}
</form>`,
  }
}

/** For who has no account any more. */
export const deletedView = ({ messages: { accountDeletion: words } }: PageContext): View => ({
  title: words.doneTitle,
  body: html`<h1>${words.doneTitle}</h1>
<p>${words.done}</p>`,
})
