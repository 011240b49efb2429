import { html } from '../../ui/html.ts'
import type { View } from '../../ui/page/page.ts'
import { portrait } from '../../ui/portrait.ts'
import { cancelForm, type FormPage } from './form-parts.ts'

export type ChooseAccountData = {
  interaction: string
  account: { name: string; email: string; picture: string | null }
  appName: string
}

/** The form submits `choice`: `continue` for this account, or `other`. */
export function chooseAccountView(page: FormPage, data: ChooseAccountData): View {
  const { interaction, account, appName } = data
  const texts = page.messages.chooseAccount
  return {
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
<p class="lead">${texts.toContinueTo({ app: appName })}</p>
<form method="post" action="/interaction/${interaction}">
${page.csrfField()}
<ul class="accounts panel rows">
<li><button class="account-choice" name="choice" value="continue">${portrait(account, 'medium')}<span><strong>${account.name}</strong><span>${account.email}</span></span></button></li>
<li><button class="account-choice" name="choice" value="other"><span class="face medium initial" aria-hidden="true">+</span><span><strong>${texts.other}</strong></span></button></li>
</ul>
</form>
${cancelForm(page, interaction, texts.cancel)}`,
  }
}
