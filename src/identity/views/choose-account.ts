import { html, type Html } from '../../pages/html.ts'
import type { Messages } from '../../pages/messages/en.ts'
import type { View } from '../../pages/page.ts'
import { cancelForm } from './cancel.ts'

export type ChooseAccountData = {
  messages: Messages
  csrf: Html
  action: string
  /** Who is signed in. */
  account: { name: string; email: string }
  appName?: string
  cancelAction?: string
}

/** Sends `choice`: `continue` with this account or `other`. */
export function chooseAccountView(data: ChooseAccountData): View {
  const { messages, csrf, action, account, appName, cancelAction } = data
  const words = messages.chooseAccount
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
${appName !== undefined && html`<p class="lead">${words.toContinueTo(appName)}</p>`}
<form method="post" action="${action}">
${csrf}
<div class="actions">
<button name="choice" value="continue">${words.continueAs(account.name, account.email)}</button>
<button class="secondary" name="choice" value="other">${words.other}</button>
</div>
</form>
${cancelAction !== undefined && cancelForm(csrf, cancelAction, words.cancel)}`,
  }
}
