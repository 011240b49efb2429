import { formatDay } from '../../../ui/format-time.ts'
import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { withInteraction } from '../../browser/interaction.ts'
import { cancelForm } from '../form-parts.ts'

export type WaitingAccountData = {
  name: string
  email: string
  /** Reason of the decision, and the time at which the account is deleted. */
  declined: { reason: string; until: Date } | undefined
  contact: string
  interaction: string | undefined
  appName: string | undefined
}

/** The form submits `decision=delete`. */
export function waitingAccountView(
  page: PageContext,
  { name, email, declined, contact, interaction, appName }: WaitingAccountData,
): View {
  const { waitingAccount: texts, signIn } = page.messages
  const title = declined ? texts.declinedTitle : texts.title
  return {
    title,
    body: html`<h1>${title}</h1>
${
  declined
    ? html`<p>${texts.declined({ day: formatDay(page, declined.until) })}</p>
<div class="notice"><p>${texts.reason} ${declined.reason}</p></div>`
    : html`<div class="notice" role="status"><p>${texts.text({ name })}</p></div>
<p>${texts.mail({ email })}</p>`
}
<p>${texts.contact} <a href="${contact}">${contact.replace(/^mailto:/, '')}</a></p>
<details class="lost panel">
<summary>${texts.delete}</summary>
<p>${texts.deleteText}</p>
<form method="post" action="${withInteraction('/sign-in/waiting', interaction)}">
${page.csrfField()}
<div class="actions"><button class="danger" name="decision" value="delete">${texts.deleteButton}</button></div>
</form>
</details>
${appName !== undefined && cancelForm(page, interaction, signIn.backTo({ app: appName }))}`,
  }
}
