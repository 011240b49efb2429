import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import { portrait } from '../../ui/portrait.ts'
import type { View } from '../../ui/page/page.ts'
import { cancelForm } from './cancel.ts'

export type ChooseAccountData = {
  messages: Messages
  csrf: Html
  action: string
  /** Who is signed in. */
  account: { name: string; email: string; picture: string | null }
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
${appName !== undefined && html`<p class="lead">${words.toContinueTo({ app: appName })}</p>`}
<form method="post" action="${action}">
${csrf}
<ul class="accounts panel rows">
<li><button class="account-choice" name="choice" value="continue">${portrait(account, 'medium')}<span><strong>${account.name}</strong><span>${account.email}</span></span></button></li>
<li><button class="account-choice" name="choice" value="other"><span class="face medium initial" aria-hidden="true">+</span><span><strong>${words.other}</strong></span></button></li>
</ul>
</form>
${cancelAction !== undefined && cancelForm(csrf, cancelAction, words.cancel)}`,
  }
}
